#include "cli/interrupts.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace ration::cli {
namespace {

// All that a handler may touch.
std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void handle(int signal) {
  const int error = errno;  // of whatever was interrupted
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal)) {
    constexpr std::string_view kText =
        "\nStopping after this step; press Ctrl-C again to end at once.\n";
    if (isatty(STDERR_FILENO) == 1) {
      [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
    }
    errno = error;
    return;
  }
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  raise(signal);  // arrives when this handler returns
}

void take_over(int signal, struct sigaction& before) {
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction ours {};
  ours.sa_handler = handle;
  ours.sa_flags = SA_RESTART;  // nobody's reads and writes are cut short
  sigaction(signal, &ours, nullptr);
}

}  // namespace

Interrupts::Interrupts() : interrupt_{}, terminate_{} {
  take_over(SIGINT, interrupt_);
  take_over(SIGTERM, terminate_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interrupts::asked_to_stop() { return first_signal != 0; }

int Interrupts::status() { return 128 + first_signal; }

}  // namespace ration::cli
