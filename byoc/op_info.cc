// Claims as attributes: a writer, and a parser that trusts nothing, because claims come from files
// and other programs. The parser stops at the first error, because later ones would follow from it.

#include "byoc/op_info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "analysis/contraction.h"
#include "byoc/claim_attrs.h"
#include "byoc/requantise_claim.h"
#include "fmt/format.h"
#include "ir/attributes.h"
#include "ir/const_fold.h"
#include "ir/function_attrs.h"

namespace tenon {

namespace {

struct NodeName {
  NodeKind node;
  std::string_view name;
  size_t args;
};
constexpr std::array kNodeNames = {
    NodeName{NodeKind::kCast, "cast", 1},
    NodeName{NodeKind::kAdd, "add", 2},
    NodeName{NodeKind::kSub, "sub", 2},
    NodeName{NodeKind::kMul, "mul", 2},
    NodeName{NodeKind::kDiv, "div", 2},
    NodeName{NodeKind::kMod, "mod", 2},
    NodeName{NodeKind::kFloorDiv, "floordiv", 2},
    NodeName{NodeKind::kFloorMod, "floormod", 2},
    NodeName{NodeKind::kMin, "min", 2},
    NodeName{NodeKind::kMax, "max", 2},
    NodeName{NodeKind::kEQ, "eq", 2},
    NodeName{NodeKind::kNE, "ne", 2},
    NodeName{NodeKind::kLT, "lt", 2},
    NodeName{NodeKind::kLE, "le", 2},
    NodeName{NodeKind::kGT, "gt", 2},
    NodeName{NodeKind::kGE, "ge", 2},
    NodeName{NodeKind::kAnd, "and", 2},
    NodeName{NodeKind::kOr, "or", 2},
    NodeName{NodeKind::kNot, "not", 1},
    NodeName{NodeKind::kSelect, "select", 3},
};

const NodeName& NameOf(NodeKind node) {
  for (const NodeName& row : kNodeNames) {
    if (row.node == node) return row;
  }
  TENON_UNREACHABLE();
}

/// Which index a kArgReduce returns for equal values; the array is indexed by its `integer`.
constexpr std::array<std::string_view, 2> kPlaceOfEqual = {"least", "greatest"};

/// The lists of a window by their names.
template <class Window>
auto WindowLists(Window& window) {
  return std::array{
      std::pair{std::string_view("input"), &window.input},
      std::pair{std::string_view("output"), &window.output},
      std::pair{std::string_view("kernel"), &window.kernel},
      std::pair{std::string_view("stride"), &window.stride},
      std::pair{std::string_view("dilation"), &window.dilation},
      std::pair{std::string_view("pad_before"), &window.pad_before},
      std::pair{std::string_view("pad_after"), &window.pad_after},
  };
}

/// Writes a claim as an attribute.
class Writer : ClaimAttrs {
 public:
  Writer(NodeBuilder& builder, const OpInfo& info) : ClaimAttrs(builder), info_(info) {}

  const MapAttr* Write() {
    Put("kind", Text(info_.kind));
    if (!info_.because.empty()) Put("because", Text(info_.because));
    if (!info_.known()) return map_;
    Put("macs", Int(info_.macs));
    Put("elements", Int(info_.elements));
    Put("exact", Text(info_.bitwise ? "bitwise" : "reassociates"));
    if (info_.groups != 1) Put("groups", Int(info_.groups));
    if (info_.window) Put("window", Window(*info_.window));
    if (info_.contraction >= 0) Put("contraction", Int(info_.contraction));
    if (const auto dtype = info_.accumulator()) Put("acc", Text(dtype->ToString()));
    if (info_.input >= 0) Put("input", Int(info_.input));
    if (info_.weights >= 0) Put("weights", Int(info_.weights));
    const Computation& all = info_.computation;
    if (all == Computation()) return map_;
    Put("loops", Each(all.loops, [&](const ComputationLoop& loop) {
          return List({Text(loop.name), Int(loop.extent)});
        }));
    Put("operands", Each(all.operands, [&](const ComputationOperand& operand) {
          return List({Text(operand.constant ? "constant" : "param"), Int(operand.index),
                       Text(operand.dtype.ToString()), Int(operand.elements)});
        }));
    Put("accesses", Each(all.accesses, [&](const ComputationAccess& access) {
          return List({Int(access.operand), Linear(access.element)});
        }));
    Put("steps", Each(all.steps, [&](const Step& step) { return StepList(step); }));
    Put("stores", Each(all.stores, [&](const ComputationStore& store) {
          return List({Int(store.access), Int(store.step), Loops(store.loops)});
        }));
    if (info_.requantise)
      Put("requantise", WriteRequantise(builder_, info_.computation, *info_.requantise));
    return map_;
  }

 private:
  std::string_view LoopName(int loop) {
    return info_.computation.loops[static_cast<size_t>(loop)].name;
  }
  const Attr* Loops(const std::vector<int>& loops) {
    return Each(loops, [&](int loop) { return Text(LoopName(loop)); });
  }
  const Attr* Window(const WindowInfo& window) {
    const MapAttr* map = builder_.Map({});
    for (const auto& [name, list] : WindowLists(window))
      map = builder_.With(map, name, Ints(*list));
    return map;
  }
  /// `[offset, [["h", 96], ["kh", 96]]]`, with the divisor if it is not 1.
  const Attr* Linear(const LinearIndex& index) {
    std::vector<const Attr*> items = {Int(index.offset),
                                      Each(index.terms, [&](const std::pair<int, int64_t>& term) {
                                        return List({Text(LoopName(term.first)), Int(term.second)});
                                      })};
    if (index.divisor != 1) items.push_back(Int(index.divisor));
    return List(items);
  }
  const Attr* Real(double value) {
    if (std::isnan(value)) return Text("nan");
    if (std::isinf(value)) return Text(value < 0 ? "-inf" : "inf");
    return builder_.New<FloatAttr>({}, value);
  }
  const Attr* StepList(const Step& step) {
    std::vector<const Attr*> items;
    const auto dtype = [&] { return Text(step.dtype.ToString()); };
    switch (step.kind) {
      case StepKind::kInteger:
        return List({Text("const"), dtype(), Int(step.integer)});
      case StepKind::kReal:
        return List({Text("const"), dtype(), Real(step.real)});
      case StepKind::kRead:
        return List({Text("read"), Int(step.access)});
      case StepKind::kGather:
        return List({Text("gather"), Int(step.access), Int(step.args[0])});
      case StepKind::kIndex:
        return List({Text("index"), dtype(), Linear(step.linear)});
      case StepKind::kReduce:
        items = {Text("reduce"), Text(NameOf(step.node).name), Loops(step.loops)};
        break;
      case StepKind::kArgReduce:
        items = {Text("place_of"), Text(NameOf(step.node).name),
                 Text(kPlaceOfEqual[step.integer == 0 ? 0 : 1]), Loops(step.loops)};
        break;
      case StepKind::kNode:
        items = {Text(NameOf(step.node).name)};
        if (step.node == NodeKind::kCast) items.push_back(dtype());
        break;
      case StepKind::kCall:
        items = {Text(fmt::format("T.{}", Op::Get(step.op)->text)), dtype()};
        break;
    }
    for (const int arg : step.args) items.push_back(Int(arg));
    return List(items);
  }

  const OpInfo& info_;
};

/// Reads a claim; the first error ends the reading.
class Reader {
 public:
  std::optional<OpInfo> Read(const Attr* attr) {
    const auto* map = dyn_cast_or_null<MapAttr>(attr);
    if (map == nullptr) return Fail("expected a map");
    if (!ReadKind(map)) return std::nullopt;
    const bool read = Number(map, "macs", info_.macs) && Number(map, "elements", info_.elements) &&
                      ReadExact(map) && Number(map, "groups", info_.groups) &&
                      ReadWindow(map->Find("window")) && ReadLoops(map) && ReadOperands(map) &&
                      ReadAccesses(map) && ReadSteps(map) && ReadStores(map) && ReadRoles(map) &&
                      ReadQuantised(map->Find("requantise"));
    if (!read) return std::nullopt;
    if (std::string problem = LoopProblem(info_.computation); !problem.empty())
      return Fail(std::move(problem));
    return std::move(info_);
  }
  const std::string& problem() const { return problem_; }

 private:
  using Items = Span<const Attr*>;

  std::nullopt_t Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return std::nullopt;
  }
  bool Refuse(std::string problem) {
    Fail(std::move(problem));
    return false;
  }

  static std::optional<Items> ItemsOf(const Attr* attr) {
    const auto* array = dyn_cast_or_null<ArrayAttr>(attr);
    if (array == nullptr) return std::nullopt;
    return array->items;
  }
  /// The list under a key; empty if the map lacks the key.
  bool List(const MapAttr* map, std::string_view key, Items& items) {
    const Attr* attr = map->Find(key);
    if (attr == nullptr) return true;
    const std::optional<Items> found = ItemsOf(attr);
    if (!found) return Refuse(fmt::format("expected a list under `{}`", key));
    items = *found;
    return true;
  }
  bool Number(const MapAttr* map, std::string_view key, int64_t& value) {
    const Attr* attr = map->Find(key);
    if (attr == nullptr) return true;
    const int64_t* number = AsInt(attr);
    if (number == nullptr) return Refuse(fmt::format("expected an integer under `{}`", key));
    value = *number;
    return true;
  }
  bool Place(const Attr* attr, size_t count, int& place) {
    const int64_t* number = AsInt(attr);
    if (number == nullptr || *number < 0 || *number >= static_cast<int64_t>(count)) return false;
    place = static_cast<int>(*number);
    return true;
  }
  static bool ReadDType(const Attr* attr, DataType& dtype) {
    const std::string_view* text = AsString(attr);
    const std::optional<DataType> parsed = text ? DataType::Parse(*text) : std::nullopt;
    if (!parsed || !parsed->is_scalar() || parsed->is_handle()) return false;
    dtype = *parsed;
    return true;
  }
  static std::optional<double> RealOf(const Attr* attr) {
    if (const std::string_view* text = AsString(attr)) {
      if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
      if (*text == "inf") return std::numeric_limits<double>::infinity();
      if (*text == "-inf") return -std::numeric_limits<double>::infinity();
      return std::nullopt;
    }
    if (const auto* boxed = dyn_cast_or_null<FloatAttr>(attr)) return boxed->value;
    if (const auto* expr = dyn_cast_or_null<ExprAttr>(attr)) {
      if (const auto* imm = dyn_cast<FloatImm>(expr->value)) return imm->value;
    }
    const int64_t* integer = AsInt(attr);
    if (integer == nullptr) return std::nullopt;
    return static_cast<double>(*integer);
  }

  bool ReadKind(const MapAttr* map) {
    const std::string_view* kind = AsString(map->Find("kind"));
    if (kind == nullptr) return Refuse("expected a string under `kind`");
    const bool plain = !kind->empty() && std::all_of(kind->begin(), kind->end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!plain) {
      return Refuse(
          fmt::format("expected a kind of letters a to z, digits and `_`, found `{}`", *kind));
    }
    info_.kind = std::string(*kind);
    if (const std::string_view* because = AsString(map->Find("because"))) info_.because = *because;
    return true;
  }

  bool ReadExact(const MapAttr* map) {
    const Attr* attr = map->Find("exact");
    if (attr == nullptr) return true;
    const std::string_view* exact = AsString(attr);
    if (exact == nullptr || (*exact != "bitwise" && *exact != "reassociates")) {
      return Refuse("expected `bitwise` or `reassociates` under `exact`");
    }
    info_.bitwise = *exact == "bitwise";
    return true;
  }

  bool ReadWindow(const Attr* attr) {
    if (attr == nullptr) return true;
    const auto* map = dyn_cast<MapAttr>(attr);
    if (map == nullptr) return Refuse("expected a map under `window`");
    WindowInfo window;
    size_t axes = 0;
    for (const auto& [name, list] : WindowLists(window)) {
      Items items;
      if (!List(map, name, items)) return false;
      for (const Attr* item : items) {
        const int64_t* number = AsInt(item);
        if (number == nullptr) return Refuse(fmt::format("expected integers in `{}`", name));
        list->push_back(*number);
      }
      if (axes == 0) axes = list->size();
      if (list->size() != axes) return Refuse("expected lists of one length in `window`");
    }
    info_.window = std::move(window);
    return true;
  }

  bool ReadLoops(const MapAttr* map) {
    Items items;
    if (!List(map, "loops", items)) return false;
    for (const Attr* item : items) {
      const std::optional<Items> loop = ItemsOf(item);
      const std::string_view* name = loop && loop->size() == 2 ? AsString((*loop)[0]) : nullptr;
      const int64_t* extent = name == nullptr ? nullptr : AsInt((*loop)[1]);
      if (extent == nullptr || *extent < 1) {
        return Refuse("expected a name and a positive extent for each loop");
      }
      if (!loops_.emplace(*name, static_cast<int>(loops_.size())).second) {
        return Refuse(fmt::format("two loops are called `{}`", *name));
      }
      info_.computation.loops.push_back({std::string(*name), *extent});
    }
    return true;
  }

  bool LoopList(const Attr* attr, std::vector<int>& loops) {
    const std::optional<Items> names = ItemsOf(attr);
    if (!names) return Refuse("expected a list of loops");
    for (const Attr* item : *names) {
      const std::string_view* name = AsString(item);
      const auto found = name == nullptr ? loops_.end() : loops_.find(*name);
      if (found == loops_.end()) return Refuse("expected the name of a loop");
      loops.push_back(found->second);
    }
    return true;
  }

  bool Linear(const Attr* attr, LinearIndex& index) {
    const std::optional<Items> pair = ItemsOf(attr);
    const bool sized = pair && (pair->size() == 2 || pair->size() == 3);
    const std::optional<Items> terms = sized ? ItemsOf((*pair)[1]) : pair;
    const int64_t* offset = sized ? AsInt((*pair)[0]) : nullptr;
    if (offset == nullptr || !terms) return Refuse("expected an offset and a list of strides");
    index.offset = *offset;
    if (pair->size() == 3) {
      const int64_t* divisor = AsInt((*pair)[2]);
      if (divisor == nullptr || *divisor < 1) return Refuse("expected a positive divisor");
      index.divisor = *divisor;
    }
    for (const Attr* item : *terms) {
      const std::optional<Items> term = ItemsOf(item);
      const std::string_view* name = term && term->size() == 2 ? AsString((*term)[0]) : nullptr;
      const auto loop = name == nullptr ? loops_.end() : loops_.find(*name);
      const int64_t* stride = loop == loops_.end() ? nullptr : AsInt((*term)[1]);
      if (stride == nullptr) return Refuse("expected a loop and its stride");
      index.terms.emplace_back(loop->second, *stride);
    }
    std::sort(index.terms.begin(), index.terms.end());
    const auto again =
        std::adjacent_find(index.terms.begin(), index.terms.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
    if (again == index.terms.end()) return true;
    return Refuse(fmt::format("expected one stride of each loop, found two of `{}`",
                              info_.computation.loops[static_cast<size_t>(again->first)].name));
  }

  bool ReadOperands(const MapAttr* map) {
    Items items;
    if (!List(map, "operands", items)) return false;
    for (const Attr* item : items) {
      const std::optional<Items> parts = ItemsOf(item);
      const std::string_view* where = parts && parts->size() == 4 ? AsString((*parts)[0]) : nullptr;
      ComputationOperand operand;
      const int64_t* elements = where == nullptr ? nullptr : AsInt((*parts)[3]);
      if (elements == nullptr || *elements < 0 || (*where != "param" && *where != "constant") ||
          !Place((*parts)[1], size_t{1} << 30, operand.index) ||
          !ReadDType((*parts)[2], operand.dtype)) {
        return Refuse("expected `param` or `constant`, index, dtype and elements of each operand");
      }
      operand.constant = *where == "constant";
      operand.elements = *elements;
      info_.computation.operands.push_back(operand);
    }
    return true;
  }

  bool ReadAccesses(const MapAttr* map) {
    Items items;
    if (!List(map, "accesses", items)) return false;
    for (const Attr* item : items) {
      const std::optional<Items> parts = ItemsOf(item);
      ComputationAccess access;
      if (!parts || parts->size() != 2 ||
          !Place((*parts)[0], info_.computation.operands.size(), access.operand)) {
        return Refuse("expected an operand and an element for each access");
      }
      if (!Linear((*parts)[1], access.element)) return false;
      info_.computation.accesses.push_back(std::move(access));
    }
    return true;
  }

  bool ReadSteps(const MapAttr* map) {
    Items items;
    if (!List(map, "steps", items)) return false;
    for (const Attr* item : items) {
      const std::optional<Items> parts = ItemsOf(item);
      const std::string_view* name = parts && parts->size() >= 2 ? AsString((*parts)[0]) : nullptr;
      Step step;
      if (name == nullptr || !ReadStep(*name, parts->subspan(1), step)) {
        return Refuse(fmt::format("step {} has an unknown name, or arguments that do not fit it",
                                  info_.computation.steps.size()));
      }
      info_.computation.steps.push_back(std::move(step));
    }
    return true;
  }

  bool Args(Items items, size_t count, Step& step) {
    if (items.size() != count) return false;
    for (const Attr* item : items) {
      int arg = 0;
      if (!Place(item, info_.computation.steps.size(), arg)) return false;
      step.args.push_back(arg);
    }
    return true;
  }
  DataType DTypeOf(int step) const {
    return info_.computation.steps[static_cast<size_t>(step)].dtype;
  }

  bool ReadStep(std::string_view name, Items items, Step& step) {
    if (name == "read" || name == "gather") {
      step.kind = name == "read" ? StepKind::kRead : StepKind::kGather;
      if (!Place(items[0], info_.computation.accesses.size(), step.access)) return false;
      const ComputationAccess& access =
          info_.computation.accesses[static_cast<size_t>(step.access)];
      step.dtype = info_.computation.operands[static_cast<size_t>(access.operand)].dtype;
      if (step.kind == StepKind::kRead) return items.size() == 1;
      return Args(items.subspan(1), 1, step) && DTypeOf(step.args[0]).is_integer() &&
             !DTypeOf(step.args[0]).is_bool();
    }
    if (name == "const") return ReadConstant(items, step);
    if (name == "index") {
      step.kind = StepKind::kIndex;
      return items.size() == 2 && ReadDType(items[0], step.dtype) && step.dtype.is_integer() &&
             Linear(items[1], step.linear);
    }
    if (name.starts_with("T.")) return ReadCall(name.substr(2), items, step);
    if (name == "reduce") return ReadReduce(items, step);
    if (name == "place_of") return ReadPlaceOf(items, step);
    return ReadNode(name, items, step);
  }

  bool ReadConstant(Items items, Step& step) {
    if (items.size() != 2 || !ReadDType(items[0], step.dtype)) return false;
    if (step.dtype.is_integer()) {
      const int64_t* value = AsInt(items[1]);
      if (value == nullptr) return false;
      step.kind = StepKind::kInteger;
      step.integer = *value;
      return true;
    }
    const std::optional<double> value = RealOf(items[1]);
    if (!value) return false;
    step.kind = StepKind::kReal;
    step.real = *value;
    return true;
  }

  bool ReadCall(std::string_view name, Items items, Step& step) {
    const Op* op = Op::Find(name);
    if (op == nullptr || op->effect != OpEffect::kPure) return false;
    step.kind = StepKind::kCall;
    step.op = op->kind;
    const size_t count = items.size() - 1;
    if (static_cast<int>(count) < op->min_args) return false;
    if (op->max_args >= 0 && static_cast<int>(count) > op->max_args) return false;
    return ReadDType(items[0], step.dtype) && Args(items.subspan(1), count, step);
  }

  bool ReadReduce(Items items, Step& step) {
    if (items.size() != 4) return false;
    const std::string_view* name = AsString(items[0]);
    if (name == nullptr || !FindNode(*name, step.node)) return false;
    if (NameOf(step.node).args != 2 || IsComparison(step.node)) return false;
    step.kind = StepKind::kReduce;
    if (!LoopList(items[1], step.loops) || !Args(items.subspan(2), 2, step)) return false;
    step.dtype = DTypeOf(step.args[0]);
    return DTypeOf(step.args[1]) == step.dtype;
  }

  bool ReadPlaceOf(Items items, Step& step) {
    if (items.size() != 7) return false;
    const std::string_view* name = AsString(items[0]);
    const std::string_view* equal = AsString(items[1]);
    if (name == nullptr || equal == nullptr || !FindNode(*name, step.node)) return false;
    const auto* which = std::find(kPlaceOfEqual.begin(), kPlaceOfEqual.end(), *equal);
    if (which == kPlaceOfEqual.end()) return false;
    step.kind = StepKind::kArgReduce;
    step.integer = which - kPlaceOfEqual.begin();
    if (!LoopList(items[2], step.loops) || !Args(items.subspan(3), 4, step)) return false;
    step.dtype = DTypeOf(step.args[0]);
    return (step.node == NodeKind::kMax || step.node == NodeKind::kMin) &&
           step.dtype.is_integer() && !step.dtype.is_bool() &&
           DTypeOf(step.args[2]) == step.dtype && DTypeOf(step.args[1]) == DTypeOf(step.args[3]);
  }

  bool ReadNode(std::string_view name, Items items, Step& step) {
    if (!FindNode(name, step.node)) return false;
    step.kind = StepKind::kNode;
    const size_t count = NameOf(step.node).args;
    if (step.node == NodeKind::kCast) {
      return ReadDType(items[0], step.dtype) && Args(items.subspan(1), 1, step);
    }
    if (!Args(items, count, step)) return false;
    if (count == 2 && DTypeOf(step.args[0]) != DTypeOf(step.args[1])) return false;
    if (step.node == NodeKind::kSelect && DTypeOf(step.args[1]) != DTypeOf(step.args[2]))
      return false;
    step.dtype = IsComparison(step.node) || step.node == NodeKind::kNot
                     ? DataType::Bool()
                     : DTypeOf(step.args[step.node == NodeKind::kSelect ? 1 : 0]);
    return true;
  }

  static bool FindNode(std::string_view name, NodeKind& node) {
    for (const NodeName& row : kNodeNames) {
      if (row.name != name) continue;
      node = row.node;
      return true;
    }
    return false;
  }

  bool ReadStores(const MapAttr* map) {
    Items items;
    if (!List(map, "stores", items)) return false;
    for (const Attr* item : items) {
      const std::optional<Items> parts = ItemsOf(item);
      ComputationStore store;
      if (!parts || parts->size() != 3 ||
          !Place((*parts)[0], info_.computation.accesses.size(), store.access) ||
          !Place((*parts)[1], info_.computation.steps.size(), store.step)) {
        return Refuse("expected an access, a step and loops for each store");
      }
      if (!LoopList((*parts)[2], store.loops)) return false;
      info_.computation.stores.push_back(std::move(store));
    }
    return true;
  }

  bool ReadRoles(const MapAttr* map) {
    const Computation& all = info_.computation;
    const auto place = [&](std::string_view key, size_t count, int& value) {
      const Attr* attr = map->Find(key);
      if (attr == nullptr || Place(attr, count, value)) return true;
      return Refuse(fmt::format("`{}` is out of range", key));
    };
    if (!place("contraction", all.steps.size(), info_.contraction)) return false;
    if (info_.contraction >= 0 &&
        all.steps[static_cast<size_t>(info_.contraction)].kind != StepKind::kReduce) {
      return Refuse("`contraction` is not a reduction");
    }
    return place("input", all.accesses.size(), info_.input) &&
           place("weights", all.accesses.size(), info_.weights);
  }

  bool ReadQuantised(const Attr* attr) {
    if (attr == nullptr) return true;
    std::string problem;
    info_.requantise = ReadRequantise(attr, info_.computation, problem);
    return info_.requantise.has_value() || Refuse(std::move(problem));
  }

  OpInfo info_;
  absl::flat_hash_map<std::string_view, int> loops_;
  std::string problem_;
};

}  // namespace

std::optional<DataType> OpInfo::accumulator() const {
  if (contraction < 0) return std::nullopt;
  return computation.steps[static_cast<size_t>(contraction)].dtype;
}

bool HasPlainFactors(const OpInfo& info) {
  if (info.contraction < 0) return false;
  const Computation& all = info.computation;
  const auto at = [&](int step) -> const Step& { return all.steps[static_cast<size_t>(step)]; };
  std::vector<int> guards;
  const Step& product = at(Unguarded(all, at(info.contraction).args[1], 0, guards));
  if (product.kind != StepKind::kNode || product.node != NodeKind::kMul) return false;
  std::vector<int> accesses;
  for (const int arg : product.args) {
    const Step& factor = at(Unguarded(all, arg, 0, guards));
    if (factor.kind != StepKind::kRead) return false;
    accesses.push_back(factor.access);
  }
  return (accesses[0] == info.input && accesses[1] == info.weights) ||
         (accesses[1] == info.input && accesses[0] == info.weights);
}

OpInfo UnknownOp(std::string because) {
  OpInfo info;
  info.because = std::move(because);
  return info;
}

std::vector<int> LoopsOfAxis(const Computation& computation, std::string_view axis) {
  std::vector<std::pair<int, int>> found;  // number after the name, loop
  for (size_t i = 0; i < computation.loops.size(); ++i) {
    std::string_view name = computation.loops[i].name;
    if (!name.starts_with(axis)) continue;
    name.remove_prefix(axis.size());
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
        name.size() > 6) {
      continue;
    }
    int number = 0;
    for (const char c : name) number = number * 10 + (c - '0');
    found.emplace_back(number, static_cast<int>(i));
  }
  std::sort(found.begin(), found.end());
  std::vector<int> loops;
  for (const auto& [number, loop] : found) loops.push_back(loop);
  return loops;
}

std::optional<OpInfo> ReadOpInfo(const Attr* attr, std::string* problem) {
  Reader reader;
  std::optional<OpInfo> info = reader.Read(attr);
  if (problem != nullptr) *problem = reader.problem();
  return info;
}

std::optional<OpInfo> ReadOpInfo(const Function& function) {
  const Attr* attr = function.FindAttr(attr_key::kOp);
  if (attr == nullptr) return std::nullopt;
  return ReadOpInfo(attr);
}

bool CheckClaims(const IRModule& module, Diagnostics& diagnostics) {
  bool ok = true;
  const auto check = [&](const Attr* claim, std::string_view name, SourceRange range) {
    std::string problem;
    if (claim == nullptr || ReadOpInfo(claim, &problem)) return;
    ok = false;
    diagnostics.Error(DiagnosticKind::kWrongOperator, range,
                      fmt::format("the claim `tenon.op` of `{}` cannot be read: {}; correct it, or "
                                  "leave it out and run recognise-ops",
                                  name, problem));
  };
  for (const Function& function : module.functions())
    check(function.FindAttr(attr_key::kOp), function.name.view(), function.func->range);
  const Attr* ops = module.attrs()->Find(attr_key::kOps);
  if (const auto* map = dyn_cast_or_null<MapAttr>(ops)) {
    for (const MapItem* item : map->items) {
      if (const std::string_view* name = AsString(item->key))
        check(item->value, *name, item->range);
    }
  }
  return ok;
}

const MapAttr* WriteOpInfo(NodeBuilder& builder, const OpInfo& info) {
  return Writer(builder, info).Write();
}

Function WithOpInfo(Context& context, const Function& function, const OpInfo& info) {
  return WithAttrs(context, function, [&](NodeBuilder& builder, const MapAttr* attrs) {
    return builder.With(attrs, attr_key::kOp, WriteOpInfo(builder, info));
  });
}

}  // namespace tenon
