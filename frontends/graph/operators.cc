#include "frontends/graph/operators.h"

#include <fmt/format.h>

#include <limits>
#include <span>

#include "support/status_macros.h"

namespace tenon::graph {

namespace {

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

constexpr OperatorKind kKinds[] = {
#define TENON_GRAPH_OPERATOR(kind, Builder, Rule) {kind, &Builder, &Rule},
#include "frontends/graph/operators.def"
};

constexpr OperatorKind kPlainKinds[] = {
#define TENON_PLAIN_OPERATOR(kind, Builder, Rule, ...) \
  {kind, &plain::Builder, &plain::Rule, OperatorCounts{__VA_ARGS__}},
#include "frontends/graph/plain_operators.def"
};

absl::Status CheckNumber(const OperatorView& op, std::string_view what, size_t found, size_t least,
                         size_t most) {
  if (found >= least && found <= most) return absl::OkStatus();
  if (most == kAnyNumber)
    return op.Wrong(fmt::format("expected at least {} {}, found {}", least, what, found));
  return op.Wrong(fmt::format("expected {} to {} {}, found {}", least, most, what, found));
}

absl::Status CheckAll(const OperatorCounts& counts, const OperatorView& op) {
  TENON_TRY(CheckNumber(op, "inputs", op.inputs(), counts.least_inputs, counts.most_inputs));
  TENON_TRY(CheckNumber(op, "outputs", op.outputs(), counts.least_outputs, counts.most_outputs));
  TENON_TRY(op.CheckPresent(counts.least_inputs));
  for (size_t i = 0; i < counts.least_outputs; ++i)
    if (!op.HasOutput(i)) return op.Wrong(fmt::format("output {} is missing", i));
  return absl::OkStatus();
}

}  // namespace

const OperatorKind* FindOperatorKind(Format format, std::string_view kind) {
  const std::span<const OperatorKind> kinds =
      format == Format::kTflite ? std::span<const OperatorKind>(kKinds) : kPlainKinds;
  for (const OperatorKind& row : kinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

absl::StatusOr<Shapes> OutputShapes(const OperatorKind& kind, const OperatorView& op) {
  if (kind.counts) TENON_TRY(CheckAll(*kind.counts, op));
  return kind.shapes(op);
}

absl::Status BuildOperator(const OperatorKind& kind, OperatorCode& code) {
  if (!kind.counts) return kind.build(code);
  TENON_ASSIGN_OR(const Shapes shapes, OutputShapes(kind, code));
  for (size_t i = 0; i < code.outputs(); ++i) {
    if (!code.HasOutput(i) || shapes[i] == code.output(i).shape) continue;
    Tensor inferred = code.output(i);
    inferred.shape = shapes[i];
    return code.Wrong(fmt::format("expected an output of {}, found {}", inferred.TypeText(),
                                  code.output(i).TypeText()));
  }
  return kind.build(code);
}

bool IsReshape(Format format, const Operator& op) {
  const OperatorKind* kind = FindOperatorKind(format, op.kind);
  return kind != nullptr && (kind->build == &BuildReshape || kind->build == &plain::BuildReshape);
}

}  // namespace tenon::graph
