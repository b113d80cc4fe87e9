// The kernel follows FlashAttention's idea: tiles of keys, a running maximum, and a running sum. A
// block has 64 queries of one head. Scores and probabilities are not rounded to float16 in between.

#include "byoc/generators/cuda/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ir/builtins.h"
#include "schedule/step_facts.h"
#include "tenon_cuda_kernels.h"

namespace tenon {

namespace {

constexpr int64_t kQueriesOfBlock = 64;
/// Elements of 16 bytes.
constexpr int64_t kPiece = 8;

const DataType kHalf = DataType::Float(16);
const DataType kSingle = DataType::Float(32);

/// Reads a claim by its steps.
class Claim {
 public:
  explicit Claim(const Computation& all) : all_(all) {}

  const Step& At(int step) const { return all_.steps[static_cast<size_t>(step)]; }
  bool IsNode(int at, NodeKind node, DataType dtype) const {
    return At(at).kind == StepKind::kNode && At(at).node == node && At(at).dtype == dtype;
  }
  /// The access of a half that is cast to float32; -1 for other steps.
  int CastRead(int at) const {
    if (!IsNode(at, NodeKind::kCast, kSingle)) return -1;
    const Step& read = At(At(at).args[0]);
    const bool is_plain = read.kind == StepKind::kRead && read.dtype == kHalf;
    return is_plain && Element(read.access).divisor == 1 ? read.access : -1;
  }
  const LinearIndex& Element(int access) const {
    return all_.accesses[static_cast<size_t>(access)].element;
  }
  int Operand(int access) const { return all_.accesses[static_cast<size_t>(access)].operand; }
  int64_t Extent(int loop) const { return LoopExtent(all_, loop); }
  const Computation& all() const { return all_; }

 private:
  const Computation& all_;
};

/// The loops of a sum of products by their purpose; -1 for none.
struct AttentionLoops {
  int batch = -1, head = -1, row = -1, column = -1, summed = -1;
};

/// One store of a sum of products of two halves.
struct HalfProduct {
  AttentionLoops loops;
  int first = -1, second = -1;
  int store = -1;
};

AttentionTensor TensorOf(const Claim& claim, int access, const AttentionLoops& loops, int row,
                         int column) {
  const LinearIndex& element = claim.Element(access);
  const auto stride = [&](int loop) { return loop < 0 ? 0 : element.stride(loop); };
  return {claim.Operand(access), element.offset, stride(loops.batch),
          stride(loops.head),    stride(row),    stride(column)};
}

std::optional<HalfProduct> ReadProduct(const OpInfo& op) {
  const Claim claim(op.computation);
  if (op.contraction < 0 || op.computation.stores.size() != 1) return std::nullopt;
  const Step& sum = claim.At(op.contraction);
  if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd || sum.dtype != kSingle ||
      !IsPositiveZero(claim.At(sum.args[0])) || sum.loops.size() != 1 ||
      !claim.IsNode(sum.args[1], NodeKind::kMul, kSingle))
    return std::nullopt;
  HalfProduct product;
  product.first = claim.CastRead(claim.At(sum.args[1]).args[0]);
  product.second = claim.CastRead(claim.At(sum.args[1]).args[1]);
  if (product.first < 0 || product.second < 0) return std::nullopt;
  const ComputationStore& store = op.computation.stores[0];
  product.store = store.access;
  product.loops.summed = sum.loops[0];
  for (const int loop : store.loops) {
    const bool in_first = claim.Element(product.first).stride(loop) != 0;
    const bool in_second = claim.Element(product.second).stride(loop) != 0;
    int* place = in_first && !in_second   ? &product.loops.row
                 : in_second && !in_first ? &product.loops.column
                 : product.loops.head < 0 ? &product.loops.head
                                          : &product.loops.batch;
    if ((!in_first && !in_second) || *place >= 0) return std::nullopt;
    *place = loop;
  }
  if (product.loops.row < 0 || product.loops.column < 0) return std::nullopt;
  // The batch moves farther than the head.
  const LinearIndex& to = claim.Element(product.store);
  AttentionLoops& loops = product.loops;
  if (loops.batch >= 0 && to.stride(loops.batch) < to.stride(loops.head))
    std::swap(loops.batch, loops.head);
  return product;
}

/// Rows one after the other: [batch, head, row, column].
bool IsCompact(const AttentionTensor& tensor, const AttentionForm& form) {
  return tensor.offset == 0 && tensor.column == 1 && tensor.row == form.keys &&
         (form.heads == 1 || tensor.head == form.keys * form.queries) &&
         (form.batches == 1 || tensor.batch == form.keys * form.queries * form.heads);
}

/// Reads `float16(sum * scale + mask)` of the scores.
bool ReadScores(const OpInfo& op, const HalfProduct& product, AttentionForm& form) {
  const Claim claim(op.computation);
  int at = op.computation.stores[0].step;
  if (!claim.IsNode(at, NodeKind::kCast, kHalf)) return false;
  at = claim.At(at).args[0];
  if (claim.IsNode(at, NodeKind::kAdd, kSingle)) {
    const bool is_left = claim.CastRead(claim.At(at).args[1]) >= 0;
    const int mask = claim.CastRead(claim.At(at).args[is_left ? 1 : 0]);
    if (mask < 0) return false;
    form.mask = TensorOf(claim, mask, product.loops, product.loops.row, product.loops.column);
    if (form.mask->column != 1) return false;
    at = claim.At(at).args[is_left ? 0 : 1];
  }
  if (claim.IsNode(at, NodeKind::kMul, kSingle)) {
    const Step& factor = claim.At(claim.At(at).args[1]);
    if (factor.kind != StepKind::kReal || factor.real <= 0) return false;
    form.scale = static_cast<float>(factor.real);
    at = claim.At(at).args[0];
  }
  return at == op.contraction;
}

/// True for float16(exp(x - max(x)) / sum(exp(x - max(x)))) of rows one after the other.
bool IsSoftmax(const OpInfo& op, const AttentionForm& form) {
  const std::optional<RowForm> rows = AsRows(op.computation);
  if (!rows || rows->all.stores.size() != 1 || rows->row.size() != 1) return false;
  const Claim claim(rows->all);
  const ComputationStore& store = rows->all.stores[0];
  const int row = rows->row[0];
  if (!claim.IsNode(store.step, NodeKind::kCast, kHalf)) return false;
  const int quotient = claim.At(store.step).args[0];
  if (!claim.IsNode(quotient, NodeKind::kDiv, kSingle)) return false;
  const int power = claim.At(quotient).args[0];
  const Step& sum = claim.At(claim.At(quotient).args[1]);
  if (sum.kind != StepKind::kReduce || sum.node != NodeKind::kAdd || sum.args[1] != power ||
      !IsPositiveZero(claim.At(sum.args[0])))
    return false;
  const Step& exp = claim.At(power);
  if (exp.kind != StepKind::kCall || exp.op != OpKind::kExp ||
      !claim.IsNode(exp.args[0], NodeKind::kSub, kSingle))
    return false;
  const int value = claim.At(exp.args[0]).args[0];
  const Step& most = claim.At(claim.At(exp.args[0]).args[1]);
  const int access = claim.CastRead(value);
  if (access < 0 || most.kind != StepKind::kReduce || most.node != NodeKind::kMax ||
      most.args[1] != value || claim.At(most.args[0]).kind != StepKind::kReal ||
      claim.At(most.args[0]).real > -65504)
    return false;
  const auto is_rows = [&](int of) {
    const LinearIndex& element = claim.Element(of);
    if (element.offset != 0 || element.divisor != 1 || element.stride(row) != 1) return false;
    int64_t next = form.keys;
    for (size_t i = rows->kept.size(); i-- > 0;) {
      const int64_t extent = claim.Extent(rows->kept[i]);
      if (extent != 1 && element.stride(rows->kept[i]) != next) return false;
      next *= extent;
    }
    return next == form.keys * form.queries * form.heads * form.batches;
  };
  return claim.Extent(row) == form.keys && is_rows(access) && is_rows(store.access);
}

/// True if rows of the tensor can be copied by 16 bytes.
bool HasPieces(const AttentionTensor& tensor) {
  return tensor.column == 1 && tensor.offset % kPiece == 0 && tensor.batch % kPiece == 0 &&
         tensor.head % kPiece == 0 && tensor.row % kPiece == 0;
}

}  // namespace

std::optional<AttentionForm> AsAttention(const OpInfo& scores, const OpInfo& softmax,
                                         const OpInfo& context) {
  const std::optional<HalfProduct> first = ReadProduct(scores);
  const std::optional<HalfProduct> second = ReadProduct(context);
  if (!first || !second) return std::nullopt;
  const Claim one(scores.computation);
  const Claim two(context.computation);
  const auto extent = [](const Claim& claim, int loop) {
    return loop < 0 ? 1 : claim.Extent(loop);
  };
  AttentionForm form;
  form.batches = extent(one, first->loops.batch);
  form.heads = extent(one, first->loops.head);
  form.queries = extent(one, first->loops.row);
  form.keys = extent(one, first->loops.column);
  form.size = extent(one, first->loops.summed);
  if (form.size != 64 && form.size != 128) return std::nullopt;
  form.q = TensorOf(one, first->first, first->loops, first->loops.row, first->loops.summed);
  form.k = TensorOf(one, first->second, first->loops, first->loops.column, first->loops.summed);
  const AttentionTensor written =
      TensorOf(one, first->store, first->loops, first->loops.row, first->loops.column);
  // The loops of the context, by their distances in the probabilities.
  AttentionLoops loops = second->loops;
  const LinearIndex& read = two.Element(second->first);
  if (loops.batch >= 0 && read.stride(loops.batch) < read.stride(loops.head))
    std::swap(loops.batch, loops.head);
  form.probabilities = TensorOf(two, second->first, loops, loops.row, loops.summed);
  form.v = TensorOf(two, second->second, loops, loops.summed, loops.column);
  form.result = TensorOf(two, second->store, loops, loops.row, loops.column);
  const int stored = context.computation.stores[0].step;
  const bool is_rounded =
      two.IsNode(stored, NodeKind::kCast, kHalf) && two.At(stored).args[0] == context.contraction;
  const bool is_one_form =
      extent(two, loops.batch) == form.batches && extent(two, loops.head) == form.heads &&
      extent(two, loops.row) == form.queries && extent(two, loops.summed) == form.keys &&
      extent(two, loops.column) == form.size;
  if (!is_rounded || !is_one_form || !IsCompact(written, form) ||
      !IsCompact(form.probabilities, form) || !ReadScores(scores, *first, form) ||
      !IsSoftmax(softmax, form))
    return std::nullopt;
  for (const AttentionTensor* tensor : {&form.q, &form.k, &form.v, &form.result}) {
    if (!HasPieces(*tensor)) return std::nullopt;
  }
  return form;
}

DeviceKernel AttentionKernel(const AttentionForm& form) {
  DeviceKernel kernel;
  kernel.kind = "attention";
  const int64_t tiles = (form.queries + kQueriesOfBlock - 1) / kQueriesOfBlock;
  // Two stages of keys and values fit into the 48 KB that every kernel may have.
  const int64_t tile = form.size == 64 ? 64 : 32;
  kernel.blocks = tiles * form.heads * form.batches;
  std::string text =
      fmt::format("TN_KERNEL({}, {}) {{\n  tn_begin();\n", kKernelName, kernel.threads);
  const auto number = [&](std::string_view name, int64_t value) {
    text += fmt::format("  constexpr int {} = {};\n", name, value);
  };
  const auto tensor = [&](std::string_view name, const AttentionTensor& of) {
    number(fmt::format("k{}", name), of.offset);
    number(fmt::format("k{}Batch", name), of.batch);
    number(fmt::format("k{}Head", name), of.head);
    number(fmt::format("k{}Row", name), of.row);
  };
  number("kSize", form.size);
  number("kTile", tile);
  number("kHeads", form.heads);
  number("kQueries", form.queries);
  number("kKeys", form.keys);
  number("kQueryTiles", tiles);
  number("kKeyTiles", (form.keys + tile - 1) / tile);
  tensor("Q", form.q);
  tensor("K", form.k);
  tensor("V", form.v);
  tensor("To", form.result);
  tensor("Mask", form.mask.value_or(AttentionTensor()));
  text += fmt::format("  constexpr bool kHasMask = {};\n", form.mask.has_value());
  // Powers of 2 instead of e.
  text += fmt::format("  constexpr float kScale = {:.9g}f * 1.44269504f;\n",
                      static_cast<double>(form.scale));
  kernel.text = text + std::string(kAttentionKernelText);
  const int operands = form.mask ? 5 : 4;
  for (int i = 0; i < operands; ++i) kernel.operands.push_back(i);
  return kernel;
}

}  // namespace tenon
