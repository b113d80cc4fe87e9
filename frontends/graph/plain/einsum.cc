// Einsum: sums of products over labels of axes. The attribute `equation` has a term of labels for
// each input, and after `->` the term of the output. `...` stands for axes without labels, which
// are repeated to each other.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// A term with a label for each axis. Axes of `...` have the labels after kEllipsis, counted from
/// the last axis.
using Labels = std::vector<int>;
constexpr int kEllipsis = 256;

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
  std::map<int, int64_t> extents;

  int64_t ExtentOfLabel(int label) const { return extents.at(label); }
};

bool IsLabel(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The labels of a term; `...` becomes `hidden` labels.
absl::StatusOr<Labels> LabelsOf(const OperatorView& op, std::string_view term, int64_t hidden) {
  Labels labels;
  bool has_dots = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (IsLabel(term[i])) {
      labels.push_back(term[i]);
    } else if (term.substr(i, 3) == "..." && !has_dots) {
      has_dots = true;
      i += 2;
      for (int64_t axis = hidden; axis-- > 0;) labels.push_back(kEllipsis + static_cast<int>(axis));
    } else {
      return op.Wrong(fmt::format("expected letters and one `...` in a term, found `{}`", term));
    }
  }
  return labels;
}

/// The extents of labels, of which 1 is repeated to others for axes without labels.
absl::Status AddExtents(const OperatorView& op, const Labels& labels, const TensorShape& shape,
                        Equation& equation) {
  if (labels.size() != shape.size())
    return op.Wrong(
        fmt::format("expected {} labels for an input, found {}", shape.size(), labels.size()));
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    int64_t& extent = equation.extents.emplace(labels[axis], shape[axis]).first->second;
    const bool repeats = labels[axis] >= kEllipsis && (extent == 1 || shape[axis] == 1);
    if (extent != shape[axis] && !repeats)
      return op.Wrong(
          fmt::format("expected one extent for each label, found {} and {}", extent, shape[axis]));
    if (extent == 1) extent = shape[axis];
  }
  return absl::OkStatus();
}

std::vector<std::string> TermsOf(std::string_view text) {
  std::vector<std::string> terms(1);
  for (const char c : text) {
    if (c == ',') terms.emplace_back();
    if (c != ',' && c != ' ') terms.back() += c;
  }
  return terms;
}

/// Without `->`, the output has the axes without labels, and then the labels that occur once.
Labels ImplicitOutput(const Equation& equation) {
  std::map<int, int> counts;
  for (const Labels& labels : equation.inputs)
    for (const int label : labels) ++counts[label];
  Labels output;
  for (auto row = counts.rbegin(); row != counts.rend(); ++row)
    if (row->first >= kEllipsis) output.push_back(row->first);
  for (const auto& [label, count] : counts)
    if (label < kEllipsis && count == 1) output.push_back(label);
  return output;
}

absl::StatusOr<Equation> EquationOf(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(op.inputs()));
  const std::string_view text = op.attributes().Text("equation");
  const size_t arrow = text.find("->");
  const std::vector<std::string> terms = TermsOf(text.substr(0, arrow));
  if (terms.size() != op.inputs())
    return op.Wrong(fmt::format("expected {} terms in `equation`, found `{}`", op.inputs(), text));
  Equation equation;
  int64_t most_hidden = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto letters = std::count_if(terms[i].begin(), terms[i].end(), IsLabel);
    const bool has_dots = terms[i].find("...") != std::string::npos;
    const int64_t hidden = has_dots ? op.input(i).rank() - letters : 0;
    most_hidden = std::max(most_hidden, hidden);
    TENON_ASSIGN_OR(Labels labels, LabelsOf(op, terms[i], hidden));
    TENON_TRY(AddExtents(op, labels, op.input(i).shape, equation));
    equation.inputs.push_back(std::move(labels));
  }
  if (arrow == std::string_view::npos) {
    equation.output = ImplicitOutput(equation);
    return equation;
  }
  const std::vector<std::string> output = TermsOf(text.substr(arrow + 2));
  if (output.size() != 1)
    return op.Wrong(fmt::format("expected one term after `->`, found `{}`", text));
  TENON_ASSIGN_OR(equation.output, LabelsOf(op, output[0], most_hidden));
  Labels sorted = equation.output;
  std::sort(sorted.begin(), sorted.end());
  const bool repeats = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  const bool is_known = std::all_of(sorted.begin(), sorted.end(),
                                    [&](int label) { return equation.extents.contains(label); });
  if (is_known && !repeats) return equation;
  return op.Wrong(fmt::format("expected labels of inputs after `->`, each once, found `{}`", text));
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfEinsum(const OperatorView& op) {
  TENON_ASSIGN_OR(const Equation equation, EquationOf(op));
  TensorShape shape;
  for (const int label : equation.output) shape.push_back(equation.ExtentOfLabel(label));
  return Shapes{std::move(shape)};
}

absl::Status BuildEinsum(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_ASSIGN_OR(const Equation equation, EquationOf(code));
  std::vector<int64_t> kept, summed;
  Labels labels = equation.output;
  for (const int label : equation.output) kept.push_back(equation.ExtentOfLabel(label));
  for (const auto& [label, extent] : equation.extents) {
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
    labels.push_back(label);
    summed.push_back(extent);
  }
  const DataType dtype = code.output().dtype;
  const DataType work = WorkType(dtype);
  const Array to = code.Flat(code.Out(), kept);
  code.Grid("i", kept, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", work);
    code.Set(sum, code.Number(work, 0));
    code.Grid("k", summed, [&](const std::vector<Value>& inner) {
      std::map<int, Value> index;
      for (size_t i = 0; i < labels.size(); ++i)
        index[labels[i]] = i < at.size() ? at[i] : inner[i - at.size()];
      Value product = code.Number(work, 1);
      for (size_t i = 0; i < code.inputs(); ++i) {
        const TensorShape& shape = code.input(i).shape;
        std::vector<Value> place;
        for (size_t axis = 0; axis < shape.size(); ++axis)
          place.push_back(shape[axis] == 1 ? code.Int(0) : index[equation.inputs[i][axis]]);
        if (place.empty()) place.push_back(code.Int(0));
        const Value element = Cast(work, code.In(i).Load(place));
        product = i == 0 ? element : product * element;
      }
      code.Set(sum, code.Get(sum) + product);
    });
    std::vector<Value> place = at;
    if (place.empty()) place.push_back(code.Int(0));
    code.Store(to, place, Cast(dtype, code.Get(sum)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
