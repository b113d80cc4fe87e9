#ifndef TENON_PASSES_FUSION_ENCODING_H_
#define TENON_PASSES_FUSION_ENCODING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "arith/eval.h"
#include "arith/interval.h"
#include "ir/builder.h"

// Encodings, by which storage keeps values in fewer bytes: a value is a function of the stored
// number.

namespace tenon {

/// One operation on one value and on integer constants.
struct ChainStep {
  NodeKind kind = NodeKind::kCast;
  const Op* op = nullptr;  ///< of calls
  DataType dtype;          ///< of the result
  /// The index of the operand that is the value; the others are `literals`, in order.
  size_t operand = 0;
  std::vector<std::pair<DataType, int64_t>> literals;

  bool operator==(const ChainStep&) const = default;
};

/// The outermost operation first.
using Chain = std::vector<ChainStep>;

/// The number that an expression is known to equal.
using NumberOf = std::function<std::optional<int64_t>(const Expr*)>;

/// Reads `expr` as one operation, and sets `*value` to the operand that is not a number. nullopt
/// for anything but casts from integers and pure operations on integers.
std::optional<ChainStep> AsChainStep(const Expr* expr, const NumberOf& number_of,
                                     const Expr** value);

/// If `expr` is `chain` applied to an expression, returns that expression; else null.
const Expr* MatchChain(const Expr* expr, const Chain& chain, const NumberOf& number_of);

/// True if every operation is a cast of integers, a sum or a difference.
bool IsCheap(const Chain& chain);

/// A value of type `wide` is `chain` applied to `Cast(cut, n)`, plus `offset`, where n is the
/// stored number. Without a chain, `cut` is `wide`.
struct Encoding {
  DataType wide;
  DataType narrow;
  DataType cut;
  Chain chain;
  int64_t offset = 0;
  /// Holds all n.
  Interval stored;
};

/// The expression for the value that `load`, of the narrow type, encodes. Without a
/// chain it may have lanes.
const Expr* Decoded(NodeBuilder& builder, const Encoding& encoding, const Expr* load);
/// The value of a stored number; nullopt if an operation has no result.
std::optional<ScalarValue> DecodedNumber(Context& context, const Encoding& encoding,
                                         int64_t stored);
/// A number of the type `cut` that encodes the integer `value`; nullopt if none was found.
std::optional<int64_t> EncodedNumber(Context& context, const Encoding& encoding, int64_t value);

/// The smallest of int8, uint8, int16 and uint16 that holds the interval and has fewer bytes than
/// `wide`. With `only_signed`, of int8 and int16.
std::optional<DataType> SmallestType(const Interval& values, DataType wide,
                                     bool only_signed = false);

/// Converts `expr`, whose value is known to fit `dtype`, to that type. Casts that keep these bits
/// are left out, and arms of choices are of that type.
const Expr* AsNarrow(NodeBuilder& builder, const Expr* expr, DataType dtype);

/// True for T.Select and T.if_then_else. Sets the condition and the two values.
bool IsChoice(const Expr* expr, const Expr** condition, const Expr** a, const Expr** b);
/// Makes a choice of the same kind as `like`.
const Expr* ChoiceLike(NodeBuilder& builder, const Expr* like, const Expr* condition, const Expr* a,
                       const Expr* b);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_ENCODING_H_
