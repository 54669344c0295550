// Random cases. Their number comes from the environment: 10^4 by default, 10^6 in `make soak`.
#pragma once

#include <cmath>
#include <cstdlib>
#include <random>

namespace ration::oracle {

inline int cases() {
  const char* given = std::getenv("RATION_CASES");
  return given == nullptr ? 10'000 : std::atoi(given);
}

// How often something is killed, or the like: this often by default, and as RATION_KILLS says in
// `make soak`.
inline int kills(int by_default) {
  const char* given = std::getenv("RATION_KILLS");
  return given == nullptr ? by_default : std::atoi(given);
}

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(generator_);
  }
  double log_uniform(double from, double to) {
    return std::exp(uniform(std::log(from), std::log(to)));
  }
  bool coin(double probability) { return uniform(0, 1) < probability; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace ration::oracle
