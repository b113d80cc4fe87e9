// The decision of forward-producers, apart from its proofs. A value that is computed again must be
// cheap. A value that is read once must not keep a larger source alive that fuse-nests could make
// smaller.

#include "passes/fusion/forward_cost.h"

#include <algorithm>
#include <limits>

#include "arith/index_math.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// A value of more operations is not computed again for each of its readers.
constexpr int kMostRepeatedOperations = 4;

/// A reader computes no value of more operations. Each step along a chain of producers rewrites the
/// value, so that the time for a chain without a limit grows with the square of its length.
constexpr int kMostOperations = 512;

constexpr int64_t kMany = std::numeric_limits<int64_t>::max();

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMany : product;
}

/// The cost of computing a value.
struct ValueCost {
  int operations = 0;
  bool is_costly = false;
  /// Loads of one evaluation, from memory that may change and from constants.
  std::vector<const BufferLoad*> loads;
  int constant_loads = 0;
  /// The part of `loads` that every evaluation of the value makes.
  std::vector<const BufferLoad*> certain_loads;
};

bool IsCheap(const Call* call) {
  switch (call->op->kind) {
    case OpKind::kIfThenElse:
    case OpKind::kLikely:
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kBitwiseNot:
    case OpKind::kFabs:
    case OpKind::kReinterpret:
      return true;
    default:
      return false;
  }
}

void AddCostOfOne(const Expr* a, const Expr* b, const StmtRegion& region, ValueCost& cost);

void AddCost(const Expr* expr, bool is_certain, const StmtRegion& region, ValueCost& cost) {
  WithStack([&] {
    if (const auto* load = dyn_cast<BufferLoad>(expr)) {
      const bool is_constant = region.IsConstant(load->buffer->data);
      cost.constant_loads += is_constant ? 1 : 0;
      if (!is_constant) cost.loads.push_back(load);
      if (!is_constant && is_certain) cost.certain_loads.push_back(load);
      return;
    }
    const auto* call = dyn_cast<Call>(expr);
    if (call != nullptr && call->op->kind == OpKind::kIfThenElse) {
      AddCostOfOne(call->args[1], call->args[2], region, cost);
      return;
    }
    if (call != nullptr) cost.is_costly |= !IsCheap(call);
    cost.is_costly |=
        isa<Div>(expr) || isa<Mod>(expr) || isa<FloorDiv>(expr) || isa<FloorMod>(expr);
    if (call != nullptr || isa<Cast>(expr) || isa<Select>(expr) || BinaryExpr::ClassOf(expr))
      ++cost.operations;
    ForEachChild(expr, [&](const Node* child, FieldRole) {
      if (Expr::ClassOf(child)) AddCost(static_cast<const Expr*>(child), is_certain, region, cost);
    });
  });
}

/// Adds the cost of two values of which one is computed.
void AddCostOfOne(const Expr* a, const Expr* b, const StmtRegion& region, ValueCost& cost) {
  ValueCost first;
  ValueCost second;
  AddCost(a, false, region, first);
  AddCost(b, false, region, second);
  cost.operations += std::max(first.operations, second.operations);
  cost.is_costly |= first.is_costly || second.is_costly;
  cost.constant_loads += std::max(first.constant_loads, second.constant_loads);
  const auto& loads = first.loads.size() > second.loads.size() ? first.loads : second.loads;
  cost.loads.insert(cost.loads.end(), loads.begin(), loads.end());
}

/// The largest number of operations of a value that a statement stores.
int MostOperations(const Stmt* stmt, const StmtRegion& region) {
  int most = 0;
  Walk(stmt, [&](const Node* node) {
    if (const auto* store = dyn_cast<BufferStore>(node)) {
      ValueCost cost;
      AddCost(store->value, false, region, cost);
      most = std::max(most, cost.operations);
    }
    return Stmt::ClassOf(node);
  });
  return most;
}

/// The bytes of the buffer that a load reads, if only the producer's nest reads that buffer, each
/// element once: fuse-nests computes the value where the buffer is written. -1 for other loads.
int64_t BytesOfFusable(const ForwardCase& candidate, const BufferLoad* load) {
  const Allocate* allocate = candidate.region.Find(load->buffer->data);
  if (allocate == nullptr) return -1;
  for (const size_t i : candidate.region.UsesOf(load->buffer->data)) {
    const PointerUse& use = *candidate.region.accesses(i).Find(load->buffer->data);
    const bool is_other_reader = use.loads > (i == candidate.index ? 1 : 0) && use.stores == 0;
    if (use.escapes || is_other_reader) return -1;
  }
  const int64_t bytes = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
  const int64_t read = Times(candidate.producer.elements(), load->dtype.bytes());
  return read >= bytes ? bytes : -1;
}

/// True if the one reader is such a nest itself, and may run in the producer's place.
bool ReaderFollows(const ForwardCase& candidate, const FunctionStorage& storage) {
  if (candidate.readers.size() != 1) return false;
  const size_t reader = candidate.readers[0];
  if (!Producer::Of(candidate.region.stmt(reader))) return false;
  for (size_t i = candidate.index + 1; i < reader; ++i) {
    if (Conflict(candidate.region.accesses(i), candidate.region.accesses(reader), storage))
      return false;
  }
  return true;
}

/// All loads that a case's readers make of its values.
int64_t ReadsOf(const ForwardCase& candidate) {
  int64_t reads = 0;
  for (const size_t reader : candidate.readers) {
    const int64_t more =
        CountLoads(candidate.region.stmt(reader), candidate.producer.store()->buffer->data);
    if (__builtin_add_overflow(reads, more, &reads)) reads = kMany;
  }
  return reads;
}

}  // namespace

bool IsMove(const FusionTools& tools, const Producer& producer) {
  const BufferStore* store = producer.store();
  const auto* load = dyn_cast<BufferLoad>(store->value);
  if (load == nullptr || load->indices.size() != 1 || store->indices.size() != 1 ||
      load->indices[0]->dtype != store->indices[0]->dtype || !load->dtype.is_scalar())
    return false;
  const Expr* difference = IndexMath(tools.builder, {}).Sub(load->indices[0], store->indices[0]);
  return !tools.analyzer.ConstValue(difference).has_value();
}

bool IsReadOften(const ForwardCase& candidate) {
  constexpr int64_t kOften = 16;
  const BufferStore* store = candidate.producer.store();
  const auto* load = dyn_cast<BufferLoad>(store->value);
  const Allocate* source = load == nullptr ? nullptr : candidate.region.Find(load->buffer->data);
  if (source == nullptr) return false;
  const int64_t bytes = Times(candidate.producer.elements(), store->buffer->dtype.bytes());
  return StaticBytes(source->dtype, source->extents).value_or(0) >= bytes &&
         ReadsOf(candidate) / kOften >= candidate.producer.elements();
}

bool IsWorthForwarding(const ForwardCase& candidate, const FunctionStorage& storage) {
  const BufferStore* store = candidate.producer.store();
  ValueCost cost;
  AddCost(store->value, true, candidate.region, cost);
  if (cost.operations == 0 && !cost.is_costly &&
      cost.loads.size() + static_cast<size_t>(cost.constant_loads) <= 1)
    return true;
  for (const size_t reader : candidate.readers) {
    if (MostOperations(candidate.region.stmt(reader), candidate.region) + cost.operations >
        kMostOperations)
      return false;
  }
  const int64_t reads = ReadsOf(candidate);
  const int64_t bytes = Times(candidate.producer.elements(), store->buffer->dtype.bytes());
  const bool once = reads <= candidate.producer.elements();
  if (!once && (cost.is_costly || cost.loads.size() > 1 || cost.constant_loads > 1 ||
                cost.operations > kMostRepeatedOperations))
    return false;
  return std::all_of(cost.certain_loads.begin(), cost.certain_loads.end(),
                     [&](const BufferLoad* load) {
                       const int64_t source = BytesOfFusable(candidate, load);
                       if (source < 0) return true;
                       if (!once) return source < bytes;
                       return source <= bytes || ReaderFollows(candidate, storage);
                     });
}

}  // namespace tenon
