#ifndef TENON_TOOLS_PROGRESS_H_
#define TENON_TOOLS_PROGRESS_H_

#include <memory>
#include <string_view>

#include "tools/stderr_style.h"

namespace tenon {

/// While it lives, and after the first second, a line on stderr shows the current work and its
/// time. Only on a terminal, and not if the style is quiet. The destructor clears the line.
class Progress {
 public:
  Progress(std::string_view what, const StderrStyle& style);
  /// Changes the work that the line shows.
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
