// The statements of FunctionReader. Only the cells that a loop stores to change in it, so they
// begin an iteration as unknown values. After the body, each of them is unchanged, or an update of
// that value, or depends only on the iteration.

#include "schedule/check/reader.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "ir/visitor.h"

namespace tenon::check {

namespace {

constexpr int64_t kMostCells = int64_t{1} << 16;
constexpr int kMostDepth = 60;

/// The product of constant extents; -1 for others.
int64_t CountOf(Span<const Expr*> extents) {
  int64_t count = 1;
  for (const Expr* extent : extents) {
    const int64_t* number = AsIntImm(extent);
    if (number == nullptr || *number < 0 ||
        *number > (int64_t{1} << 40) / std::max<int64_t>(count, 1))
      return -1;
    count *= *number;
  }
  return count;
}

}  // namespace

FunctionReader::FunctionReader(TermTable& terms, const PrimFunc& func, int64_t most_steps)
    : terms_(terms),
      forms_(terms.forms()),
      func_(func),
      most_steps_(most_steps),
      uses_(func.body) {}

bool FunctionReader::Fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return false;
}

TermId FunctionReader::FailedTerm(std::string problem) {
  Fail(std::move(problem));
  return -1;
}

bool FunctionReader::Step(int64_t steps) {
  steps_ += steps;
  return steps_ <= most_steps_ ||
         Fail(fmt::format("its loops take more than {} steps to read", most_steps_));
}

int FunctionReader::AddMemory(Memory memory) {
  reading_.memories.push_back(std::move(memory));
  reading_.pieces.emplace_back();
  cells_.emplace_back();
  shared_.emplace_back();
  is_accessed_.push_back(false);
  return static_cast<int>(reading_.memories.size()) - 1;
}

int FunctionReader::MemoryOf(const Var* data) const {
  const auto found = memory_of_.find(data);
  return found == memory_of_.end() ? -1 : found->second;
}

int FunctionReader::ConstantMemory(const Constant* constant) {
  const auto found = constant_memory_.find(constant);
  if (found != constant_memory_.end()) return found->second;
  Memory memory;
  memory.kind = Memory::Kind::kConstant;
  memory.dtype = constant->dtype();
  memory.elements = constant->element_count();
  memory.name = std::string(constant->name().view());
  memory.constant = constant;
  if (const auto bytes = constant->Bytes(); bytes.ok()) memory.bytes = *bytes;
  return constant_memory_[constant] = AddMemory(std::move(memory));
}

bool FunctionReader::Read() {
  for (const Buffer* buffer : func_.buffers) {
    params_.push_back(-1);
    if (buffer == nullptr) continue;
    Memory memory;
    memory.dtype = buffer->dtype.element();
    memory.elements = CountOf(buffer->shape) * std::max(buffer->dtype.lanes(), 1);
    memory.name = std::string(buffer->name.view());
    params_.back() = memory_of_[buffer->data] = AddMemory(std::move(memory));
  }
  if (!ReadStmt(func_.body)) return false;
  for (const std::vector<int>& shared : shared_) reading_.shared_loops.push_back(shared.size());
  return !forms_.overflowed() || Fail("a number of its indices is too large");
}

bool FunctionReader::ReadStmt(const Stmt* stmt) {
  if (!Step()) return false;
  switch (stmt->kind) {
    case NodeKind::kSeqStmt: {
      for (const Stmt* part : static_cast<const SeqStmt*>(stmt)->seq) {
        if (!ReadStmt(part)) return false;
      }
      return true;
    }
    case NodeKind::kBufferStore:
      return ReadStore(static_cast<const BufferStore*>(stmt));
    case NodeKind::kFor:
      return ReadFor(static_cast<const For*>(stmt));
    case NodeKind::kIfThenElse:
      return ReadIf(static_cast<const IfThenElse*>(stmt));
    case NodeKind::kAllocate:
      return ReadAllocate(static_cast<const Allocate*>(stmt));
    case NodeKind::kAllocateConst:
      return ReadConstant(static_cast<const AllocateConst*>(stmt));
    case NodeKind::kDeclBuffer:
      return ReadStmt(static_cast<const DeclBuffer*>(stmt)->body);
    case NodeKind::kLetStmt:
      return ReadLet(static_cast<const LetStmt*>(stmt));
    case NodeKind::kPrefetch:
      return true;
    case NodeKind::kEvaluate:
      if (isa<IntImm>(static_cast<const tenon::Evaluate*>(stmt)->value)) return true;
      break;
    default:
      break;
  }
  return Fail(fmt::format("it has a statement of the kind {}", NodeKindName(stmt->kind)));
}

bool FunctionReader::ReadAllocate(const Allocate* allocate) {
  Memory memory;
  memory.kind = uses_.IsCells(allocate->buffer_var) ? Memory::Kind::kCells : Memory::Kind::kParts;
  memory.dtype = allocate->dtype;
  memory.elements = CountOf(allocate->extents);
  memory.name = std::string(allocate->buffer_var->name.view());
  const bool is_cells = memory.kind == Memory::Kind::kCells;
  if (memory.elements < 0 || !allocate->dtype.is_scalar() || !IsConstInt(allocate->condition, 1) ||
      (is_cells && memory.elements > kMostCells))
    return Fail(fmt::format("its buffer `{}` is too large, or of unknown size", memory.name));
  const auto elements = static_cast<size_t>(memory.elements);
  const int id = AddMemory(std::move(memory));
  if (is_cells) cells_.back().assign(elements, -1);
  memory_of_[allocate->buffer_var] = id;
  const bool is_read = ReadStmt(allocate->body);
  memory_of_.erase(allocate->buffer_var);
  if (static_cast<size_t>(id) < cells_.size()) cells_[static_cast<size_t>(id)].clear();
  return is_read;
}

bool FunctionReader::ReadConstant(const AllocateConst* allocate) {
  if (allocate->data == nullptr) return Fail("it has a constant without data");
  memory_of_[allocate->buffer_var] = ConstantMemory(allocate->data);
  return ReadStmt(allocate->body);
}

bool FunctionReader::ReadLet(const LetStmt* let) {
  if (!let->var->dtype.is_scalar()) return Fail("it binds a vector to a variable");
  const TermId value = Evaluate(let->value, -1);
  if (value < 0) return false;
  vars_[let->var] = value;
  const bool is_read = ReadStmt(let->body);
  vars_.erase(let->var);
  return is_read;
}

bool FunctionReader::ReadStore(const BufferStore* store) {
  const int memory = MemoryOf(store->buffer->data);
  if (memory < 0) return Fail(fmt::format("it stores to `{}`", store->buffer->name.view()));
  const Memory& to = reading_.memories[static_cast<size_t>(memory)];
  if (store->predicate != nullptr || store->indices.size() != 1 ||
      store->buffer->dtype != to.dtype || to.kind == Memory::Kind::kConstant ||
      !IsConstInt(store->buffer->elem_offset, 0))
    return Fail(fmt::format("it stores to `{}`, which is not flat", to.name));
  const int lanes = store->value->dtype.lanes();
  if (lanes < 1 || lanes != store->indices[0]->dtype.lanes())
    return Fail(fmt::format("it stores to `{}` with lanes that differ", to.name));
  if (to.kind == Memory::Kind::kCells) return StoreCells(memory, store, lanes);
  NoteAccess(memory);
  if (lanes == 1) return StorePart(memory, store, -1);
  if (!NeedsLaneNumbers(store->value)) {
    const FormId lane = forms_.Count(lanes, "lane");
    return StorePart(memory, store, lane);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    if (!StorePart(memory, store, forms_.Constant(lane))) return false;
  }
  return true;
}

bool FunctionReader::StoreCells(int memory, const BufferStore* store, int lanes) {
  std::vector<std::pair<size_t, TermId>> changes;
  for (int lane = 0; lane < lanes; ++lane) {
    const FormId at = lanes == 1 ? -1 : forms_.Constant(lane);
    const TermId index = Evaluate(store->indices[0], at);
    const TermId value = index < 0 ? -1 : Evaluate(store->value, at);
    if (value < 0) return false;
    const FormId form = terms_.FormOf(index);
    const auto count = static_cast<int64_t>(cells_[static_cast<size_t>(memory)].size());
    if (form < 0 || !forms_.IsConstant(form) || forms_.At(form).constant < 0 ||
        forms_.At(form).constant >= count)
      return Fail(fmt::format("it stores to an unknown element of `{}`",
                              reading_.memories[static_cast<size_t>(memory)].name));
    changes.emplace_back(static_cast<size_t>(forms_.At(form).constant), value);
  }
  for (const auto& [cell, value] : changes) cells_[static_cast<size_t>(memory)][cell] = value;
  return true;
}

/// Stores one lane, or all of them if `lane` is a digit.
bool FunctionReader::StorePart(int memory, const BufferStore* store, FormId lane) {
  const TermId index = Evaluate(store->indices[0], lane);
  const TermId value = index < 0 ? -1 : Evaluate(store->value, lane);
  if (value < 0) return false;
  const std::string& name = reading_.memories[static_cast<size_t>(memory)].name;
  if (terms_.FormOf(index) < 0)
    return Fail(fmt::format("it stores to an element of `{}` that depends on data", name));
  Piece piece = {terms_.FormOf(index), value, open_, guards_};
  if (lane >= 0 && !forms_.IsConstant(lane)) piece.digits.push_back(forms_.AsDigit(lane));
  reading_.pieces[static_cast<size_t>(memory)].push_back(std::move(piece));
  return true;
}

/// Records which loops all accesses of a memory share, because each iteration of these loops fills
/// it again.
void FunctionReader::NoteAccess(int memory) {
  const auto at = static_cast<size_t>(memory);
  if (!is_accessed_[at]) {
    is_accessed_[at] = true;
    shared_[at] = open_;
    return;
  }
  std::vector<int>& shared = shared_[at];
  const auto end = std::mismatch(shared.begin(), shared.end(), open_.begin(), open_.end()).first;
  shared.erase(end, shared.end());
}

bool FunctionReader::ReadArm(const Stmt* stmt, TermId condition, bool holds) {
  if (stmt == nullptr) return true;
  if (terms_.At(condition).IsNode(NodeKind::kNot)) {
    condition = terms_.At(condition).args[0];
    holds = !holds;
  }
  guards_.push_back({condition, holds});
  ++lazy_;
  const bool is_read = ReadStmt(stmt);
  --lazy_;
  guards_.pop_back();
  return is_read;
}

bool FunctionReader::ReadIf(const IfThenElse* branch) {
  const TermId condition = Evaluate(branch->condition, -1);
  if (condition < 0) return false;
  if (terms_.IsNumber(condition, 1)) return ReadStmt(branch->then_case);
  if (terms_.IsNumber(condition, 0))
    return branch->else_case == nullptr || ReadStmt(branch->else_case);
  const Cells before = cells_;
  if (!ReadArm(branch->then_case, condition, true)) return false;
  const Cells yes = std::exchange(cells_, before);
  cells_.resize(reading_.memories.size());
  if (!ReadArm(branch->else_case, condition, false)) return false;
  for (size_t memory = 0; memory < before.size(); ++memory) {
    for (size_t cell = 0; cell < before[memory].size(); ++cell)
      cells_[memory][cell] = Joined(condition, yes[memory][cell], cells_[memory][cell]);
  }
  return true;
}

/// The value of a cell after a condition; -1 if one arm leaves it undefined.
TermId FunctionReader::Joined(TermId condition, TermId yes, TermId no) {
  if (yes == no || yes < 0 || no < 0) return yes == no ? yes : -1;
  const auto when = [&](TermId base, TermId update, TermId holds) {
    Term term;
    term.kind = TermKind::kWhen;
    term.dtype = terms_.At(base).dtype;
    term.args = {base, update, holds};
    return terms_.Intern(std::move(term));
  };
  if (const TermId update = terms_.UpdateOf(yes, no); update >= 0)
    return when(no, update, condition);
  if (const TermId update = terms_.UpdateOf(no, yes); update >= 0)
    return when(yes, update, terms_.Not(condition));
  return terms_.Choice(condition, yes, no);
}

bool FunctionReader::ReadFor(const For* loop) {
  const int64_t* first = AsIntImm(loop->min);
  const int64_t* extent = AsIntImm(loop->extent);
  const bool is_plain = loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kUnrolled;
  if (first == nullptr || extent == nullptr || (!is_plain && loop->for_kind != ForKind::kParallel))
    return Fail(fmt::format("it has a loop `{}` of unknown length, or for vectors or threads",
                            loop->loop_var->name.view()));
  const Var* shared = is_plain ? nullptr : uses_.StoredOutside(loop);
  if (shared != nullptr)
    return Fail(fmt::format("iterations of its parallel loop `{}` share `{}`",
                            loop->loop_var->name.view(), shared->name.view()));
  if (*extent <= 0) return true;
  const bool runs_each = *extent == 1 || uses_.IndexesCells(loop->loop_var);
  const bool is_read =
      runs_each ? ReadEach(loop, *first, *extent) : ReadOnce(loop, *first, *extent);
  vars_.erase(loop->loop_var);
  return is_read;
}

bool FunctionReader::ReadEach(const For* loop, int64_t first, int64_t extent) {
  for (int64_t i = first; i < first + extent; ++i) {
    vars_[loop->loop_var] = terms_.Number(loop->loop_var->dtype, i);
    if (!ReadStmt(loop->body)) return false;
  }
  return true;
}

bool FunctionReader::ReadOnce(const For* loop, int64_t first, int64_t extent) {
  if (depth_ >= kMostDepth) return Fail("its loops are nested too deep");
  OpenLoop open;
  open.loop = loop;
  open.extent = extent;
  open.digit = forms_.AsDigit(forms_.Count(extent, std::string(loop->loop_var->name.view())));
  for (const Var* data : uses_.StoredIn(loop)) {
    const int memory = MemoryOf(data);
    if (memory < 0) continue;
    open.stored.push_back(memory);
    open.before.push_back(cells_[static_cast<size_t>(memory)]);
    std::vector<TermId> entry;
    for (size_t cell = 0; cell < open.before.back().size(); ++cell) {
      Term term;
      term.kind = TermKind::kEntry;
      term.dtype = reading_.memories[static_cast<size_t>(memory)].dtype;
      term.memory = memory;
      term.form = forms_.Constant(static_cast<int64_t>(cell));
      term.number = depth_;
      entry.push_back(open.before.back()[cell] < 0 ? -1 : terms_.Intern(std::move(term)));
    }
    open.entry.push_back(std::move(entry));
  }
  if (!RunBody(open, first)) return false;
  if (!CloseLoop(open)) {
    if (!ReplaceEntries(open) || !RunBody(open, first)) return false;
    if (!CloseLoop(open))
      return Fail(fmt::format("its loop `{}` carries a value that is not a sum",
                              loop->loop_var->name.view()));
  }
  return true;
}

/// Reads an iteration of the loop. Its stores replace those of an earlier reading.
bool FunctionReader::RunBody(OpenLoop& open, int64_t first) {
  for (size_t i = 0; i < open.stored.size(); ++i)
    cells_[static_cast<size_t>(open.stored[i])] = open.entry[i];
  const DataType dtype = open.loop->loop_var->dtype;
  const TermId counter =
      terms_.Index(dtype, forms_.Add(forms_.Digit(open.digit), forms_.Constant(first)));
  if (counter < 0) return Fail("a loop counter is too large for its type");
  vars_[open.loop->loop_var] = counter;
  std::vector<size_t>& marks = open.marks;
  if (marks.empty()) {
    for (const std::vector<Piece>& pieces : reading_.pieces) marks.push_back(pieces.size());
  }
  for (size_t i = 0; i < reading_.pieces.size(); ++i)
    reading_.pieces[i].resize(i < marks.size() ? marks[i] : 0);
  open_.push_back(open.digit);
  ++depth_;
  const bool is_read = ReadStmt(open.loop->body);
  --depth_;
  open_.pop_back();
  return is_read;
}

/// Elements that are loaded an iteration before their use: if iteration i leaves v(i) in a cell,
/// and the cell contained v(-1) before the loop, then iteration i begins with v(i - 1). False if
/// there is no such cell.
bool FunctionReader::ReplaceEntries(OpenLoop& open) {
  bool found = false;
  const FormId earlier = forms_.Add(forms_.Digit(open.digit), forms_.Constant(-1));
  for (size_t i = 0; i < open.stored.size(); ++i) {
    const std::vector<TermId>& after = cells_[static_cast<size_t>(open.stored[i])];
    for (size_t cell = 0; cell < after.size(); ++cell) {
      if (after[cell] < 0 || (terms_.EntriesOf(after[cell]) >> depth_ & 1) != 0) continue;
      if (terms_.Replace(after[cell], open.digit, forms_.Constant(-1)) != open.before[i][cell])
        continue;
      open.entry[i][cell] = terms_.Replace(after[cell], open.digit, earlier);
      open.carried.push_back({i, cell, after[cell]});
      found = true;
    }
  }
  return found || Fail(fmt::format("its loop `{}` carries a value that is not a sum",
                                   open.loop->loop_var->name.view()));
}

/// The value of a cell after a loop; -1 if it is undefined, -2 if it is not understood.
TermId FunctionReader::AfterLoop(const OpenLoop& open, TermId before, TermId entry, TermId after) {
  if (after == entry) return before;
  if (after < 0) return -1;
  const auto has_entries = [&](TermId term) { return (terms_.EntriesOf(term) >> depth_ & 1) != 0; };
  if (!has_entries(after))
    return terms_.Replace(after, open.digit, forms_.Constant(open.extent - 1));
  const TermId update = entry < 0 ? -1 : terms_.UpdateOf(after, entry);
  if (update < 0 || has_entries(update)) return -2;
  Term term;
  term.kind = TermKind::kRepeat;
  term.dtype = terms_.At(before).dtype;
  term.number = open.digit;
  term.args = {before, update};
  return terms_.Intern(std::move(term));
}

/// Leaves a loop. False, without any change, if it carries values other than sums.
bool FunctionReader::CloseLoop(const OpenLoop& open) {
  for (const auto& [i, cell, value] : open.carried) {
    if (cells_[static_cast<size_t>(open.stored[i])][cell] != value) return false;
  }
  Cells closed;
  for (size_t i = 0; i < open.stored.size(); ++i) {
    const std::vector<TermId>& after = cells_[static_cast<size_t>(open.stored[i])];
    closed.emplace_back();
    for (size_t cell = 0; cell < after.size(); ++cell) {
      closed.back().push_back(
          AfterLoop(open, open.before[i][cell], open.entry[i][cell], after[cell]));
      if (closed.back().back() == -2) return false;
    }
  }
  for (size_t i = 0; i < reading_.pieces.size(); ++i) {
    const std::vector<Piece>& pieces = reading_.pieces[i];
    for (size_t at = i < open.marks.size() ? open.marks[i] : 0; at < pieces.size(); ++at) {
      if ((terms_.EntriesOf(pieces[at].value) >> depth_ & 1) != 0) return false;
    }
  }
  for (size_t i = 0; i < open.stored.size(); ++i)
    cells_[static_cast<size_t>(open.stored[i])] = std::move(closed[i]);
  return true;
}

}  // namespace tenon::check
