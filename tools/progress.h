#ifndef TENON_TOOLS_PROGRESS_H_
#define TENON_TOOLS_PROGRESS_H_

#include <memory>
#include <string_view>

#include "tools/stderr_style.h"

namespace tenon {

/// While it lives, and once a second has passed, a line on stderr says what takes so long and for
/// how long it has. Only on a terminal, and not if the style is quiet. The line is gone afterwards.
class Progress {
 public:
  Progress(std::string_view what, const StderrStyle& style);
  /// Changes what the line says.
  void Say(std::string_view what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenon

#endif  // TENON_TOOLS_PROGRESS_H_
