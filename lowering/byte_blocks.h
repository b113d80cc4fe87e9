#ifndef TENON_LOWERING_BYTE_BLOCKS_H_
#define TENON_LOWERING_BYTE_BLOCKS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

// Internal to lowering: sums of products of 8-bit integers that share their factors. Back ends for
// processors with few registers choose the register of each number themselves.

namespace tenon {

/// The factors of a block that one pointer reaches.
struct ByteFactors {
  /// The load of the factor with the lowest address in the first iteration. Other factors are given
  /// by their distance from it, in bytes.
  const BufferLoad* first = nullptr;
  /// The bytes from one iteration to the next.
  int64_t stride = 0;
  /// The largest distance of a factor.
  int64_t reach = 0;
};

/// A product that is added to a sum. The factors are numbers of ByteStep::kept and
/// ByteStep::streamed.
struct ByteProduct {
  size_t sum = 0;
  size_t kept = 0;
  size_t streamed = 0;
};

/// Products that have no factor in common with products of other steps.
struct ByteStep {
  /// Distances of factors, in ascending order.
  std::vector<int64_t> kept;
  std::vector<int64_t> streamed;
  /// In the order of their streamed factors.
  std::vector<ByteProduct> products;
};

/// Sums to which each iteration adds products of 8-bit integers. Each product has one factor of
/// `kept`, of which few are needed at a time, and one of `streamed`.
struct ByteBlock {
  /// Sums of 32 bits, in allocations of one element. Sums wrap.
  std::vector<const BufferLoad*> sums;
  ByteFactors kept;
  ByteFactors streamed;
  std::vector<ByteStep> steps;
  /// 1 if there is no loop.
  int64_t iterations = 1;

  /// The largest number of kept factors in a step.
  size_t most_kept() const;
};

/// The block of a loop; nullopt if the loop does anything else, or if few products share factors.
std::optional<ByteBlock> FindByteBlock(Analyzer& analyzer, const For* loop);
/// The block of statements of a sequence, from the first one on; `count` becomes their number.
std::optional<ByteBlock> FindByteBlock(Analyzer& analyzer, Span<const Stmt*> stmts, size_t& count);

}  // namespace tenon

#endif  // TENON_LOWERING_BYTE_BLOCKS_H_
