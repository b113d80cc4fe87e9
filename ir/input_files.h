#ifndef TENON_IR_INPUT_FILES_H_
#define TENON_IR_INPUT_FILES_H_

#include <string>
#include <vector>

#include "ir/module.h"

namespace tenon {

/// The files that a module was read from, as paths: all texts of its Context, and the files of its
/// constants. Standard input is `-`. Names of texts that were never files (`<pipeline>`) are among
/// them.
std::vector<std::string> InputFiles(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_INPUT_FILES_H_
