#ifndef TENON_TOOLS_INTERRUPT_H_
#define TENON_TOOLS_INTERRUPT_H_

#include <csignal>

namespace tenon {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM is noted instead of ending the process. The
/// second one ends it. At most one Interrupt may live at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came while the last Interrupt lived, or 0.
  static int Signal();
  static bool Raised() { return Signal() != 0; }

 private:
  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

/// From now on SIGINT, SIGTERM and SIGHUP stop the programs that run for this process and remove
/// its temporary folders, and then end it as before. Ignored signals stay ignored. Crashes and
/// exit() remove the folders too: models run code that others wrote. Only for main(), before the
/// first thread: a library must not change the signals of its process.
void CleanUpOnSignals();

}  // namespace tenon

#endif  // TENON_TOOLS_INTERRUPT_H_
