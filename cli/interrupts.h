// Ctrl-C and SIGTERM, while something goes on that should end in order. One at a time.
#pragma once

#include <signal.h>

namespace ration::cli {

// From construction to destruction the first of these signals is only remembered, and the second
// ends the program as signals do. Those that the program was started to ignore stay ignored.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();  // signals are again what they were

  static bool asked_to_stop();
  // Of a program that one of them has ended, as shells count: 130 after Ctrl-C, 143 after SIGTERM.
  static int status();

 private:
  struct sigaction interrupt_, terminate_;  // as they were
};

}  // namespace ration::cli
