#ifndef TENON_SUPPORT_SHELL_WORD_H_
#define TENON_SUPPORT_SHELL_WORD_H_

#include <span>
#include <string>
#include <string_view>

namespace tenon {

/// A word for a command line that a user may paste into a shell: unchanged, or in quotes if the
/// shell would read more than the word in it. A line end becomes a blank, since a command is one
/// line.
std::string ShellWord(std::string_view word);

/// A command line of words.
std::string ShellWords(std::span<const std::string> words);

}  // namespace tenon

#endif  // TENON_SUPPORT_SHELL_WORD_H_
