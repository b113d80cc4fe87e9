// Candidates of axes: each loop that may be innermost, with the loops that continue it in both
// matrices. All combinations are tried, and the largest product is chosen.

#include "byoc/generators/matrix_product.h"

#include <algorithm>
#include <limits>

namespace tenon {

namespace {

/// Loops that together are one axis of two matrices: their iterations move through both in even
/// steps.
struct Axis {
  std::vector<int> loops;
  int64_t extent = 1;
  int64_t first = 0;   ///< stride in the first matrix
  int64_t second = 0;  ///< stride in the second matrix
};

class Finder {
 public:
  Finder(const Computation& computation, const ProductOfLoops& product)
      : computation_(computation), product_(product) {}

  std::optional<MatrixProduct> Find() {
    Sort();
    std::optional<MatrixProduct> best;
    for (const Axis& m : Axes(rows_, product_.a, product_.c)) {
      for (const Axis& n : Axes(columns_, product_.b, product_.c)) {
        for (const Axis& k : Axes(sums_, product_.a, product_.b)) {
          for (const bool is_swapped : {false, true}) {
            std::optional<MatrixProduct> found = Build(m, n, k, is_swapped);
            if (found && (!best || found->size() > best->size())) best = std::move(found);
          }
        }
      }
    }
    return best;
  }

 private:
  int64_t ExtentOf(int loop) const { return computation_.loops[static_cast<size_t>(loop)].extent; }

  void Sort() {
    for (const int loop : product_.kept) {
      if (ExtentOf(loop) == 1) continue;
      const bool in_a = product_.a.stride(loop) != 0;
      const bool in_b = product_.b.stride(loop) != 0;
      if (in_a && !in_b) rows_.push_back(loop);
      if (in_b && !in_a) columns_.push_back(loop);
      // All other loops stay outside.
    }
    for (const int loop : product_.summed) {
      if (ExtentOf(loop) == 1) continue;
      if (product_.a.stride(loop) != 0 && product_.b.stride(loop) != 0) sums_.push_back(loop);
    }
  }

  /// The axes: one for each loop that may be the innermost, and one without loops.
  std::vector<Axis> Axes(const std::vector<int>& loops, const LinearIndex& first,
                         const LinearIndex& second) const {
    std::vector<Axis> axes;
    for (const int inner : loops) {
      Axis axis{{inner}, ExtentOf(inner), first.stride(inner), second.stride(inner)};
      if (axis.first < 0 || axis.second < 0) continue;
      for (bool grew = true; grew;) {
        grew = false;
        for (const int loop : loops) {
          if (std::find(axis.loops.begin(), axis.loops.end(), loop) != axis.loops.end()) continue;
          if (first.stride(loop) != axis.first * axis.extent ||
              second.stride(loop) != axis.second * axis.extent)
            continue;
          axis.loops.push_back(loop);
          axis.extent *= ExtentOf(loop);
          grew = true;
        }
      }
      if (axis.extent <= std::numeric_limits<int32_t>::max()) axes.push_back(std::move(axis));
    }
    axes.push_back({});
    return axes;
  }

  /// The index without the loops of the product's axes.
  LinearIndex StartOf(const LinearIndex& index, const Axis& one, const Axis& other) const {
    LinearIndex start;
    start.offset = index.offset;
    for (const auto& [loop, stride] : index.terms) {
      const auto has = [loop = loop](const Axis& axis) {
        return std::find(axis.loops.begin(), axis.loops.end(), loop) != axis.loops.end();
      };
      if (!has(one) && !has(other) && ExtentOf(loop) > 1) start.terms.emplace_back(loop, stride);
    }
    return start;
  }

  /// Sets `transposed` and `leading`; false if no axis has stride 1, or rows overlap.
  static bool Describe(Matrix& matrix, int64_t rows, int64_t columns) {
    for (const bool transposed : {false, true}) {
      const int64_t width = transposed ? rows : columns;
      const int64_t height = transposed ? columns : rows;
      const int64_t inner = transposed ? matrix.row_stride : matrix.column_stride;
      const int64_t outer = transposed ? matrix.column_stride : matrix.row_stride;
      if (width > 1 && inner != 1) continue;
      const int64_t leading = height == 1 ? width : outer;
      if (leading < width || leading > std::numeric_limits<int32_t>::max()) continue;
      matrix.transposed = transposed;
      matrix.leading = leading;
      return true;
    }
    return false;
  }

  std::optional<MatrixProduct> Build(const Axis& rows, const Axis& columns, const Axis& sums,
                                     bool is_swapped) const {
    MatrixProduct made;
    made.is_swapped = is_swapped;
    const Axis& m = is_swapped ? columns : rows;
    const Axis& n = is_swapped ? rows : columns;
    made.m = m.extent;
    made.n = n.extent;
    made.k = sums.extent;
    made.a.row_stride = m.first;
    made.a.column_stride = is_swapped ? sums.second : sums.first;
    made.b.row_stride = is_swapped ? sums.first : sums.second;
    made.b.column_stride = n.first;
    made.c.row_stride = m.second;
    made.c.column_stride = n.second;
    if (!Describe(made.a, made.m, made.k) || !Describe(made.b, made.k, made.n) ||
        !Describe(made.c, made.m, made.n))
      return std::nullopt;
    if (made.c.transposed && made.m > 1 && made.n > 1) return std::nullopt;
    made.a.start = StartOf(is_swapped ? product_.b : product_.a, m, sums);
    made.b.start = StartOf(is_swapped ? product_.a : product_.b, n, sums);
    made.c.start = StartOf(product_.c, m, n);
    const auto rest = [&](const std::vector<int>& all, const Axis& one, const Axis& other) {
      std::vector<int> left;
      for (const int loop : all) {
        const bool is_inside =
            std::find(one.loops.begin(), one.loops.end(), loop) != one.loops.end() ||
            std::find(other.loops.begin(), other.loops.end(), loop) != other.loops.end();
        if (!is_inside && ExtentOf(loop) > 1) left.push_back(loop);
      }
      return left;
    };
    made.outer = rest(product_.kept, m, n);
    made.outer_sums = rest(product_.summed, sums, sums);
    return made;
  }

  const Computation& computation_;
  const ProductOfLoops& product_;
  std::vector<int> rows_, columns_, sums_;
};

}  // namespace

std::optional<MatrixProduct> AsMatrixProduct(const Computation& computation,
                                             const ProductOfLoops& product) {
  return Finder(computation, product).Find();
}

LinearIndex CompactIndex(const Computation& computation, const std::vector<int>& loops) {
  LinearIndex index;
  int64_t stride = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    index.terms.emplace_back(loops[i], stride);
    stride *= computation.loops[static_cast<size_t>(loops[i])].extent;
  }
  std::sort(index.terms.begin(), index.terms.end());
  return index;
}

}  // namespace tenon
