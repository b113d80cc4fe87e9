#ifndef TENON_IR_INPUT_FILES_H_
#define TENON_IR_INPUT_FILES_H_

#include <string>
#include <vector>

#include "ir/module.h"

namespace tenon {

/// The paths of the files that a module was read from: all texts of its Context, and the files of
/// its constants. Standard input is `-`. The result includes names of texts that are not files
/// (`<pipeline>`).
std::vector<std::string> InputFiles(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_INPUT_FILES_H_
