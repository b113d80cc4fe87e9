#include <fmt/format.h>

#include "ir/attributes.h"
#include "parser/parser_internal.h"

namespace tenon {

static bool IsOne(const PyValue& value) { return value.is(PyKind::kInt) && value.integer == 1; }

std::optional<LoopDim> Parser::DimOf(const PyValue* start, const PyValue& stop) {
  const Expr* end = ToExpr(stop);
  if (end == nullptr) return std::nullopt;
  const auto is_bound = [&](const PyValue& value, const Expr* expr, std::string_view what) {
    if (expr->dtype.is_integer() && expr->dtype.is_scalar() && !expr->dtype.is_bool()) return true;
    Error(DiagnosticKind::kType, value.range,
          fmt::format("{} of a loop is {}, expected an integer", what, DescribeTyped(value, expr)));
    return false;
  };
  if (!is_bound(stop, end, "end")) return std::nullopt;
  if (start == nullptr) {
    return LoopDim{builder_.Int(end->dtype, 0, end->range), end, end->dtype};
  }
  const Expr* begin = ToExpr(*start);
  if (begin == nullptr) return std::nullopt;
  if (!is_bound(*start, begin, "start")) return std::nullopt;
  if (isa<IntImm>(end) && end->dtype != begin->dtype && end->dtype.bits() <= begin->dtype.bits()) {
    end = SmartCast(builder_, begin->dtype, end);
  }
  const Expr* extent = ExtentBetween(begin, end);
  if (extent == nullptr) return std::nullopt;
  const DataType dtype =
      begin->dtype.with_bits(std::max(begin->dtype.bits(), extent->dtype.bits()));
  // Constants take the type of the variable.
  if (isa<IntImm>(begin)) begin = SmartCast(builder_, dtype, begin);
  if (isa<IntImm>(extent)) extent = SmartCast(builder_, dtype, extent);
  if (begin->dtype != dtype || extent->dtype != dtype) {
    Error(DiagnosticKind::kType, {start->range.begin, stop.range.end},
          fmt::format("loop from `{}` over `{}`, expected one dtype", begin->dtype.ToString(),
                      extent->dtype.ToString()));
    return std::nullopt;
  }
  return LoopDim{begin, extent, dtype};
}

// `unroll=True` stands for annotations={"pragma_unroll": True}, `unroll=False` for
// {"disable_unroll": True}.
const MapAttr* Parser::UnrollAnnotation(const PyValue& value) {
  const bool is_off = value.is(PyKind::kBool) && value.integer == 0;
  const Attr* attr =
      is_off ? builder_.New<BoolAttr>(value.range, true) : ToAttr(value, /*normalise=*/true);
  if (attr == nullptr) return nullptr;
  return builder_.Map({{is_off ? attr_key::kDisableUnroll : attr_key::kPragmaUnroll, attr}});
}

PyValue Parser::RangeLoop(ForKind kind, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<5> bound;
  const bool thread = kind == ForKind::kThreadBinding;
  const bool unrolls = rules_->has_flat_scopes;
  const bool fits = thread ? Bind(args, {"start", "stop", "thread", "annotations"}, 1, bound)
                    : unrolls
                        ? Bind(args, {"start", "stop", "annotations", "step", "unroll"}, 1, bound)
                        : Bind(args, {"start", "stop", "annotations"}, 1, bound);
  if (!fits) return error;
  const PyValue* tag = thread ? bound[2] : nullptr;
  if (thread && tag == nullptr && bound[1] != nullptr && bound[1]->is(PyKind::kString)) {
    tag = bound[1];
    bound[1] = nullptr;
  }
  const bool one = bound[1] == nullptr || bound[1]->is(PyKind::kNone);
  const std::optional<LoopDim> dim = one ? DimOf(nullptr, *bound[0]) : DimOf(bound[0], *bound[1]);
  if (!dim) return error;
  auto* loop = scratch_->New<PendingLoop>();
  loop->kind = kind;
  if (thread) {
    if (tag == nullptr) {
      Error(DiagnosticKind::kArguments, args.range, "`thread_binding` lacks its argument `thread`");
      return error;
    }
    const std::optional<std::string_view> text = ToText(*tag, "the thread");
    if (!text) return error;
    loop->thread = *text;
  }
  const PyValue* annotations = bound[thread ? 3 : 2];
  if (!thread && annotations != nullptr && args.positional.size() == 3 &&
      (annotations->is(PyKind::kInt) || annotations->is(PyKind::kExpr))) {
    Error(DiagnosticKind::kUnsupported, annotations->range,
          "loop with a step, expected one over the number of steps");
    return error;
  }
  if (annotations != nullptr && !annotations->is(PyKind::kNone)) {
    loop->annotations = ToMap(*annotations, /*normalise=*/true);
    if (loop->annotations == nullptr) return error;
  }
  if (!thread && bound[3] != nullptr && !IsOne(*bound[3])) {
    Error(DiagnosticKind::kUnsupported, bound[3]->range,
          "loop with a step, expected one over the number of steps");
    return error;
  }
  if (!thread && bound[4] != nullptr) {
    loop->annotations = UnrollAnnotation(*bound[4]);
    if (loop->annotations == nullptr) return error;
  }
  loop->dims = scratch_->Copy(std::span<const LoopDim>(&*dim, 1));
  PyValue value(PyKind::kLoop, args.range);
  value.loop = loop;
  return value;
}

PyValue Parser::LoopOf(const TirName& name, const Args& args) {
  switch (name.form) {
    case TirForm::kSerial:
      return RangeLoop(ForKind::kSerial, args);
    case TirForm::kParallel:
      return RangeLoop(ForKind::kParallel, args);
    case TirForm::kVectorized:
      return RangeLoop(ForKind::kVectorized, args);
    case TirForm::kUnroll:
      return RangeLoop(ForKind::kUnrolled, args);
    case TirForm::kThreadBinding:
      return RangeLoop(ForKind::kThreadBinding, args);
    default:
      break;
  }
  const PyValue error(PyKind::kError, args.range);
  if (!args.keywords.empty()) {
    Error(DiagnosticKind::kArguments, args.keywords[0].range,
          "`T.grid` takes positional arguments only");
    return error;
  }
  absl::InlinedVector<LoopDim, 6> dims;
  for (const PyValue& extent : args.positional) {
    std::optional<LoopDim> dim;
    if (extent.is_sequence() && extent.count == 2) {
      dim = DimOf(&extent.items[0], extent.items[1]);
    } else {
      dim = DimOf(nullptr, extent);
    }
    if (!dim) return error;
    dims.push_back(*dim);
  }
  auto* loop = scratch_->New<PendingLoop>();
  loop->dims = scratch_->Copy(std::span<const LoopDim>(dims.data(), dims.size()));
  PyValue value(PyKind::kLoop, args.range);
  value.loop = loop;
  return value;
}

void Parser::ParseFor() {
  const SourceRange start = Here();
  Advance();
  absl::InlinedVector<Token, 6> targets;
  const bool parenthesised = Accept(Tok::kLParen);
  do {
    if (token_.name == nullptr || At(Tok::kIn)) break;
    targets.push_back(token_);
    Advance();
  } while (Accept(Tok::kComma));
  if (parenthesised) Expect(Tok::kRParen, "`)`");
  if (targets.empty()) UnexpectedToken("the name of a loop variable");
  PyValue value;
  if (Expect(Tok::kIn, "`in`")) value = ParseExpr();
  if (!failed_ && !value.is(PyKind::kLoop)) {
    if (!value.is_error()) {
      Error(DiagnosticKind::kType, value.range,
            fmt::format("loop over {}, expected `range`, `T.grid` or the like", Describe(value)));
    }
    value = PyValue();
  }
  absl::InlinedVector<const Var*, 6> vars;
  scopes_.Push();
  const bool fits = value.is(PyKind::kLoop) && value.loop->dims.size() == targets.size();
  if (value.is(PyKind::kLoop) && !fits) {
    Error(DiagnosticKind::kArguments, value.range,
          fmt::format("{} loop variables for {} extents", targets.size(), value.loop->dims.size()));
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const SourceRange range = lexer_.Range(targets[i]);
    if (!fits) {
      scopes_.Bind(targets[i].name, PyValue(), range);
      continue;
    }
    const Var* var =
        builder_.New<Var>(range, SymbolOf(targets[i].name), PrimTypeOf(value.loop->dims[i].dtype));
    vars.push_back(var);
    loop_vars_.emplace_back(var, value.loop->dims[i]);
    Define(targets[i].name, PyValue::Of(range, static_cast<const Expr*>(var)), range);
  }
  const SourceRange range = Since(start);
  const Stmt* body = ParseSuite();
  scopes_.Pop();
  loop_vars_.resize(loop_vars_.size() - vars.size());
  if (body == nullptr || !fits) return NotUnderstood(range);
  Push(LoopNest(*value.loop, Span<const Var*>(vars.data(), vars.size()), body, range));
}

const Stmt* Parser::LoopNest(const PendingLoop& loop, Span<const Var*> vars, const Stmt* body,
                             SourceRange range) {
  for (size_t i = vars.size(); i-- > 0;) {
    const IterVar* thread = nullptr;
    if (loop.kind == ForKind::kThreadBinding) {
      const Var* iter =
          builder_.New<Var>(range, context_.Intern("iter"), PrimTypeOf(loop.dims[i].dtype));
      thread = builder_.New<IterVar>(range, static_cast<const Range*>(nullptr), iter,
                                     IterVarKind::kThreadIndex, loop.thread);
    }
    body = builder_.New<For>(range, vars[i], loop.dims[i].min, loop.dims[i].extent, loop.kind, body,
                             thread, loop.annotations);
  }
  return body;
}

void Parser::ParseWhile() {
  const SourceRange start = Here();
  Advance();
  const PyValue value = ParseExpr();
  const Expr* condition = nullptr;
  if (!failed_) condition = ToExpr(value);
  if (condition != nullptr && !CheckCondition(condition, value.range)) condition = nullptr;
  if (condition != nullptr && isa<IntImm>(condition)) {
    Error(DiagnosticKind::kType, value.range, "the condition of `while` is a constant");
    condition = nullptr;
  }
  const SourceRange range = Since(start);
  scopes_.Push();
  const Stmt* body = ParseSuite();
  scopes_.Pop();
  if (condition == nullptr || body == nullptr) return NotUnderstood(range);
  Push(builder_.New<While>(range, condition, body));
}

// A branch stands within the `else` of the one before, and is printed so. False when that is too
// deep; the branches that are left are skipped.
bool Parser::CheckElif(size_t branches) {
  if (lexer_.indent_depth() + branches + 1 <= Lexer::kMostIndents) return true;
  Error(DiagnosticKind::kLimit, Here(),
        fmt::format("more than {} nested levels (each `elif` is one)", Lexer::kMostIndents));
  while (At(Tok::kElif)) SkipBlock();
  return false;
}

void Parser::ParseIf() {
  struct Branch {
    SourceRange range;
    const Expr* condition;  // null: an error, or Python's own truth
    std::optional<bool> known;
    const Stmt* body;
  };
  std::vector<Branch> branches;
  const Stmt* otherwise = nullptr;
  bool ok = true;
  for (bool more = true; more;) {
    Branch branch{Here(), nullptr, std::nullopt, nullptr};
    Advance();
    const PyValue value = ParseExpr();
    if (!failed_ && value.is(PyKind::kBool)) {
      branch.known = value.integer != 0;
    } else if (!failed_ && value.is_number()) {
      Error(DiagnosticKind::kType, value.range,
            fmt::format("the condition is {}, expected bool", Describe(value)));
    } else if (!failed_) {
      branch.condition = ToExpr(value);
      if (branch.condition != nullptr && !CheckCondition(branch.condition, value.range)) {
        branch.condition = nullptr;
      }
    }
    ok = ok && (branch.condition != nullptr || branch.known);
    branch.range = Since(branch.range);
    scopes_.Push();
    branch.body = ParseSuite();
    scopes_.Pop();
    ok = ok && branch.body != nullptr;
    branches.push_back(branch);
    more = At(Tok::kElif);
    if (more && !CheckElif(branches.size())) more = ok = false;
  }
  if (At(Tok::kElse)) {
    Advance();
    scopes_.Push();
    otherwise = ParseSuite();
    scopes_.Pop();
    ok = ok && otherwise != nullptr;
  }
  if (!ok) return NotUnderstood(branches[0].range);
  const Stmt* result = otherwise;
  for (size_t i = branches.size(); i-- > 0;) {
    const Branch& branch = branches[i];
    if (branch.known) {
      result = *branch.known ? branch.body : result;
    } else {
      result = builder_.New<IfThenElse>(branch.range, branch.condition, branch.body, result);
    }
  }
  if (result != nullptr) Push(result);
}

}  // namespace tenon
