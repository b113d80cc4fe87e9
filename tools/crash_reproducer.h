#ifndef TENON_TOOLS_CRASH_REPRODUCER_H_
#define TENON_TOOLS_CRASH_REPRODUCER_H_

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// While it lives, an internal error (a failed check, a fault) writes a file that repeats it: the
/// command as a comment, then the input. The file is new, in the folder of temporary files, and a
/// message names it. The process then ends as it would have. For mains, and one at a time.
class CrashReproducer {
 public:
  /// `input` is one of `arguments`, or `-`; `text`, which outlives the object, is its contents.
  CrashReproducer(std::string_view program, const std::vector<std::string>& arguments,
                  std::string_view input, std::string_view text);
  ~CrashReproducer();
  CrashReproducer(const CrashReproducer&) = delete;
  CrashReproducer& operator=(const CrashReproducer&) = delete;

 private:
  /// The head of the file, its path, and the message.
  std::string head_;
  std::string path_;
  std::string message_;
  std::string_view text_;
  std::vector<char> stack_;

  friend void WriteCrashReproducer();
};

}  // namespace tenon

#endif  // TENON_TOOLS_CRASH_REPRODUCER_H_
