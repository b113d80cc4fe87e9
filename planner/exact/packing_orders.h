#ifndef TENON_PLANNER_EXACT_PACKING_ORDERS_H_
#define TENON_PLANNER_EXACT_PACKING_ORDERS_H_

// Internal: the orders in which the exact search tries items.

#include <cstdint>
#include <vector>

#include "planner/exact/packing.h"
#include "planner/tvm/rand_r.h"

namespace tenon::planner {

/// A portfolio of orders by size, life and neighbours, with random noise. Items of sections that
/// refuted many placements are favoured (like the weights of constraints in Boussemart, Hemery,
/// Lecoutre and Sais, "Boosting systematic search by weighting constraints", ECAI 2004).
class PackingOrders {
 public:
  explicit PackingOrders(const Packing& packing);

  /// The number of different orders without noise and weights.
  static int32_t count();

  /// Order number `kind`. `noise` is the largest change of a key, in thousandths; `pull` is the
  /// factor, minus one, for items in the section that failed most.
  std::vector<int32_t> Make(int32_t kind, int32_t noise, int32_t pull,
                            const std::vector<int64_t>& failures);

  /// The order by `offsets`, lowest first, each with noise of up to `noise` thousandths of the
  /// highest.
  std::vector<int32_t> Near(const std::vector<int64_t>& offsets, int32_t noise);

 private:
  double Key(char letter, int32_t item, double factor) const;

  const Packing& packing_;
  GlibcRandR random_{1};
  // The bytes of each item's largest section.
  std::vector<double> fullest_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PACKING_ORDERS_H_
