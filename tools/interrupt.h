#ifndef TENON_TOOLS_INTERRUPT_H_
#define TENON_TOOLS_INTERRUPT_H_

#include <csignal>

namespace tenon {

/// While it lives, the first Ctrl-C (SIGINT) is noted instead of ending the process; the second one
/// ends it. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Ctrl-C was pressed.
  static bool Raised();

 private:
  struct sigaction before_ = {};
};

}  // namespace tenon

#endif  // TENON_TOOLS_INTERRUPT_H_
