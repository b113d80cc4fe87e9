#ifndef TENON_TOOLS_FIND_PROGRAM_H_
#define TENON_TOOLS_FIND_PROGRAM_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace tenon {

/// The file that a shell runs for the command `name`. A name with a slash is a path. Other names
/// are searched in PATH; the result is empty if PATH has no such program.
std::filesystem::path FindProgram(std::string_view name);

/// The path of a program that is installed with the running program `self`: next to it. If it is
/// not there, its name, which is then looked for in PATH.
std::string ProgramBeside(const std::filesystem::path& self, std::string_view name);

/// The same for the running program, where the system tells its path.
std::string ProgramBesideThis(std::string_view name);

}  // namespace tenon

#endif  // TENON_TOOLS_FIND_PROGRAM_H_
