#include <fmt/format.h>

#include <utility>

#include "ir/attributes.h"
#include "ir/const_fold.h"
#include "parser/forms_internal.h"

namespace tenon {

static std::optional<LoopDim> DimOf(FormContext& p, const PyValue* start, const PyValue& stop) {
  const Expr* end = p.values.ToExpr(stop);
  if (end == nullptr) return std::nullopt;
  const auto is_bound = [&](const PyValue& value, const Expr* expr, std::string_view what) {
    if (expr->dtype.is_integer() && expr->dtype.is_scalar() && !expr->dtype.is_bool()) return true;
    p.env.Error(
        DiagnosticKind::kType, value.range,
        fmt::format("{} of a loop is {}, expected an integer", what, DescribeTyped(value, expr)));
    return false;
  };
  if (!is_bound(stop, end, "end")) return std::nullopt;
  if (start == nullptr) {
    return LoopDim{p.env.builder.Int(end->dtype, 0, end->range), end, end->dtype};
  }
  const Expr* begin = p.values.ToExpr(*start);
  if (begin == nullptr) return std::nullopt;
  if (!is_bound(*start, begin, "start")) return std::nullopt;
  if (isa<IntImm>(end) && end->dtype != begin->dtype && end->dtype.bits() <= begin->dtype.bits()) {
    end = SmartCast(p.env.builder, begin->dtype, end);
  }
  const Expr* extent = p.values.ExtentBetween(begin, end);
  if (extent == nullptr) return std::nullopt;
  const DataType dtype =
      begin->dtype.with_bits(std::max(begin->dtype.bits(), extent->dtype.bits()));
  // Constants take the type of the variable.
  if (isa<IntImm>(begin)) begin = SmartCast(p.env.builder, dtype, begin);
  if (isa<IntImm>(extent)) extent = SmartCast(p.env.builder, dtype, extent);
  if (begin->dtype != dtype || extent->dtype != dtype) {
    p.env.Error(DiagnosticKind::kType, {start->range.begin, stop.range.end},
                fmt::format("loop from `{}` over `{}`, expected one dtype", begin->dtype.ToString(),
                            extent->dtype.ToString()));
    return std::nullopt;
  }
  return LoopDim{begin, extent, dtype};
}

// `unroll=True` stands for annotations={"pragma_unroll": True}, `unroll=False` for
// {"disable_unroll": True}.
static const MapAttr* UnrollAnnotation(FormContext& p, const PyValue& value) {
  const bool is_off = value.is(PyKind::kBool) && value.integer == 0;
  const Attr* attr = is_off ? p.env.builder.New<BoolAttr>(value.range, true)
                            : p.attrs.ToAttr(value, /*normalise=*/true);
  if (attr == nullptr) return nullptr;
  return p.env.builder.Map({{is_off ? attr_key::kDisableUnroll : attr_key::kPragmaUnroll, attr}});
}

static bool TakeStep(FormContext& p, const PyValue& value, PendingLoop* loop) {
  const std::optional<int64_t> step = p.values.ToInt(value, "the step of a loop");
  if (!step) return false;
  const bool fits = *step == 1 || (*step > 1 && *step <= INT32_MAX && p.env.rules->has_flat_scopes);
  if (fits) {
    loop->step = *step;
    return true;
  }
  p.env.Error(DiagnosticKind::kUnsupported, value.range,
              "loop with a step, expected one over the number of steps");
  return false;
}

PyValue RangeLoop(FormContext& p, ForKind kind, const Args& args) {
  Bound<5> bound;
  const bool thread = kind == ForKind::kThreadBinding;
  const bool unrolls = p.env.rules->has_flat_scopes;
  const bool fits =
      thread    ? p.env.Bind(args, {"start", "stop", "thread", "annotations"}, 1, bound)
      : unrolls ? p.env.Bind(args, {"start", "stop", "annotations", "step", "unroll"}, 1, bound)
                : p.env.Bind(args, {"start", "stop", "annotations"}, 1, bound);
  if (!fits) return args.Error();
  const PyValue* tag = thread ? bound[2] : nullptr;
  if (thread && tag == nullptr && bound[1] != nullptr && bound[1]->is(PyKind::kString)) {
    tag = bound[1];
    bound[1] = nullptr;
  }
  const bool one = bound[1] == nullptr || bound[1]->is(PyKind::kNone);
  const std::optional<LoopDim> dim =
      one ? DimOf(p, nullptr, *bound[0]) : DimOf(p, bound[0], *bound[1]);
  if (!dim) return args.Error();
  auto* loop = p.env.scratch->New<PendingLoop>();
  loop->kind = kind;
  if (thread) {
    if (tag == nullptr) {
      return p.env.Fail(DiagnosticKind::kArguments, args.range,
                        "`thread_binding` lacks its argument `thread`");
    }
    const std::optional<std::string_view> text = p.values.ToText(*tag, "the thread");
    if (!text) return args.Error();
    loop->thread = *text;
  }
  const PyValue* annotations = bound[thread ? 3 : 2];
  if (!thread && annotations != nullptr && args.positional.size() == 3 &&
      (annotations->is(PyKind::kInt) || annotations->is(PyKind::kExpr))) {
    bound[3] = std::exchange(annotations, nullptr);
  }
  if (annotations != nullptr && !annotations->is(PyKind::kNone)) {
    loop->annotations = p.attrs.ToMap(*annotations, /*normalise=*/true);
    if (loop->annotations == nullptr) return args.Error();
  }
  if (!thread && bound[3] != nullptr && !TakeStep(p, *bound[3], loop)) return args.Error();
  if (!thread && bound[4] != nullptr) {
    loop->annotations = UnrollAnnotation(p, *bound[4]);
    if (loop->annotations == nullptr) return args.Error();
  }
  loop->dims = p.env.scratch->Copy(std::span<const LoopDim>(&*dim, 1));
  PyValue value(PyKind::kLoop, args.range);
  value.loop = loop;
  return value;
}

PyValue CallLoop(FormContext& p, const TirName& name, Args& args) {
  switch (name.form) {
    case TirForm::kSerial:
      return RangeLoop(p, ForKind::kSerial, args);
    case TirForm::kParallel:
      return RangeLoop(p, ForKind::kParallel, args);
    case TirForm::kVectorized:
      return RangeLoop(p, ForKind::kVectorized, args);
    case TirForm::kUnroll:
      return RangeLoop(p, ForKind::kUnrolled, args);
    default:
      return RangeLoop(p, ForKind::kThreadBinding, args);
  }
}

PyValue CallGrid(FormContext& p, const TirName&, Args& args) {
  if (!args.keywords.empty()) {
    return p.env.Fail(DiagnosticKind::kArguments, args.keywords[0].range,
                      "`T.grid` takes positional arguments only", args.range);
  }
  absl::InlinedVector<LoopDim, 6> dims;
  for (const PyValue& extent : args.positional) {
    std::optional<LoopDim> dim;
    if (extent.is_sequence() && extent.count == 2) {
      dim = DimOf(p, &extent.items[0], extent.items[1]);
    } else {
      dim = DimOf(p, nullptr, extent);
    }
    if (!dim) return args.Error();
    dims.push_back(*dim);
  }
  auto* loop = p.env.scratch->New<PendingLoop>();
  loop->dims = p.env.scratch->Copy(std::span<const LoopDim>(dims));
  PyValue value(PyKind::kLoop, args.range);
  value.loop = loop;
  return value;
}

}  // namespace tenon
