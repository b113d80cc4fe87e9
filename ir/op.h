#ifndef TENON_IR_OP_H_
#define TENON_IR_OP_H_

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"

namespace tenon {

/// The kind of a builtin (ir/builtins.h). Zero is kUnknown: a name that is not a builtin.
enum class OpKind : uint16_t;

/// The place of a builtin's result dtype in the text.
enum class DTypePlace : uint8_t { kNone, kFirst, kLast };

/// The result dtype if the text does not write one.
enum class DTypeRule : uint8_t {
  kNone,
  kArg0,
  kArg1,
  kBoolOfArg0,
  kInt32OfArg0,
  kInt32,
  kHandle,
  kBool,
  kUInt64
};

/// The effects that evaluating a builtin may have besides giving a value.
enum class OpEffect : uint8_t { kPure, kRead, kWrite, kControl, kOpaque };

/// A builtin. Builtins are static; unknown names get an Op owned by the Context. Compare by pointer
/// or kind.
struct Op {
  OpKind kind{};
  std::string_view text;  ///< after `T.`
  DTypePlace dtype_place = DTypePlace::kNone;
  DTypeRule dtype_rule = DTypeRule::kNone;
  int16_t min_args = 0;
  int16_t max_args = -1;
  OpEffect effect = OpEffect::kOpaque;

  static const Op* Get(OpKind kind);
  /// The builtin of that name (after `T.`), old spellings such as `tvm_call_packed` included, or
  /// null.
  static const Op* Find(std::string_view text);
};

}  // namespace tenon

#endif  // TENON_IR_OP_H_
