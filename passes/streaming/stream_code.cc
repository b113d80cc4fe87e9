#include "passes/streaming/stream_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arith/index_math.h"
#include "arith/interval.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/row_feed.h"
#include "passes/fusion/origins.h"
#include "passes/outlining.h"
#include "support/check.h"

namespace tenon {

namespace {

class StreamWriter {
 public:
  StreamWriter(Context& context, const StreamProgram& program, const StreamGroup& group,
               const Function& entry, const StreamNamer& name_of)
      : program_(program),
        group_(group),
        name_of_(name_of),
        storage_(std::make_shared<Storage>(entry.storage)),
        builder_(context, storage_->arena()),
        math_(builder_, {}) {}

  StreamCode Write() {
    const StreamCall& last = program_.calls[group_.last];
    if (group_.reduces) AddSums(*last.reduction);
    for (const StreamedOperator& op : group_.ops) {
      storage_->Retain(op.rows->function->storage);
      AddTensors(op);
    }
    counts_.resize(group_.loops.size());
    std::vector<const Stmt*> statements;
    if (group_.reduces && last.reduction->before)
      statements.push_back(PartOf(*last.reduction->before, last.before_args));
    statements.push_back(group_.is_fed
                             ? FedLoop()
                             : LoopOf(0, builder_.Int(group_.begin), group_.end - group_.begin));
    if (group_.reduces && last.reduction->after)
      statements.push_back(PartOf(*last.reduction->after, last.after_args));
    const Stmt* body = builder_.Seq(Span<const Stmt*>(statements));
    body = InBindings(builder_, bindings_, body);
    const PrimFunc func(Copied(params_), Copied(buffers_), builder_.context().VoidType(), Attrs(),
                        body);
    return {storage_->arena().New<PrimFunc>(func), storage_, args_};
  }

 private:
  template <class T>
  Span<const T*> Copied(const std::vector<const T*>& list) {
    return storage_->arena().Copy(Span<const T*>(list.data(), list.size()));
  }
  const Expr* Times(const Expr* a, int64_t b) { return math_.Mul(a, builder_.Int(b)); }
  const Expr* Plus(const Expr* a, int64_t b) { return math_.Add(a, builder_.Int(b)); }

  const std::vector<const Var*>& ArgsOf(const StreamedOperator& op) const {
    return StreamPlanner::ArgsOf(program_, group_, op);
  }
  const Stmt* StmtOf(const StreamedOperator& op) const { return program_.calls[op.position].stmt; }

  const MapAttr* Attrs() {
    Origins origins;
    bool no_alias = true;
    for (const StreamedOperator& op : group_.ops) {
      const auto* list =
          dyn_cast_or_null<ArrayAttr>(op.rows->function->FindAttr(attr_key::kOrigins));
      for (const Attr* item : list != nullptr ? list->items : Span<const Attr*>()) {
        if (const auto* text = dyn_cast<StringAttr>(item))
          origins = Joined(std::move(origins), {std::string(text->value)});
      }
      no_alias = no_alias && IsNoAlias(*op.rows->function->func);
    }
    const MapAttr* attrs = builder_.Map({{attr_key::kOrigins, OriginsAttr(builder_, origins)}});
    if (no_alias)
      attrs = builder_.With(attrs, attr_key::kNoAlias, builder_.ExprValue(builder_.Bool(true)));
    std::vector<const Attr*> rows;
    for (const RowDistance& distance : group_.distances) {
      const int64_t numbers[] = {ParamOf(distance.dying), ParamOf(distance.begun), distance.bytes};
      std::vector<const Attr*> row;
      for (const int64_t number : numbers) row.push_back(builder_.New<IntAttr>({}, number));
      rows.push_back(builder_.Array(row));
    }
    if (!rows.empty()) attrs = builder_.With(attrs, attr_key::kRowDistances, builder_.Array(rows));
    return attrs;
  }

  int64_t ParamOf(const Var* arg) const {
    return std::find(args_.begin(), args_.end(), arg) - args_.begin();
  }

  /// Gives the operands of an operator buffers: parameters, or allocations of the group.
  void AddTensors(const StreamedOperator& op) {
    const std::vector<const Var*>& given = ArgsOf(op);
    for (const RowRead& read : op.rows->reads)
      AddParam(given[read.param], *op.rows->function->func, read.param, "p");
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (IsCopied(op, i)) AddPad(op, i);
    }
    const Var* output = given[op.rows->output];
    if (!op.is_inner) return AddParam(output, *op.rows->function->func, op.rows->output, "output");
    const Allocate& allocate = *program_.tensors.at(output).allocate;
    const DataType dtype = op.rows->function->func->buffers[op.rows->output]->dtype;
    const Type* type =
        builder_.context().PointerType(dtype, allocate.buffer_var->type->scope.view());
    const Var* var = builder_.NewVar(allocate.buffer_var->name.view(), type, allocate.range);
    const Expr* extent = builder_.Int(op.kept * op.rows->row_elements);
    bindings_.push_back(builder_.New<Allocate>(allocate.range, var, dtype,
                                               builder_.List<Expr>({extent}), builder_.Bool(true),
                                               allocate.annotations, nullptr));
    buffer_of_[output] = FlatBuffer(var, dtype, extent);
  }

  /// True for an operand from outside of the group that is copied for rows at a border.
  static bool IsCopied(const StreamedOperator& op, size_t operand) {
    return op.operands[operand].is_padded && op.sources[operand] < 0;
  }

  void AddPad(const StreamedOperator& op, size_t operand) {
    const RowWindow& window = *op.operands[operand].window;
    const Buffer* given = op.rows->function->func->buffers[op.rows->reads[operand].param];
    const Type* type = builder_.context().PointerType(given->dtype, given->scope());
    const Var* var = builder_.NewVar(fmt::format("{}_pad", given->data->name.view()), type);
    const Expr* extent = builder_.Int(window.count * window.row_elements);
    bindings_.push_back(builder_.New<Allocate>(SourceRange(), var, given->dtype,
                                               builder_.List<Expr>({extent}), builder_.Bool(true),
                                               nullptr, nullptr));
    pads_[{&op, operand}] = FlatBuffer(var, given->dtype, extent);
  }

  void AddSums(const RowReduction& reduction) {
    for (const Allocate* given : reduction.shared) {
      const Var* var = builder_.NewVar(given->buffer_var->name.view(), given->buffer_var->type);
      Allocate copy = *given;
      copy.buffer_var = var;
      bindings_.push_back(storage_->arena().New<Allocate>(copy));
      buffer_of_[given->buffer_var] = FlatBuffer(var, given->dtype, given->extents[0]);
    }
  }

  const Buffer* FlatBuffer(const Var* data, DataType dtype, const Expr* extent) {
    const Buffer buffer(data->name, data, dtype, builder_.List<Expr>({extent}), builder_.Int(0));
    return storage_->arena().New<Buffer>(buffer);
  }

  void AddParam(const Var* arg, const PrimFunc& func, size_t param, std::string_view prefix) {
    if (buffer_of_.contains(arg)) return;
    const Buffer* given = func.buffers[param];
    int& number = prefix == "p" ? inputs_ : outputs_;
    std::string name(prefix);
    if (prefix == "p" || number > 0) name += fmt::format("{}", number);
    ++number;
    const Var* data = builder_.NewVar(name, given->data->type);
    const int64_t elements = StaticCount(given->shape).value_or(0);
    const Buffer* buffer = FlatBuffer(data, given->dtype, builder_.Int(elements));
    buffer_of_[arg] = buffer;
    params_.push_back(builder_.NewVar(name + "_handle", DataType::Handle()));
    buffers_.push_back(buffer);
    args_.push_back(arg);
  }

  /// The loop `index` with its statements; its counter begins at `min`.
  const Stmt* LoopOf(int index, const Expr* min, int64_t extent) {
    const StreamLoop& loop = group_.loops[static_cast<size_t>(index)];
    const Var* var = builder_.NewVar(index == 0 ? "step" : "part", DataType::Int(32));
    const Expr* count = var;
    if (index != 0) count = math_.Add(min, var);
    counts_[static_cast<size_t>(index)] = count;
    std::vector<const Stmt*> statements;
    AddItems(index, loop.items, statements);
    const Expr* begin = index == 0 ? min : builder_.Int(0);
    return builder_.New<For>(SourceRange(), var, begin, builder_.Int(extent), ForKind::kSerial,
                             builder_.Seq(Span<const Stmt*>(statements.data(), statements.size())));
  }

  /// Adds some items of loop `index`, whose counter is known.
  void AddItems(int index, Span<const int> items, std::vector<const Stmt*>& statements) {
    const int64_t rate = group_.loops[static_cast<size_t>(index)].rate;
    const Expr* count = counts_[static_cast<size_t>(index)];
    for (const int item : items) {
      AddMoves(index, item, statements);
      if (item >= 0) {
        statements.push_back(RowOf(group_.ops[static_cast<size_t>(item)]));
        continue;
      }
      const int64_t times = group_.loops[static_cast<size_t>(-1 - item)].rate / rate;
      statements.push_back(LoopOf(-1 - item, Times(count, times), times));
    }
  }

  /// The loops around the first operator, as one loop over its rows. An iteration also runs what
  /// precedes and follows this operator in the loops that begin and end a step with the row. Rows
  /// before the first one and after the last one complete steps.
  const Stmt* FedLoop() {
    const StreamedOperator& feeder = group_.ops.front();
    const int64_t rows = feeder.rows->rows;
    const int64_t end = std::max(group_.end, -FloorDivide(feeder.lead - rows, feeder.rate));
    const int64_t first = feeder.rate * group_.begin + feeder.lead;
    const Var* row = builder_.NewVar("row", DataType::Int(32));
    const Expr* number = Plus(row, -first);
    std::vector<int> around;
    for (int loop = feeder.loop; loop >= 0; loop = group_.loops[static_cast<size_t>(loop)].parent) {
      around.push_back(loop);
      const int64_t rate = group_.loops[static_cast<size_t>(loop)].rate;
      const Expr* steps =
          math_.Binary(NodeKind::kFloorDiv, number, builder_.Int(feeder.rate / rate));
      counts_[static_cast<size_t>(loop)] = Plus(steps, group_.begin * rate);
    }
    std::vector<const Stmt*> statements;
    for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
      std::vector<const Stmt*> moves;
      AddMoves(*loop, group_.loops[static_cast<size_t>(*loop)].items.front(), moves);
      AddAtStep(*loop, number, /*is_end=*/false, moves, statements);
    }
    statements.push_back(RowOf(feeder));
    for (const int loop : around) {
      const std::vector<int>& items = group_.loops[static_cast<size_t>(loop)].items;
      std::vector<const Stmt*> rest;
      AddItems(loop, Span<const int>(items).subspan(1), rest);
      AddAtStep(loop, number, /*is_end=*/true, rest, statements);
    }
    const FedRows fed = {rows, feeder.rows->row_elements,
                         ParamOf(ArgsOf(feeder)[feeder.rows->reads.front().param])};
    const MapAttr* notes = builder_.Map({{attr_key::kFedRows, FedRowsAttr(builder_, fed)}});
    return builder_.New<For>(SourceRange(), row, builder_.Int(first),
                             builder_.Int(feeder.rate * (end - group_.begin)), ForKind::kSerial,
                             builder_.Seq(Span<const Stmt*>(statements.data(), statements.size())),
                             nullptr, notes);
  }

  /// Adds `part` for the rows of the first operator that begin or end an iteration of a loop.
  void AddAtStep(int loop, const Expr* number, bool is_end, const std::vector<const Stmt*>& part,
                 std::vector<const Stmt*>& statements) {
    if (part.empty()) return;
    const int64_t steps = group_.ops.front().rate / group_.loops[static_cast<size_t>(loop)].rate;
    const Expr* rest = math_.Binary(NodeKind::kFloorMod, number, builder_.Int(steps));
    statements.push_back(builder_.New<IfThenElse>(
        SourceRange(), math_.Equal(rest, builder_.Int(is_end ? steps - 1 : 0)),
        builder_.Seq(Span<const Stmt*>(part.data(), part.size())), nullptr));
  }

  /// Moves the rows of all rings up that an item of loop `loop` writes.
  void AddMoves(int loop, int item, std::vector<const Stmt*>& statements) {
    for (const StreamedOperator& op : group_.ops) {
      if (!op.is_ring || op.ring_loop != loop) continue;
      const int index = static_cast<int>(&op - group_.ops.data());
      if (item >= 0 ? item != index : !IsInside(op.loop, -1 - item)) continue;
      const int64_t moved = op.kept - RateIn(op);
      if (moved > 0) statements.push_back(MoveOf(op, moved));
    }
  }

  bool IsInside(int loop, int around) const {
    while (loop >= 0 && loop != around) loop = group_.loops[static_cast<size_t>(loop)].parent;
    return loop >= 0;
  }

  /// The rows of a ring that are new in a step of its loop.
  int64_t RateIn(const StreamedOperator& op) const {
    return op.rate / group_.loops[static_cast<size_t>(op.ring_loop)].rate;
  }

  /// The row of the tensor that is the first one of its buffer.
  const Expr* TopOf(const StreamedOperator& op) {
    if (!op.is_ring) return builder_.Int(0);
    const Expr* count = counts_[static_cast<size_t>(op.ring_loop)];
    return Plus(Times(count, RateIn(op)), RateIn(op) + op.lead - op.kept);
  }

  const Stmt* MoveOf(const StreamedOperator& op, int64_t moved) {
    const Buffer* ring = buffer_of_.at(ArgsOf(op)[op.rows->output]);
    const int64_t size = op.rows->row_elements;
    const Var* row = builder_.NewVar("kept", DataType::Int(32));
    const Var* i = builder_.NewVar("i", DataType::Int(32));
    const Expr* to = math_.Add(Times(row, size), i);
    const Expr* from = Plus(to, RateIn(op) * size);
    const Stmt* copy = builder_.New<BufferStore>(SourceRange(), ring, builder_.Load(ring, {from}),
                                                 builder_.List<Expr>({to}));
    copy = builder_.New<For>(SourceRange(), i, builder_.Int(0), builder_.Int(size),
                             ForKind::kSerial, copy);
    const Expr* number = math_.Add(TopOf(op), row);
    // With pads, all later rows are in the ring.
    const Expr* exists = op.pad ? math_.Binary(NodeKind::kGE, number, builder_.Int(op.pad_first))
                                : Within(number, 0, op.rows->rows - 1);
    copy = builder_.New<IfThenElse>(SourceRange(), exists, copy, nullptr);
    return builder_.New<For>(SourceRange(), row, builder_.Int(0), builder_.Int(moved),
                             ForKind::kSerial, copy);
  }

  const Expr* Within(const Expr* value, int64_t first, int64_t last) {
    if (first == last) return math_.Equal(value, builder_.Int(first));
    return math_.And(math_.Binary(NodeKind::kGE, value, builder_.Int(first)),
                     math_.Binary(NodeKind::kLE, value, builder_.Int(last)));
  }

  /// The call for the row that an operator computes in this step.
  const Stmt* RowOf(const StreamedOperator& op) {
    const Expr* row = Plus(counts_[static_cast<size_t>(op.loop)], op.lead);
    const Stmt* result = op.pad ? PadOf(op, row) : nullptr;
    for (size_t i = op.functions->size(); i-- > 0;) {
      const RowFunction& function = (*op.functions)[i];
      const Stmt* call = CallFor(op, i, row, false);
      for (size_t operand = 0; operand < op.operands.size(); ++operand) {
        if (IsCopied(op, operand)) call = WithPads(op, operand, i, row, call);
      }
      result = builder_.New<IfThenElse>(SourceRange(), Within(row, function.first, function.last),
                                        call, result);
    }
    return result;
  }

  /// Fills the row with the value of pads.
  const Stmt* PadOf(const StreamedOperator& op, const Expr* row) {
    const Buffer* ring = buffer_of_.at(ArgsOf(op)[op.rows->output]);
    const Var* i = builder_.NewVar("i", DataType::Int(32));
    const Expr* to = math_.Add(Times(math_.Sub(row, TopOf(op)), op.rows->row_elements), i);
    const Stmt* fill = builder_.New<BufferStore>(
        SourceRange(), ring, builder_.Int(ring->dtype, *op.pad), builder_.List<Expr>({to}));
    return builder_.New<For>(SourceRange(), i, builder_.Int(0), builder_.Int(op.rows->row_elements),
                             ForKind::kSerial, fill);
  }

  /// `call` if the rows of the operand exist. Otherwise those that exist are copied between pads.
  const Stmt* WithPads(const StreamedOperator& op, size_t operand, size_t function, const Expr* row,
                       const Stmt* call) {
    const RowWindow& window = *op.operands[operand].window;
    const RowRead& read = op.rows->reads[operand];
    const auto [first, last] = RowsInsideOf(read, window);
    const Buffer* pad = pads_.at({&op, operand});
    const Buffer* source = buffer_of_.at(ArgsOf(op)[read.param]);
    const int64_t size = window.row_elements;
    const Var* number = builder_.NewVar("kept", DataType::Int(32));
    const Var* i = builder_.NewVar("i", DataType::Int(32));
    const Expr* to = math_.Add(Times(number, size), i);
    const Expr* of = math_.Add(Plus(Times(row, window.stride), window.first), number);
    const auto store = [&](const Expr* value) {
      return builder_.New<BufferStore>(SourceRange(), pad, value, builder_.List<Expr>({to}));
    };
    const Stmt* copies =
        builder_.New<IfThenElse>(SourceRange(), Within(of, 0, read.elements / size - 1),
                                 store(builder_.Load(source, {math_.Add(Times(of, size), i)})),
                                 store(builder_.Int(pad->dtype, *window.pad)));
    copies = builder_.New<For>(SourceRange(), i, builder_.Int(0), builder_.Int(size),
                               ForKind::kSerial, copies);
    copies = builder_.New<For>(SourceRange(), number, builder_.Int(0), builder_.Int(window.count),
                               ForKind::kSerial, copies);
    return builder_.New<IfThenElse>(SourceRange(), Within(row, first, last), call,
                                    builder_.Seq({copies, CallFor(op, function, row, true)}));
  }

  /// With `from_pads`, copied operands are in their pads.
  const Stmt* CallFor(const StreamedOperator& op, size_t index, const Expr* row, bool from_pads) {
    const RowFunction& function = (*op.functions)[index];
    const std::vector<const Var*>& given = ArgsOf(op);
    const std::string_view base = op.rows->function->name.view();
    const std::string wanted = function.first != function.last
                                   ? fmt::format("{}_rows", base)
                                   : fmt::format("{}_row_{}", base, function.first);
    const Symbol name = name_of_(wanted, function.func, function.storage);
    std::vector<const Expr*> args = {builder_.String(name.view())};
    args.resize(given.size() + 1);
    for (size_t i = 0; i < op.rows->reads.size(); ++i) {
      const size_t param = op.rows->reads[i].param;
      const Buffer* buffer = buffer_of_.at(given[param]);
      const RowWindow* window = op.operands[i].window;
      if (window == nullptr || (from_pads && IsCopied(op, i))) {
        args[param + 1] = window == nullptr ? buffer->data : pads_.at({&op, i})->data;
        continue;
      }
      const Expr* first = Plus(Times(row, window->stride), window->first + function.shifts[i]);
      if (op.sources[i] >= 0)
        first = math_.Sub(first, TopOf(group_.ops[static_cast<size_t>(op.sources[i])]));
      args[param + 1] = AddressOf(buffer, Times(first, window->row_elements));
    }
    if (op.rows->accumulates) {
      args[op.rows->output + 1] = buffer_of_.at(given[op.rows->output])->data;
      return CallOf(args, StmtOf(op)->range);
    }
    const Buffer* output = buffer_of_.at(given[op.rows->output]);
    const Expr* place = op.is_inner ? math_.Sub(row, TopOf(op)) : row;
    args[op.rows->output + 1] = AddressOf(output, Times(place, op.rows->row_elements));
    return CallOf(args, StmtOf(op)->range);
  }

  const Stmt* CallOf(const std::vector<const Expr*>& args, SourceRange range) {
    return builder_.New<Evaluate>(
        range,
        builder_.New<Call>(range, DataType::Int(32), Op::Get(OpKind::kCallExtern), Copied(args)));
  }

  /// The call of a part of the reduction.
  const Stmt* PartOf(const RowPart& part, const std::vector<const Var*>& given) {
    const PrimFunc& func = *part.function.func;
    for (size_t i = 0; i < given.size(); ++i) AddParam(given[i], func, i, "output");
    const Symbol name =
        name_of_(std::string(part.function.name.view()), &func, part.function.storage);
    std::vector<const Expr*> args = {builder_.String(name.view())};
    for (const Var* arg : given) args.push_back(buffer_of_.at(arg)->data);
    return CallOf(args, program_.calls[group_.last].stmt->range);
  }

  const Expr* AddressOf(const Buffer* buffer, const Expr* element) {
    return builder_.NewCall(DataType::Handle(), OpKind::kAddressOf,
                            {builder_.Load(buffer, {element})});
  }

  const StreamProgram& program_;
  const StreamGroup& group_;
  const StreamNamer& name_of_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  IndexMath math_;
  std::vector<const Stmt*> bindings_;
  absl::flat_hash_map<const Var*, const Buffer*> buffer_of_;
  /// By operator and number of the operand.
  std::map<std::pair<const StreamedOperator*, size_t>, const Buffer*> pads_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
  std::vector<const Var*> args_;
  int inputs_ = 0;
  int outputs_ = 0;
  /// The counters of the loops around.
  std::vector<const Expr*> counts_;
};

}  // namespace

StreamCode MakeStreamCode(Context& context, const StreamProgram& program, const StreamGroup& group,
                          const Function& entry, const StreamNamer& name_of) {
  return StreamWriter(context, program, group, entry, name_of).Write();
}

}  // namespace tenon
