// A progress bar on standard error while it is a terminal, and nothing otherwise. It knows what is
// being done and how much of it is done, both public: fractions must follow from the sizes of the
// work, never from anybody's values. Fractions may come from many threads.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace ration::cli {

class Progress {
 public:
  // Shows nothing during the first moments, so that short work leaves the screen alone.
  explicit Progress(std::string what, int descriptor = STDERR_FILENO);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // clears the line

  // From now on the bar says this. Shown at the next update.
  void rename(std::string what);

  // From 0 to 1; the bar never goes back. Cheap: at most ten times a second it draws.
  void update(double fraction);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::duration elapsed);
  void write(const std::string& text) const;

  std::string what_;
  const int descriptor_;
  const bool shown_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<std::int64_t> next_;  // when to draw again, in ticks since start
  std::mutex drawing_;
  std::atomic<double> fraction_ = 0;
  bool drawn_ = false;
};

// "Reading norms.npy  [########------------]  40%  12 s left", in at most `columns` columns, of
// which long texts get what the rest leaves.
std::string progress_line(const std::string& what, double fraction, std::chrono::seconds elapsed,
                          int columns);

}  // namespace ration::cli
