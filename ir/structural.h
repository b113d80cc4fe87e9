#ifndef TENON_IR_STRUCTURAL_H_
#define TENON_IR_STRUCTURAL_H_

#include <cstdint>
#include <string>

#include "ir/module.h"

// Equality and hash up to renaming of variables and buffers. Source ranges, names of variables and
// buffers and the names of constants written in place do not count; constants compare by contents,
// `load` and `codec`; floats by their bits. Of the memory pools `ir.WorkspacePoolInfo` and
// `ir.ConstantPoolInfo` the fields `targets` and `target_burst_bytes` do not count.

namespace tenon {

/// Where two things first differ, for messages: a path of fields such as `body.seq[2].value.a` and
/// what stands there.
struct Difference {
  std::string path;
  SourceRange a;
  SourceRange b;
};

/// Free variables of the two are paired on first sight. `difference` may be null.
bool StructuralEqual(const Node* a, const Node* b, Difference* difference = nullptr);
/// Modules are equal when they have the same functions by name, structurally equal, equal
/// attributes and equal tables of named constants. Class names do not count.
bool StructuralEqual(const IRModule& a, const IRModule& b, Difference* difference = nullptr);

/// Equal for structurally equal things, in every run and on every machine of one endianness.
uint64_t StructuralHash(const Node* node);
uint64_t StructuralHash(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_STRUCTURAL_H_
