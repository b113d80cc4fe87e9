#ifndef TENON_BYOC_PARAM_TYPES_H_
#define TENON_BYOC_PARAM_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "ir/function.h"

// The types of parameters of two functions of which one replaces the other.

namespace tenon {

/// Compares parameters. Extents that are variables are equal if all comparisons together pair each
/// variable of one function with one variable of the other.
class ParamTypes {
 public:
  ParamTypes(const PrimFunc& a, const PrimFunc& b) : a_(a), b_(b) {}

  /// Whether parameter `in_a` and parameter `in_b` have the same dtype, shape, strides and offset.
  bool AreSame(size_t in_a, size_t in_b);

 private:
  bool AreSame(const Expr* a, const Expr* b);
  bool AreSame(Span<const Expr*> a, Span<const Expr*> b);
  bool ArePaired(const Var* a, const Var* b);

  const PrimFunc& a_;
  const PrimFunc& b_;
  absl::flat_hash_map<const Var*, const Var*> of_a_, of_b_;
};

/// The type of a parameter for a message: `float32[3, 2]`, or `int32` for a number.
std::string ParamTypeText(const PrimFunc& func, size_t param);

/// The bytes from the beginning of a buffer's memory to the end of the buffer. Nullopt if they are
/// not constant.
std::optional<int64_t> BytesUpTo(const Buffer& buffer);

/// A buffer of a body that ends after the parameter whose memory it uses.
struct LongView {
  const Buffer* buffer = nullptr;
  size_t param = 0;
};
std::optional<LongView> FindLongView(const PrimFunc& func);

}  // namespace tenon

#endif  // TENON_BYOC_PARAM_TYPES_H_
