#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ration::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kFirst{300}, kBetween{100};
constexpr int kMostColumns = 80, kBar = 20;

bool can_show(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  const bool moves_back = terminal != nullptr && std::string_view(terminal) != "dumb";
  return isatty(descriptor) == 1 && moves_back;
}

// One less than there are: a full line would move the cursor to the next.
int columns_of(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return std::min(known ? size.ws_col : kMostColumns, kMostColumns) - 1;
}

// Two units at most: what is left is an estimate.
std::string duration(double left) {
  if (left < 60) return fmt::format("{:.0f} s", std::ceil(left));
  if (left < 3600) return fmt::format("{:.0f} min", std::ceil(left / 60));
  if (left < 100 * 3600) return fmt::format("{:.0f} h", std::ceil(left / 3600));
  return "days";
}

}  // namespace

std::string progress_line(const std::string& what, double fraction, seconds elapsed, int columns) {
  const int filled = static_cast<int>(fraction * kBar);
  std::string rest = fmt::format("  [{:#<{}}{:-<{}}] {:3.0f}%", "", filled, "", kBar - filled,
                                 std::floor(100 * fraction));
  // An estimate after less than a second says little.
  if (elapsed >= seconds(1) && fraction > 0) {
    const double left = static_cast<double>(elapsed.count()) * (1 - fraction) / fraction;
    rest += fmt::format("  {} left", duration(left));
  }
  const auto room = static_cast<std::size_t>(std::max(columns, 0));
  if (rest.size() >= room) return rest.substr(2, room);
  return what.substr(0, room - rest.size()) + rest;
}

Progress::Progress(std::string what, int descriptor)
    : what_(std::move(what)),
      descriptor_(descriptor),
      shown_(can_show(descriptor)),
      next_(Clock::duration(kFirst).count()) {}

Progress::~Progress() {
  if (drawn_) write("\r\x1b[K");
}

void Progress::rename(std::string what) {
  const std::scoped_lock lock(drawing_);
  what_ = std::move(what);
}

void Progress::update(double fraction) {
  if (!shown_) return;
  double before = fraction_.load(std::memory_order_relaxed);
  while (fraction > before && !fraction_.compare_exchange_weak(before, fraction)) {
  }
  const Clock::duration elapsed = Clock::now() - start_;
  if (elapsed.count() < next_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(drawing_, std::try_to_lock);
  // Somebody else is drawing, or has just drawn.
  if (!lock || elapsed.count() < next_.load()) return;
  next_ = (elapsed + kBetween).count();
  draw(elapsed);
}

void Progress::draw(Clock::duration elapsed) {
  const double fraction = std::clamp(fraction_.load(), 0.0, 1.0);
  const auto line = progress_line(what_, fraction, std::chrono::duration_cast<seconds>(elapsed),
                                  columns_of(descriptor_));
  write(fmt::format("\r{}\x1b[K", line));
  drawn_ = true;
}

// A bar that cannot be shown is no reason to stop.
void Progress::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, text.data(), text.size());
}

}  // namespace ration::cli
