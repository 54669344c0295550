#include "cli/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ration::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// A terminal whose screen the test can read.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : screen_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0)
      throw std::runtime_error("no terminal");
    device_ = open(ptsname(screen_), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(device_, TIOCSWINSZ, &size);
    fcntl(screen_, F_SETFL, O_NONBLOCK);
    setenv("TERM", "xterm", 1);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    close(device_);
    close(screen_);
  }
  int device() const { return device_; }
  std::string text() const {
    std::string all;
    char part[4096];
    for (ssize_t size; (size = read(screen_, part, sizeof part)) > 0;)
      all.append(part, static_cast<std::size_t>(size));
    return all;
  }

 private:
  int screen_, device_ = -1;
};

// What was drawn, line by line, without what moves the cursor.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find("\x1b[K", from);
    if (end == std::string::npos || text[from] != '\r')
      throw std::runtime_error("unknown: " + text);
    lines.push_back(text.substr(from + 1, end - from - 1));
    from = end + 3;
  }
  return lines;
}

void work(Progress& progress, milliseconds time) {
  const auto start = steady_clock::now();
  for (auto spent = steady_clock::duration(0); spent < time; spent = steady_clock::now() - start)
    progress.update(static_cast<double>(spent.count()) /
                    static_cast<double>(steady_clock::duration(time).count()));
}

TEST(Progress, IsDrawnOnATerminalTenTimesASecondAndClearedAtTheEnd) {
  const Terminal terminal(200);
  {
    Progress progress("Reading norms.npy", terminal.device());
    work(progress, milliseconds(1250));
  }
  const auto lines = lines_of(terminal.text());
  ASSERT_GE(lines.size(), 4u);
  EXPECT_LE(lines.size(), 11u);  // from 0.3 s on, and the clearing
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_EQ(lines[i].substr(0, 20), "Reading norms.npy  [");
    EXPECT_NE(lines[i].find('%'), std::string::npos);
    EXPECT_LT(lines[i].size(), 80u);
  }
  EXPECT_NE(lines[lines.size() - 2].find(" s left"), std::string::npos);
  EXPECT_EQ(lines.back(), "");
}

TEST(Progress, ShortWorkLeavesTheScreenAlone) {
  const Terminal terminal(80);
  {
    Progress progress("Reading", terminal.device());
    work(progress, milliseconds(100));
  }
  EXPECT_EQ(terminal.text(), "");
}

TEST(Progress, NothingIsWrittenWhereThereIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Progress progress("Reading", ends[1]);
    work(progress, milliseconds(500));
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(Progress, FractionsFromManyThreadsNeverGoBack) {
  const Terminal terminal(80);
  {
    Progress progress("Counting", terminal.device());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { work(progress, milliseconds(800)); });
    for (auto& thread : threads) thread.join();
    progress.update(0.1);
  }
  const auto lines = lines_of(terminal.text());
  ASSERT_GE(lines.size(), 3u);
  EXPECT_LE(lines.size(), 7u);
  int last = 0;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const int percent = std::atoi(lines[i].substr(lines[i].find(']') + 1).c_str());
    EXPECT_GE(percent, last);
    last = percent;
  }
}

TEST(ProgressLine, ShowsWhatHowMuchAndHowLong) {
  EXPECT_EQ(progress_line("Reading", 0.4, seconds(8), 79),
            "Reading  [########------------]  40%  12 s left");
  EXPECT_EQ(progress_line("Reading", 0.4, seconds(0), 79), "Reading  [########------------]  40%");
  EXPECT_EQ(progress_line("Reading", 0, seconds(9), 79), "Reading  [--------------------]   0%");
  EXPECT_EQ(progress_line("Reading", 1, seconds(9), 79),
            "Reading  [####################] 100%  0 s left");
  EXPECT_EQ(progress_line("R", 0.01, seconds(10), 79),
            "R  [--------------------]   1%  17 min left");
  EXPECT_EQ(progress_line("R", 0.001, seconds(60), 79),
            "R  [--------------------]   0%  17 h left");
  EXPECT_EQ(progress_line("R", 1e-9, seconds(60), 79), "R  [--------------------]   0%  days left");
}

TEST(ProgressLine, FitsIntoAnyWidth) {
  for (int columns = 0; columns < 100; ++columns) {
    for (const double fraction : {0.0, 0.5, 1.0}) {
      const auto line = progress_line(std::string(200, 'w'), fraction, seconds(100), columns);
      EXPECT_LE(line.size(), static_cast<std::size_t>(columns));
    }
  }
}

}  // namespace
}  // namespace ration::cli
