// All facts come from attributes of the module, so the report is the same before and after regions
// become functions, and for a module that was compiled earlier.

#include "byoc/byoc_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "byoc/code_generator.h"
#include "byoc/op_info.h"
#include "byoc/region_units.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/visitor.h"
#include "support/json_writer.h"

namespace tenon {

namespace {

/// The limit on kinds of host operators that a line names.
constexpr size_t kMostKinds = 6;
/// OpInfo::kind of operators without a claim.
constexpr std::string_view kUnknownKind = "unknown";

/// Collects the calls of operators of one function.
class OperatorReader : public Visitor<OperatorReader> {
 public:
  using Names = absl::flat_hash_set<Symbol>;

  /// `graph` contains the functions whose calls are read.
  OperatorReader(const IRModule& module, const Names& graph, const Function& function,
                 ByocReport& report)
      : module_(module), graph_(graph), function_(function), report_(report) {}

  void Read(std::string_view target) {
    target_ = target;
    Visit(function_.func->body);
  }

  void VisitAttrStmt(const AttrStmt* attr) {
    const auto* target = dyn_cast<StringImm>(attr->value);
    if (attr->key != attr_key::kRegion || target == nullptr) return VisitChildren(attr);
    const std::string_view outer = std::exchange(target_, target->value);
    const std::string_view* name = AsString(attr->node);
    const std::string_view reason = name == nullptr ? std::string_view() : *name;
    const std::string_view outer_reason = std::exchange(reason_, reason);
    VisitChildren(attr);
    target_ = outer;
    reason_ = outer_reason;
  }

  void VisitCall(const Call* call) {
    VisitChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (!IsOperatorCall(module_, function_, site)) return;
    if (site.callee != nullptr) {
      if (const auto* compiler = AsString(site.callee->FindAttr(attr_key::kCompiler)))
        return ReadExternal(*site.callee, *compiler);
      // The report reads the calls of this function as well.
      if (graph_.contains(site.callee->name)) return;
    }
    Add(site);
  }

 private:
  void ReadExternal(const Function& callee, std::string_view compiler) {
    if (ReadOpInfo(callee))
      return AddClaim(callee.name.view(), *ReadOpInfo(callee), callee, compiler);
    OperatorReader(module_, graph_, callee, report_).Read(compiler);
  }

  void Add(const CallSite& site) {
    const RegionOp op = RegionOpOf(module_, site);
    if (op.function != nullptr) return AddClaim(op.name, op.info, *op.function, target_);
    ByocOperator& made = NewOperator(op.name, op.info, target_);
    AddReasons(made, EntryOfExtern(module_, attr_key::kWhyNot, op.name));
  }

  void AddClaim(std::string_view name, const OpInfo& info, const Function& function,
                std::string_view target) {
    ByocOperator& made = NewOperator(name, info, target);
    AddReasons(made, function.FindAttr(attr_key::kWhyNot));
    if (!info.known() && made.why_not.empty() && made.target == kHostTarget) {
      for (const std::string& asked : report_.targets)
        made.why_not.emplace_back(asked, info.because);
    }
  }

  ByocOperator& NewOperator(std::string_view name, const OpInfo& info, std::string_view target) {
    ByocOperator& made = report_.operators.emplace_back();
    made.name = std::string(name);
    made.caller = std::string(function_.name.view());
    made.kind = info.kind;
    made.macs = info.macs;
    made.elements = info.elements;
    made.target = std::string(target);
    return made;
  }

  /// Reasons of the operator, in the order of the targets, then those of its region:
  /// `npu: below min-macs; c: ...`.
  void AddReasons(ByocOperator& made, const Attr* attr) const {
    const auto* map = dyn_cast_or_null<MapAttr>(attr);
    for (const std::string& asked : report_.targets) {
      const std::string_view* because = map == nullptr ? nullptr : AsString(map->Find(asked));
      if (because != nullptr) {
        made.why_not.emplace_back(asked, std::string(*because));
        continue;
      }
      const std::string begin = asked + ": ";
      size_t at = 0;
      while (at < reason_.size()) {
        const size_t end = std::min(reason_.find("; ", at), reason_.size());
        const std::string_view one = reason_.substr(at, end - at);
        if (one.starts_with(begin))
          made.why_not.emplace_back(asked, std::string(one.substr(begin.size())));
        at = end + 2;
      }
    }
  }

  const IRModule& module_;
  const Names& graph_;
  const Function& function_;
  ByocReport& report_;
  std::string_view target_ = kHostTarget;
  std::string_view reason_;
};

double Percent(int64_t part, int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Adds two numbers; the sum saturates.
void AddTo(int64_t& sum, int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = INT64_MAX;
}

int64_t MacsOf(const ByocReport& report, std::string_view target) {
  int64_t macs = 0;
  for (const ByocOperator& op : report.operators) {
    if (target.empty() || op.target == target) AddTo(macs, op.macs);
  }
  return macs;
}

/// `softmax (10 elements, below min-macs)`: the operators of the host, by kind and first reason.
std::string HostText(const ByocReport& report) {
  struct Group {
    std::string kind, because;
    int64_t count = 0, elements = 0;
  };
  std::vector<Group> groups;
  for (const ByocOperator& op : report.operators) {
    if (op.target != kHostTarget) continue;
    const std::string because = op.why_not.empty() ? std::string() : op.why_not[0].second;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.kind == op.kind && known.because == because;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{op.kind, because});
    ++group->count;
    AddTo(group->elements, op.elements);
  }
  std::string text;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i == kMostKinds) return text + fmt::format(", and {} kinds more", groups.size() - i);
    const Group& group = groups[i];
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ",
                        group.count > 1 ? fmt::format("{} ", group.count) : "", group.kind);
    const std::string elements =
        group.elements > 0 ? fmt::format("{} elements", group.elements) : std::string();
    const bool has_both = !elements.empty() && !group.because.empty();
    if (!elements.empty() || !group.because.empty())
      text += fmt::format(" ({}{}{})", elements, has_both ? ", " : "", group.because);
  }
  return text;
}

/// One line for each target and for the host: its share of operators and multiplications.
std::string ShareText(const ByocReport& report) {
  std::vector<std::string> targets;
  for (const ByocOperator& op : report.operators) {
    if (op.target != kHostTarget &&
        std::find(targets.begin(), targets.end(), op.target) == targets.end())
      targets.push_back(op.target);
  }
  targets.emplace_back(kHostTarget);
  const int64_t all = MacsOf(report, {});
  std::string text;
  for (const std::string& target : targets) {
    text += fmt::format("share of {}: {} of {} operators", target, report.Count(target),
                        report.operators.size());
    if (all > 0) {
      const int64_t macs = MacsOf(report, target);
      text += fmt::format(", {} of {} MACs ({:.1f} %)", macs, all, Percent(macs, all));
    }
    const auto unknown = std::count_if(
        report.operators.begin(), report.operators.end(),
        [&](const ByocOperator& op) { return op.target == target && op.kind == kUnknownKind; });
    if (unknown > 0) text += fmt::format("; {} without a claim count no MACs", unknown);
    text += '\n';
  }
  return text;
}

}  // namespace

int64_t ByocReport::Count(std::string_view target) const {
  return std::count_if(operators.begin(), operators.end(),
                       [&](const ByocOperator& op) { return op.target == target; });
}

ByocReport ReadByocReport(const IRModule& module, std::vector<std::string> targets) {
  ByocReport report;
  report.targets = std::move(targets);
  const std::vector<const Function*> functions = GraphFunctions(module);
  OperatorReader::Names graph;
  for (const Function* function : functions) graph.insert(function->name);
  for (const Function* function : functions)
    OperatorReader(module, graph, *function, report).Read(kHostTarget);
  return report;
}

std::string ByocSummary(const ByocReport& report) {
  const int64_t all = MacsOf(report, {});
  std::vector<std::string> targets = report.targets;
  for (const ByocOperator& op : report.operators) {
    if (op.target != kHostTarget &&
        std::find(targets.begin(), targets.end(), op.target) == targets.end())
      targets.push_back(op.target);
  }
  std::string text;
  for (const std::string& target : targets) {
    text += fmt::format("{}{}: {} of {} operators", text.empty() ? "" : "; ", target,
                        report.Count(target), report.operators.size());
    if (all > 0) text += fmt::format(", {:.1f} % of MACs", Percent(MacsOf(report, target), all));
  }
  const std::string host = HostText(report);
  return host.empty() ? text : fmt::format("{}; host: {}", text, host);
}

std::string ByocText(const ByocReport& report) {
  std::string text;
  for (const ByocOperator& op : report.operators) {
    text += fmt::format("{} -> {}: {}", op.name, op.target, op.kind);
    if (op.macs > 0) {
      text += fmt::format(", {} MACs", op.macs);
    } else if (op.elements > 0) {
      text += fmt::format(", {} elements", op.elements);
    }
    for (const auto& [target, because] : op.why_not)
      text += fmt::format("; not {}: {}", target, because);
    text += '\n';
  }
  return text + ShareText(report);
}

std::string ByocJson(const ByocReport& report) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(JsonLayout::kLines);
  json.Key("targets");
  json.BeginList();
  for (const std::string& target : report.targets) {
    json.BeginObject();
    json.Member("name", target);
    json.Member("operators", report.Count(target));
    json.Member("macs", MacsOf(report, target));
    json.EndObject();
  }
  json.EndList();
  json.Key("operators");
  json.BeginList(JsonLayout::kLines);
  for (const ByocOperator& op : report.operators) {
    json.BeginObject();
    json.Member("name", op.name);
    json.Member("caller", op.caller);
    json.Member("kind", op.kind);
    json.Member("macs", op.macs);
    json.Member("elements", op.elements);
    json.Member("target", op.target);
    json.Key("why_not");
    json.BeginObject();
    for (const auto& [target, because] : op.why_not) json.Member(target, because);
    json.EndObject();
    json.EndObject();
  }
  json.EndList();
  json.EndObject();
  return out + "\n";
}

}  // namespace tenon
