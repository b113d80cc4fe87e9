#ifndef TENON_BYOC_GENERATORS_CUDA_KERNEL_H_
#define TENON_BYOC_GENERATORS_CUDA_KERNEL_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/computation.h"
#include "byoc/generators/cuda/step_writer.h"

// Kernels for claims: one thread for some elements, or some threads for a row.

namespace tenon {

/// The most operands of a kernel: TN_ARGS of tenon_cuda_device.h.
inline constexpr size_t kMostKernelOperands = 16;

/// The widest access of a thread in bytes.
inline constexpr int64_t kWidestAccess = 16;

struct DeviceKernel {
  /// The words of its name: `elements`, `rows`.
  std::string kind;
  /// The definition, with kKernelName in place of its name. Kernels with equal sources are one
  /// kernel.
  std::string text;
  int threads = 128;
  int64_t blocks = 1;
  /// The operands of the claim that it receives, in order.
  std::vector<int> operands;
  /// A table that it receives after them; empty: none.
  std::vector<uint16_t> table = {};
};

/// The placeholder for the name of a kernel in its source.
inline constexpr std::string_view kKernelName = "@kernel@";

/// The known alignment of each operand in bytes.
using OperandAlignments = std::vector<int64_t>;

/// Computes one store of a claim. A thread computes neighbouring elements, with their reductions in
/// the order of the claim. Functions have the bits of the C library: if the dialect lacks one, the
/// value must depend on one small float, so that a table has it (`table_of`).
DeviceKernel ElementKernel(const Computation& all, const ComputationStore& store,
                           const OperandAlignments& alignments);

/// A table of all results of a store whose value depends on one element of 16-bit floats, indexed
/// by the element's bits; empty if the value does not, or if it needs no function.
std::vector<uint16_t> ValueTable(const Computation& all, const ComputationStore& store);

/// True if a store is 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) of one element of 16-bit
/// floats, for all finite ones within the bound that --externals=both allows for such floats.
bool IsTanhGelu(const Computation& all, const ComputationStore& store);

/// A claim whose reductions run over the elements of a row, and whose stores write rows, or one
/// element for each row.
struct RowForm {
  /// The claim with one set of loops for the elements of a row, and with equal steps merged.
  Computation all;
  std::vector<int> kept;
  std::vector<int> row;
};

/// Nullopt if a claim does not have that form, or its rows are too long for registers.
std::optional<RowForm> AsRows(const Computation& all);

/// Computes all stores of a claim. Sums are added up in a tree of fixed form.
DeviceKernel RowKernel(const RowForm& form, const OperandAlignments& alignments);

/// The parts that kernels share.
class KernelText {
 public:
  KernelText(const Computation& all, const OperandAlignments& alignments)
      : all_(all), alignments_(alignments) {}

  /// Declares a pointer for each operand of `accesses`, and returns these operands.
  std::vector<int> Pointers(const std::vector<int>& accesses, const std::vector<int>& written,
                            CodeText& code) const;
  /// True if `width` neighbours along the loop are one aligned piece of memory.
  bool IsPiece(int access, int loop, int64_t width) const;
  /// Adds the accesses that the value of a step reads in every case, and once, to `certain`, and
  /// all that it may read to `all`.
  void Reads(int step, std::vector<int>& certain, std::vector<int>& all) const;
  int64_t ElementBytes(int access) const;
  std::string_view ElementOf(int access) const;

 private:
  void Reads(int step, bool is_certain, std::vector<int>& certain, std::vector<int>& all,
             std::set<std::pair<int, bool>>& seen) const;

  const Computation& all_;
  const OperandAlignments& alignments_;
};

/// Writes counters of loops, the outermost first, from the number `at` of an iteration.
void DecodeLoops(const Computation& all, const std::vector<int>& loops, const std::string& at,
                 StepWriter& writer, CodeText& code);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_KERNEL_H_
