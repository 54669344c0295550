#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

namespace ration::cli {

void prepare_standard_streams() {
  // Opened the wrong way round: whoever reads or writes here fails.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    const int wrong = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    [[maybe_unused]] const int lowest = open("/dev/null", wrong);
  }
  // What is not for somebody who waits for it goes out at the end, where the reason of a failure is
  // known.
  static std::array<char, 1 << 16> buffer;
  if (isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, buffer.data(), _IOFBF, buffer.size());
  std::signal(SIGPIPE, SIG_IGN);  // a reader who has left
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is as large as files may be
}

void tell(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

// An error stays with the stream from whichever write it was. Some file systems tell only when a
// file is closed that there was no room.
std::optional<std::string> printing_failure() {
  errno = 0;
  const bool arrived =
      std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && close(STDOUT_FILENO) == 0;
  if (arrived) return std::nullopt;
  std::string sentence = "cannot write to standard output";
  if (errno != 0) sentence += ": " + std::generic_category().message(errno);
  return sentence;
}

}  // namespace ration::cli
