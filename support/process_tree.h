#ifndef TENON_SUPPORT_PROCESS_TREE_H_
#define TENON_SUPPORT_PROCESS_TREE_H_

#include <sys/types.h>

#include <string>
#include <vector>

// All processes that a program starts, also those that leave its process group and its session.

namespace tenon {

/// A word that the environment of a program has, and that the processes which it starts inherit.
class ProcessMark {
 public:
  /// A mark that no other program has.
  static ProcessMark New();

  /// The environment of this process with the mark, as `NAME=value`. Marks that this process
  /// inherited stay.
  std::vector<std::string> Environment() const;
  /// Whether the bytes of an environment, with a zero after each variable, have the mark.
  bool IsIn(const std::string& environment) const;

 private:
  explicit ProcessMark(std::string word) : word_(std::move(word)) {}

  std::string word_;
};

/// Ends a program that was started in its own process group, and all processes that it started.
/// `program` may have ended, but the caller has not waited for it yet. Returns when they are gone,
/// or after some seconds. On systems without /proc only the process group ends. A process stays if
/// it has left the program's processes and also replaced its environment, or if it has another
/// user.
void KillProcessTree(pid_t program, const ProcessMark& mark);

}  // namespace tenon

#endif  // TENON_SUPPORT_PROCESS_TREE_H_
