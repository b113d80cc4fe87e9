// Symbolic execution of one store at a time. Loops that the element does not mention become a
// reduction, if the store adds to its element. Reads of local tensors are replaced by their values,
// solved for digits.

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "analysis/arg_reduction.h"
#include "analysis/dataflow_internal.h"
#include "fmt/format.h"
#include "ir/buffer.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "support/stack.h"

namespace tenon {

namespace {

/// The limit on the nodes of a value; larger values are unknown.
constexpr int kMostGraphNodes = 1 << 17;

/// Converts the expressions of one stage.
class StageEvaluator {
 public:
  StageEvaluator(Dataflow& flow, int index)
      : flow_(flow),
        graph_(flow.graph),
        index_(index),
        stage_(flow.stages.stages[static_cast<size_t>(index)]) {}

  bool Evaluate() {
    if (!Begin()) return false;
    std::optional<int> value = Update();
    if (!value && flow_.because.empty()) value = Convert(stage_.store->value);
    if (!value) return flow_.Refuse("a stored value is not understood");
    result_.value = *value;
    NoteWrite();
    if (!result_.reduces && !StoresOnce()) return false;
    MergeDigits();
    flow_.values[static_cast<size_t>(stage_.tensor)].push_back(std::move(result_));
    return true;
  }

  /// Evaluates this stage, which keeps a place, and the next one, which keeps the value at that
  /// place.
  bool EvaluateWith(StageEvaluator& next) {
    if (!Begin() || !next.Begin()) return false;
    if (next.IsParam()) return flow_.Refuse("the place and the value of an element are results");
    const std::optional<ArgReduction> found = FindArgReduction(next);
    if (!found) return flow_.Refuse("a local tensor is read while it changes");
    const std::optional<int> place = ReadStart(found->place);
    const std::optional<int> value = place ? next.ReadStart(found->value) : std::nullopt;
    if (!value) return false;
    const std::vector<int> left = LeftOut();
    if (left != next.LeftOut() || graph_.DependsOn(*place, left) ||
        graph_.DependsOn(*value, left)) {
      return flow_.Refuse("the start of a sum changes with the sum's loops");
    }
    if (!Injective() || !next.Injective())
      return flow_.Refuse("two iterations may add to the same element");
    // A NaN replaces any value, so the order affects the result.
    if (graph_[*value].dtype.is_floating() && !CountsUp(found->place, left))
      return flow_.Refuse("its loops are not in the order of the places that it compares");
    result_.reduces = next.result_.reduces = true;
    result_.value = graph_.ArgReduce(found->kind, found->takes_greatest, left,
                                     {*place, *value, found->place, found->value});
    NoteWrite();
    next.NoteWrite();
    MergeDigits();
    flow_.values[static_cast<size_t>(stage_.tensor)].push_back(std::move(result_));
    flow_.values[static_cast<size_t>(next.stage_.tensor)].push_back(std::move(next.result_));
    return true;
  }

 private:
  /// Enters the loops and the conditions, and finds the written element.
  bool Begin() {
    EnterLoops();
    if (!EnterConditions()) return false;
    const BufferStore* store = stage_.store;
    std::optional<LinearIndex> element = Element(store->buffer, store->indices);
    if (!element) return flow_.Refuse("the index of a store is not linear in the loops");
    result_.stage = index_;
    result_.tensor = stage_.tensor;
    result_.element = *std::move(element);
    result_.fixed = fixed_;
    result_.merged = merged_;
    return true;
  }

  void NoteWrite() {
    flow_.accesses[static_cast<size_t>(stage_.tensor)].push_back(
        {index_, true, -1, result_.element});
  }

  bool IsParam() { return Tensor(stage_.tensor).kind == StageTensor::Kind::kParam; }

  /// The element that this stage replaces, as a separate value.
  int Kept(DataType dtype) { return graph_.Read(dtype, stage_.tensor, result_.element); }

  std::optional<ArgReduction> FindArgReduction(StageEvaluator& next) {
    const DataType place_dtype = stage_.store->value->dtype;
    const DataType value_dtype = next.stage_.store->value->dtype;
    kept_ = next.kept_ = {{index_, stage_.tensor, result_.element},
                          {next.index_, next.stage_.tensor, next.result_.element}};
    std::optional<int> place;
    std::optional<int> value;
    // Repeat until no digit is split: equal values are then one node.
    for (int splits = -1; splits != flow_.digits.splits();) {
      splits = flow_.digits.splits();
      place = Convert(stage_.store->value);
      value = place ? next.Convert(next.stage_.store->value) : std::nullopt;
    }
    kept_.clear();
    next.kept_.clear();
    if (!value) return std::nullopt;
    return MatchArgReduction(graph_, *place, *value, Kept(place_dtype), next.Kept(value_dtype));
  }

  /// The value of the element before the first iteration, for a reduction of `body`.
  std::optional<int> ReadStart(int body) {
    return Read(stage_.tensor, result_.element, graph_[body].dtype, /*of_sum=*/index_);
  }

  /// True if the index increases with each iteration of the digits, the outermost first.
  bool CountsUp(int index, const std::vector<int>& digits) {
    const LinearIndex form = flow_.digits.Normalised(graph_[index].form);
    int64_t reach = 0;
    for (size_t i = digits.size(); i-- > 0;) {
      const int64_t stride = form.stride(digits[i]);
      if (stride <= reach) return false;
      reach += stride * (flow_.digits.extent(digits[i]) - 1);
    }
    return form.divisor == 1;
  }

  std::nullopt_t Fail(std::string because) {
    flow_.Refuse(std::move(because));
    return std::nullopt;
  }
  StageTensor& Tensor(int tensor) { return flow_.stages.tensors[static_cast<size_t>(tensor)]; }

  void EnterLoops() {
    for (const int loop : stage_.loops) {
      const StageLoop& of = flow_.stages.loops[static_cast<size_t>(loop)];
      LinearIndex counter = flow_.digits.Normalised(of.counter);
      counter.offset += *AsIntImm(of.loop->min);
      flow_.forms.Define(of.loop->loop_var, std::move(counter));
    }
  }

  /// Handles conditions that hold only at the first or last iteration of loops, or that cut loops
  /// off.
  bool EnterConditions() {
    for (const StageCondition& condition : stage_.conditions) {
      if (!condition.holds || !EnterCondition(condition.condition))
        return flow_.Refuse("a store is under a condition that is not understood");
    }
    return true;
  }

  bool EnterCondition(const Expr* condition) {
    if (const auto* both = dyn_cast<And>(condition))
      return WithStack([&] { return EnterCondition(both->a); }) && EnterCondition(both->b);
    if (const auto* call = dyn_cast<Call>(condition);
        call != nullptr && call->op->kind == OpKind::kLikely)
      return EnterCondition(call->args[0]);
    const std::optional<int> node = Convert(condition);
    if (!node) return false;
    return Fix(*node);
  }

  bool Fix(int id) {
    const ValueNode node = graph_[id];
    if (node.kind == StepKind::kInteger) return node.integer != 0;
    if (node.kind != StepKind::kNode || node.args.size() != 2) return false;
    if (node.node == NodeKind::kAnd) {
      return WithStack([&] { return Fix(node.args[0]); }) && Fix(node.args[1]);
    }
    const ValueNode index = graph_[node.args[0]];
    const std::optional<int64_t> value = graph_.IntegerOf(node.args[1]);
    if (index.kind != StepKind::kIndex || !value) return false;
    const LinearIndex form = flow_.digits.Normalised(index.form);
    const auto bounds = flow_.digits.BoundsOf(form);
    if (!bounds || form.divisor != 1) return false;
    const bool equal = node.node == NodeKind::kEQ;
    const bool first = (equal && bounds->min == *value) ||
                       (node.node == NodeKind::kLT && *value == bounds->min + 1);
    const bool last = (equal || node.node == NodeKind::kGE) && bounds->max == *value;
    if (!first && !last) return node.node == NodeKind::kLT && Merge(form, *value);
    for (const auto& [digit, stride] : form.terms) {
      const bool greatest = first == (stride < 0);
      fixed_[digit] = greatest ? flow_.digits.extent(digit) - 1 : 0;
    }
    return true;
  }

  /// Merges the loops under `form < extent` into one loop.
  bool Merge(const LinearIndex& form, int64_t extent) {
    LinearIndex counts = form;
    std::sort(counts.terms.begin(), counts.terms.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    int64_t next = 1;
    for (const auto& [digit, stride] : counts.terms) {
      if (stride != next) return false;
      next *= flow_.digits.extent(digit);
    }
    if (form.offset != 0 || extent < 1 || extent > next) return false;
    for (size_t i = 0; i < flow_.merged.size(); ++i) {
      const MergedLoops& merged = flow_.merged[i];
      if (flow_.digits.Normalised(merged.sum) != form) continue;
      const int64_t known =
          merged.counter.terms.empty() ? 1 : flow_.digits.extent(merged.counter.terms[0].first);
      if (known != extent) continue;
      merged_.push_back(static_cast<int>(i));
      return true;
    }
    merged_.push_back(static_cast<int>(flow_.merged.size()));
    flow_.merged.push_back({form, flow_.digits.Count(extent)});
    return true;
  }

  /// The form over the merged loops; nullopt if it uses parts of them separately.
  std::optional<LinearIndex> InMerged(LinearIndex form) {
    for (const int merge : merged_) {
      const MergedLoops& merged = flow_.merged[static_cast<size_t>(merge)];
      const LinearIndex sum = flow_.digits.Normalised(merged.sum);
      std::optional<int64_t> factor;
      for (const auto& [digit, stride] : sum.terms) {
        const int64_t found = form.stride(digit);
        if (found % stride != 0) return std::nullopt;
        if (factor && *factor != found / stride) return std::nullopt;
        factor = found / stride;
      }
      if (!factor || *factor == 0) continue;
      if (form.divisor != 1) return std::nullopt;
      form.Drop([&](int digit) { return sum.stride(digit) != 0; });
      if (!flow_.digits.Accumulate(form, merged.counter, *factor)) return std::nullopt;
    }
    return form;
  }

  /// The form with digits replaced by the values that conditions give them.
  LinearIndex Fixed(const LinearIndex& given) {
    LinearIndex form = flow_.digits.Normalised(given);
    if (fixed_.empty()) return form;
    fixed_ = flow_.LeavesOf(fixed_);
    LinearIndex result = form;
    result.terms.clear();
    for (const auto& [digit, stride] : form.terms) {
      const auto found = fixed_.find(digit);
      if (found == fixed_.end()) {
        result.terms.emplace_back(digit, stride);
      } else {
        result.offset += stride * found->second;
      }
    }
    return result;
  }

  std::optional<LinearIndex> Index(const Expr* expr) {
    std::optional<LinearIndex> form = flow_.forms.Evaluate(expr, stage_.lane, known_);
    if (form) form = InMerged(Fixed(*form));
    return form;
  }
  std::optional<LinearIndex> Element(const Buffer* buffer, Span<const Expr*> indices) {
    std::optional<LinearIndex> form =
        ElementOf(buffer, indices, stage_.lane, known_, flow_.digits, flow_.forms);
    if (form) form = InMerged(Fixed(*form));
    return form;
  }

  /// The digits of the stage that are neither in its element nor in the tensor's loops.
  std::vector<int> LeftOut() {
    const std::vector<int> of_tensor = flow_.Merged(merged_, flow_.PrivateDigits(stage_.tensor));
    fixed_ = flow_.LeavesOf(fixed_);
    const LinearIndex element = flow_.digits.Normalised(result_.element);
    std::vector<int> left;
    for (const int digit : flow_.Merged(merged_, flow_.DigitsOfStage(stage_))) {
      if (fixed_.contains(digit) || element.stride(digit) != 0) continue;
      if (std::find(of_tensor.begin(), of_tensor.end(), digit) != of_tensor.end()) continue;
      left.push_back(digit);
    }
    return left;
  }

  bool StoresOnce() {
    if (!LeftOut().empty()) return flow_.Refuse("a loop stores to the same element more than once");
    if (!Injective()) return flow_.Refuse("two iterations may store to the same element");
    return true;
  }

  /// Merges loops that continue each other in both the element and the value: a nest may be split
  /// one way and read by a nest that is split another way.
  void MergeDigits() {
    const std::vector<int> own = flow_.Merged(merged_, flow_.PrivateDigits(stage_.tensor));
    const auto is_private = [&](int digit) {
      return std::find(own.begin(), own.end(), digit) != own.end();
    };
    for (bool merged = true; merged;) {
      merged = false;
      std::vector<LinearIndex> forms = graph_.FormsBelow(result_.value);
      forms.push_back(flow_.digits.Normalised(result_.element));
      const LinearIndex element = forms.back();
      for (const auto& [inner, step] : element.terms) {
        const int64_t extent = flow_.digits.extent(inner);
        for (const auto& [outer, stride] : element.terms) {
          if (stride != step * extent || is_private(inner) || is_private(outer)) continue;
          const bool everywhere =
              std::all_of(forms.begin(), forms.end(),
                          [&, outer = outer, inner = inner](const LinearIndex& form) {
                            return form.stride(outer) == form.stride(inner) * extent;
                          });
          if (everywhere) merged = Merge(inner, outer);
          if (merged) break;
        }
        if (merged) break;
      }
    }
  }

  bool Merge(int inner, int outer) {
    const LinearIndex counter =
        flow_.digits.Count(flow_.digits.extent(inner) * flow_.digits.extent(outer));
    ValueGraph::Substitution values{{{inner, counter}, {outer, LinearIndex()}},
                                    flow_.digits.splits()};
    const std::optional<int> value = graph_.Substitute(result_.value, values);
    LinearIndex element = flow_.digits.Normalised(result_.element);
    const int64_t step = element.stride(inner);
    element.Drop([&](int digit) { return digit == inner || digit == outer; });
    if (!value || !flow_.digits.Accumulate(element, counter, step)) return false;
    result_.value = *value;
    result_.element = std::move(element);
    return true;
  }

  bool Injective() {
    LinearIndex element = flow_.digits.Normalised(result_.element);
    for (const int digit : flow_.Merged(merged_, flow_.PrivateDigits(stage_.tensor))) {
      element.Drop([&](int one) { return one == digit; });
    }
    return flow_.digits.IsInjective(element);
  }

  bool IsSelf(const Expr* expr) {
    const auto* load = dyn_cast<BufferLoad>(expr);
    if (load == nullptr || load->buffer->data != stage_.store->buffer->data ||
        load->predicate != nullptr) {
      return false;
    }
    const std::optional<LinearIndex> form = Element(load->buffer, load->indices);
    return form && flow_.digits.Normalised(*form) == flow_.digits.Normalised(result_.element);
  }

  /// The operands of a chain of one operator; false if none of them is the element itself.
  bool Parts(const Expr* expr, NodeKind kind, std::vector<const Expr*>& parts, bool& self) {
    return WithStack([&] {
      if (const auto* binary = dyn_cast<BinaryExpr>(expr);
          binary != nullptr && binary->kind == kind) {
        return Parts(binary->a, kind, parts, self) && Parts(binary->b, kind, parts, self);
      }
      if (!IsSelf(expr)) {
        parts.push_back(expr);
        return true;
      }
      const bool again = self;
      self = true;
      return !again;
    });
  }

  /// The value of `T[x] = T[x] + ..`: a reduction over the digits that are not in x.
  std::optional<int> Update() {
    const auto* binary = dyn_cast<BinaryExpr>(stage_.store->value);
    if (binary == nullptr) return std::nullopt;
    switch (binary->kind) {
      case NodeKind::kAdd:
      case NodeKind::kMul:
      case NodeKind::kMin:
      case NodeKind::kMax:
      case NodeKind::kAnd:
      case NodeKind::kOr:
        break;
      default:
        return std::nullopt;
    }
    std::vector<const Expr*> parts;
    bool self = false;
    if (!Parts(binary, binary->kind, parts, self) || !self || parts.empty()) return std::nullopt;
    if (parts.size() > 1 && KeepsOrder(binary->dtype))
      return Fail("a sum of floats adds several numbers at once");
    std::optional<int> body;
    for (const Expr* part : parts) {
      const std::optional<int> next = Convert(part);
      if (!next) return std::nullopt;
      body = body ? graph_.Binary(binary->kind, *body, *next) : *next;
    }
    const DataType dtype = graph_[*body].dtype;
    const std::optional<int> init = Read(stage_.tensor, result_.element, dtype, /*of_sum=*/index_);
    if (!init) return std::nullopt;
    const std::vector<int> left = LeftOut();
    const StepKind kind = graph_[*init].kind;
    const bool constant = kind == StepKind::kInteger || kind == StepKind::kReal;
    // A value that changes once: the order of the operations stays.
    if (left.empty() && !constant) return std::nullopt;
    if (graph_.DependsOn(*init, left))
      return Fail("the start of a sum changes with the sum's loops");
    if (!Injective()) return Fail("two iterations may add to the same element");
    result_.reduces = true;
    return Reduce(binary->kind, left, *init, *body, !IsSelf(binary->a));
  }

  bool KeepsOrder(DataType dtype) const { return flow_.options.keeps_order && dtype.is_floating(); }

  int Neutral(NodeKind kind, DataType dtype) {
    if (dtype.is_floating()) {
      const double infinity = std::numeric_limits<double>::infinity();
      const double value = kind == NodeKind::kAdd   ? 0
                           : kind == NodeKind::kMul ? 1
                           : kind == NodeKind::kMin ? infinity
                                                    : -infinity;
      return graph_.Real(dtype, value);
    }
    const int bits = dtype.bits();
    int64_t value = 0;
    if (kind == NodeKind::kMul || kind == NodeKind::kAnd) value = 1;
    if (kind == NodeKind::kMin) {
      value = dtype.is_int() ? static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1)
              : bits == 64   ? -1
                             : static_cast<int64_t>((uint64_t{1} << bits) - 1);
    }
    if (kind == NodeKind::kMax && dtype.is_int())
      value = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1));
    return graph_.Integer(dtype, value);
  }

  /// Merges nested sums, and moves a start value into the sum.
  int Reduce(NodeKind kind, std::vector<int> digits, int init, int body,
             bool is_value_first = false) {
    if (KeepsOrder(graph_[body].dtype))
      return graph_.Reduce(kind, std::move(digits), init, body, is_value_first);
    const ValueNode inner = graph_[body];
    if (inner.kind == StepKind::kReduce && inner.node == kind &&
        inner.args[0] == Neutral(kind, inner.dtype)) {
      digits.insert(digits.end(), inner.digits.begin(), inner.digits.end());
      return Reduce(kind, std::move(digits), init, inner.args[1]);
    }
    const StepKind start = graph_[init].kind;
    if (start == StepKind::kInteger || start == StepKind::kReal)
      return graph_.Reduce(kind, std::move(digits), init, body);
    const int neutral = Neutral(kind, graph_[body].dtype);
    return graph_.Binary(kind, init, graph_.Reduce(kind, std::move(digits), neutral, body));
  }

  /// The value of a tensor's element when this stage reads it. `of_sum` is the stage that replaces
  /// the value, or -1.
  std::optional<int> Read(int tensor, const LinearIndex& element, DataType dtype, int of_sum) {
    for (const KeptElement& kept : kept_) {
      if (kept.tensor != tensor ||
          flow_.digits.Normalised(kept.element) != flow_.digits.Normalised(element))
        continue;
      flow_.accesses[static_cast<size_t>(tensor)].push_back({index_, false, kept.stage, element});
      return graph_.Read(dtype, tensor, kept.element);
    }
    const StageTensor& of = Tensor(tensor);
    if (!of.written) return graph_.Read(dtype, tensor, element);
    flow_.accesses[static_cast<size_t>(tensor)].push_back({index_, false, of_sum, element});
    const std::vector<StageValue>& values = flow_.values[static_cast<size_t>(tensor)];
    for (size_t i = values.size(); i-- > 0;) {
      bool apart = false;
      const std::optional<int> value = ReadStage(values[i], element, apart);
      if (value) return value;
      if (!apart) return std::nullopt;
    }
    // The stage reads the value from before the call; ComputationOf checks the element.
    if (of.kind == StageTensor::Kind::kParam) return graph_.Read(dtype, tensor, element);
    return Fail("a local tensor is read before it is set");
  }

  /// The value that another stage gave to an element; `apart` is set if it does not write the
  /// element.
  std::optional<int> ReadStage(const StageValue& from, const LinearIndex& element, bool& apart) {
    const std::vector<int> shared = flow_.Merged(merged_, flow_.PrivateDigits(from.tensor));
    if (flow_.Merged(from.merged, flow_.PrivateDigits(from.tensor)) != shared)
      return Fail("stages that share a local tensor have different conditions");
    const auto other = flow_.LeavesOf(from.fixed);
    fixed_ = flow_.LeavesOf(fixed_);
    for (const int digit : shared) {
      const auto a = other.find(digit);
      const auto b = fixed_.find(digit);
      if ((a == other.end()) != (b == fixed_.end()) || (a != other.end() && a->second != b->second))
        return Fail("stages that share a local tensor have different conditions");
    }
    LinearIndex written = flow_.digits.Normalised(from.element);
    LinearIndex read = flow_.digits.Normalised(element);
    for (const int digit : shared) {
      const int64_t stride = written.stride(digit);
      written.Drop([&](int one) { return one == digit; });
      if (stride == 0) continue;
      LinearIndex same;
      same.terms.emplace_back(digit, 1);
      if (!flow_.digits.Accumulate(read, same, -stride)) return Fail("an index is too large");
    }
    if (from.value < 0) return Fail("the value of the best element is read, and not its place");
    // Copy the value: solving may split digits, and grow the list that contains `from`.
    const int value = from.value;
    auto solution = flow_.digits.Solve(written, read, known_);
    if (!solution) {
      if (flow_.digits.AreDisjoint(written, read)) {
        apart = true;
        return std::nullopt;
      }
      return Fail("a local tensor is read at elements that no single store is known to have set");
    }
    const std::optional<int> result =
        graph_.Substitute(value, SubstitutionOf(*std::move(solution)));
    if (!result) return Fail("an index is too large");
    return result;
  }

  /// The substitution of all reads with these values of digits. They share it, so a sum that is
  /// read twice, or by two values, is one reduction.
  ValueGraph::Substitution& SubstitutionOf(absl::flat_hash_map<int, LinearIndex> values) {
    const int splits = flow_.digits.splits();
    for (ValueGraph::Substitution& known : substitutions_) {
      if (known.splits == splits && known.values == values) return known;
    }
    return substitutions_.emplace_back(ValueGraph::Substitution{std::move(values), splits});
  }

  std::optional<int> Convert(const Expr* expr) {
    if (graph_.size() > kMostGraphNodes) return Fail("it has too many operations to be analysed");
    return WithStack([&] { return ConvertHere(expr); });
  }

  std::optional<int> ConvertHere(const Expr* expr) {
    const DataType dtype = expr->dtype.element();
    if (dtype.is_integer() && !dtype.is_bool()) {
      if (const std::optional<LinearIndex> form = Index(expr)) return graph_.Index(dtype, *form);
    }
    switch (expr->kind) {
      case NodeKind::kIntImm:
        return graph_.Integer(dtype, cast<IntImm>(expr)->value);
      case NodeKind::kFloatImm:
        return graph_.Real(dtype, cast<FloatImm>(expr)->value);
      case NodeKind::kVar: {
        const auto found = lets_.find(cast<Var>(expr));
        if (found != lets_.end()) return found->second;
        return Fail("a value depends on a scalar parameter");
      }
      case NodeKind::kCast: {
        const std::optional<int> value = Convert(cast<Cast>(expr)->value);
        if (!value) return std::nullopt;
        return graph_.Cast(dtype, *value);
      }
      case NodeKind::kBroadcast:
        return Convert(cast<Broadcast>(expr)->value);
      case NodeKind::kNot: {
        const std::optional<int> value = Convert(cast<Not>(expr)->a);
        if (!value) return std::nullopt;
        return graph_.Not(*value);
      }
      case NodeKind::kSelect: {
        const auto* select = cast<Select>(expr);
        return Choose(select->condition, select->true_value, select->false_value);
      }
      case NodeKind::kLet: {
        const auto* let = cast<Let>(expr);
        if (const std::optional<LinearIndex> form = Index(let->value)) {
          flow_.forms.Define(let->var, *form);
        } else {
          const std::optional<int> value = Convert(let->value);
          if (!value) return std::nullopt;
          lets_[let->var] = *value;
        }
        return Convert(let->body);
      }
      case NodeKind::kBufferLoad:
        return ConvertLoad(cast<BufferLoad>(expr));
      case NodeKind::kCall:
        return ConvertCall(cast<Call>(expr));
      default:
        break;
    }
    if (const auto* binary = dyn_cast<BinaryExpr>(expr)) return ConvertBinary(binary);
    return Fail(fmt::format("it has an expression of the kind {}", NodeKindName(expr->kind)));
  }

  std::optional<int> ConvertLoad(const BufferLoad* load) {
    if (load->predicate != nullptr) return Fail("it has a load under a predicate");
    const auto found = flow_.stages.tensor_of.find(load->buffer->data);
    if (found == flow_.stages.tensor_of.end()) return Fail("it reads memory of an unknown origin");
    const std::optional<LinearIndex> element = Element(load->buffer, load->indices);
    if (!element) return Gather(found->second, *load);
    return Read(found->second, *element, load->dtype.element(), /*of_sum=*/-1);
  }

  /// The element at a computed index.
  std::optional<int> Gather(int tensor, const BufferLoad& load) {
    const Buffer& buffer = *load.buffer;
    const bool is_flat = load.indices.size() == 1 && buffer.dtype.is_scalar() &&
                         (buffer.strides.empty() || IsConstInt(buffer.strides[0], 1)) &&
                         (buffer.elem_offset == nullptr || IsConstInt(buffer.elem_offset, 0));
    if (!is_flat) return Fail("the index of a load is not linear in the loops");
    if (Tensor(tensor).written)
      return Fail("it reads what it writes, at an index that is not linear in the loops");
    const std::optional<int> place = Convert(load.indices[0]);
    if (!place) return std::nullopt;
    return graph_.Gather(load.dtype.element(), tensor, *place);
  }

  std::optional<int> ConvertBinary(const BinaryExpr* binary) {
    const bool compares = IsComparison(binary->kind);
    if (compares && binary->a->dtype.is_integer() && !binary->a->dtype.is_bool()) {
      if (const std::optional<int> node = Compare(binary)) return node;
    }
    const std::optional<int> a = Convert(binary->a);
    const std::optional<int> b = a ? Convert(binary->b) : std::nullopt;
    if (!b) return std::nullopt;
    return graph_.Binary(binary->kind, *a, *b);
  }

  /// A comparison of two linear indices.
  std::optional<int> Compare(const BinaryExpr* binary) {
    std::optional<LinearIndex> form = Index(binary->a);
    const std::optional<LinearIndex> other = form ? Index(binary->b) : std::nullopt;
    if (!other || !flow_.digits.Accumulate(*form, *other, -1)) return std::nullopt;
    switch (binary->kind) {
      case NodeKind::kEQ:
        return graph_.Equal(*form, 0, known_);
      case NodeKind::kNE:
        return graph_.Not(graph_.Equal(*form, 0, known_));
      case NodeKind::kGE:
        return graph_.AtLeast(*form, 0, known_);
      case NodeKind::kGT:
        return graph_.AtLeast(*form, 1, known_);
      case NodeKind::kLT:
        return graph_.Not(graph_.AtLeast(*form, 0, known_));
      default:
        return graph_.Not(graph_.AtLeast(*form, 1, known_));
    }
  }

  std::optional<int> Choose(const Expr* condition, const Expr* a, const Expr* b) {
    const std::optional<int> choice = Convert(condition);
    if (!choice) return std::nullopt;
    const std::optional<int64_t> known = graph_.IntegerOf(*choice);
    if (known) return Convert(*known != 0 ? a : b);
    const DigitBounds outer = known_;
    const size_t multiples = flow_.forms.multiples.size();
    Assume(*choice);
    AssumeMultiples(condition);
    const std::optional<int> first = Convert(a);
    known_ = outer;
    flow_.forms.multiples.resize(multiples);
    if (!first) return std::nullopt;
    const std::optional<int> second = Convert(b);
    if (!second) return std::nullopt;
    return graph_.Select(*choice, *first, *second);
  }

  /// Assumes that a condition holds from now on.
  void Assume(int id) {
    const ValueNode node = graph_[id];
    if (node.kind != StepKind::kNode || node.args.size() != 2) return;
    if (node.node == NodeKind::kAnd) {
      Assume(node.args[0]);
      Assume(node.args[1]);
      return;
    }
    const ValueNode index = graph_[node.args[0]];
    const std::optional<int64_t> value = graph_.IntegerOf(node.args[1]);
    if (index.kind != StepKind::kIndex || !value) return;
    const LinearIndex form = flow_.digits.Normalised(index.form);
    if (form.terms.size() != 1 || form.offset != 0 || form.terms[0].second != 1) return;
    const int digit = form.terms[0].first;
    const auto [at, added] = known_.try_emplace(digit, Bounds{0, flow_.digits.extent(digit) - 1});
    if (node.node == NodeKind::kGE) at->second.min = std::max(at->second.min, *value);
    if (node.node == NodeKind::kLT) at->second.max = std::min(at->second.max, *value - 1);
    if (node.node == NodeKind::kEQ) at->second = {*value, *value};
  }

  /// Records conditions `x % n == 0`.
  void AssumeMultiples(const Expr* condition) {
    if (const auto* both = dyn_cast<And>(condition)) {
      WithStack([&] { AssumeMultiples(both->a); });
      AssumeMultiples(both->b);
      return;
    }
    const auto* equal = dyn_cast<EQ>(condition);
    if (equal == nullptr || !IsConstInt(equal->b, 0)) return;
    const auto* rest = dyn_cast<BinaryExpr>(equal->a);
    if (rest == nullptr || (rest->kind != NodeKind::kFloorMod && rest->kind != NodeKind::kMod))
      return;
    const int64_t* divisor = AsIntImm(rest->b);
    const std::optional<LinearIndex> form = Index(rest->a);
    if (divisor != nullptr && *divisor > 0 && form)
      flow_.forms.multiples.push_back({*form, *divisor});
  }

  std::optional<int> ConvertCall(const Call* call) {
    if (call->op->kind == OpKind::kIfThenElse)
      return Choose(call->args[0], call->args[1], call->args[2]);
    if (call->op->kind == OpKind::kLikely) return Convert(call->args[0]);
    OpKind kind = call->op->kind;
    Span<const Expr*> args = call->args;
    if (kind == OpKind::kCallPureExtern && !args.empty()) {
      const auto* name = dyn_cast<StringImm>(args[0]);
      std::string_view text = name == nullptr ? "" : name->value;
      const Op* op = Op::Find(text);
      if (op == nullptr && text.ends_with("f")) op = Op::Find(text.substr(0, text.size() - 1));
      if (op == nullptr || !IsMathematics(op->kind))
        return Fail(fmt::format("it calls the function {}", text));
      kind = op->kind;
      args = args.subspan(1);
    }
    const bool known = IsMathematics(kind) || IsBitOperation(kind) ||
                       kind == OpKind::kReinterpret || kind == OpKind::kQMultiplyShift ||
                       kind == OpKind::kQMultiplyShiftPerAxis;
    if (!known) return Fail(fmt::format("it calls T.{}", call->op->text));
    ValueNode node;
    node.kind = StepKind::kCall;
    node.dtype = call->dtype.element();
    node.op = kind;
    for (const Expr* arg : args) {
      if (arg->dtype.lanes() != call->dtype.lanes() && arg->dtype.lanes() != 1)
        return Fail(fmt::format("it calls T.{} on vectors of several lengths", call->op->text));
      const std::optional<int> value = Convert(arg);
      if (!value) return std::nullopt;
      node.args.push_back(*value);
    }
    return graph_.Add(std::move(node));
  }

  Dataflow& flow_;
  ValueGraph& graph_;
  int index_;
  const Stage& stage_;
  StageValue result_;
  DigitBounds known_;
  absl::flat_hash_map<int, int64_t> fixed_;
  /// A deque, so that references stay valid.
  std::deque<ValueGraph::Substitution> substitutions_;
  std::vector<int> merged_;
  absl::flat_hash_map<const Var*, int> lets_;
  /// Elements that this stage and the next one replace; their only value meanwhile is the kept one.
  struct KeptElement {
    int stage = 0;
    int tensor = 0;
    LinearIndex element;
  };
  std::vector<KeptElement> kept_;
};

}  // namespace

bool EvaluateStage(Dataflow& flow, int stage) { return StageEvaluator(flow, stage).Evaluate(); }

bool EvaluateArgReduction(Dataflow& flow, int stage) {
  StageEvaluator value(flow, stage + 1);
  return StageEvaluator(flow, stage).EvaluateWith(value);
}

}  // namespace tenon
