#ifndef TENON_IR_STRUCTURAL_H_
#define TENON_IR_STRUCTURAL_H_

#include <cstdint>
#include <string>

#include "ir/module.h"

// Equality and hash up to renaming of variables and buffers. Source ranges, names of variables and
// buffers, and names of constants written in place do not count. Constants compare by contents,
// `load` and `codec`; floats by their bits. The fields `targets` and `target_burst_bytes` of the
// memory pools `ir.WorkspacePoolInfo` and `ir.ConstantPoolInfo` do not count.

namespace tenon {

/// The first difference of two trees, for messages: a path of fields such as `body.seq[2].value.a`,
/// and the source ranges of both sides.
struct Difference {
  std::string path;
  SourceRange a;
  SourceRange b;
};

/// Free variables of `a` and `b` are paired at their first occurrence. `difference` may be null.
bool StructuralEqual(const Node* a, const Node* b, Difference* difference = nullptr);
/// Modules are equal when they have the same functions by name, structurally equal, equal
/// attributes and equal tables of named constants. Class names do not count.
bool StructuralEqual(const IRModule& a, const IRModule& b, Difference* difference = nullptr);

/// Equal for structurally equal nodes, in every run and on every machine of one endianness.
uint64_t StructuralHash(const Node* node);
uint64_t StructuralHash(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_STRUCTURAL_H_
