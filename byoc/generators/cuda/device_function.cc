// Each call of an operator becomes steps. Every tensor between them, and every input and output, is
// a buffer of one plan. Constants are in separate memory, which is kept between runs.

#include "byoc/generators/cuda/device_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/cuda/attention.h"
#include "byoc/generators/external_body.h"
#include "ir/extents.h"
#include "ir/function_interface.h"
#include "planner/planner.h"
#include "schedule/step_facts.h"

namespace tenon {

namespace {

/// The alignment of tensors on the device, which the widest loads of kernels and products use.
constexpr int64_t kDeviceAlignment = 256;

int64_t Aligned(int64_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

/// The largest power of two that divides an offset, up to the alignment of buffers.
int64_t AlignmentOf(const DevicePlace& place) {
  return place.offset == 0 ? kDeviceAlignment
                           : std::min(kDeviceAlignment, place.offset & -place.offset);
}

/// True for sums that one thread adds up as fast as several, such as those of a small window.
bool IsShortSum(const RowForm& rows) {
  constexpr int64_t kShortestRow = 64;
  int64_t elements = 1;
  for (const int loop : rows.row) elements *= LoopExtent(rows.all, loop);
  const auto writes_row = [&](const ComputationStore& store) {
    return Includes(store.loops, rows.row[0]);
  };
  return elements < kShortestRow &&
         std::none_of(rows.all.stores.begin(), rows.all.stores.end(), writes_row);
}

/// A tensor in the plan.
struct PlanBuffer {
  std::string name;
  int64_t bytes = 0;
  /// The steps that use it.
  int first = -1, last = -1;
  int parameter = -1;
  bool is_input = false, is_output = false;
};

class FunctionMaker {
 public:
  FunctionMaker(const ExternalFunction& external, const GeneratorTarget& target, KernelSet& kernels,
                Diagnostics& diagnostics)
      : external_(external), target_(target), kernels_(kernels), diagnostics_(diagnostics) {
    made_.symbol = std::string(SymbolOf(external.function));
  }

  std::optional<DeviceFunction> Make() {
    if (!external_.ops) return Fail("its body has statements other than calls of operators");
    if (!AddParameters() || !AddIntermediates()) return std::nullopt;
    CountUses();
    for (size_t i = 0; i < external_.ops->size(); ++i) {
      if (AddAttention(i)) {
        i += 2;
      } else if (AddGelu(i)) {
        ++i;
      } else if (!AddCall((*external_.ops)[i])) {
        return std::nullopt;
      }
    }
    if (!Plan()) return std::nullopt;
    return std::move(made_);
  }

 private:
  std::nullopt_t Fail(std::string_view because) {
    diagnostics_.Error(
        DiagnosticKind::kGeneratorFailed, external_.function.func->range,
        fmt::format("`{}` cannot compute `{}`: {}", target_.name, made_.symbol, because));
    return std::nullopt;
  }

  bool AddParameters() {
    const PrimFunc& func = *external_.function.func;
    parameters_.resize(func.params.size());
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (buffer == nullptr) continue;
      const std::optional<int64_t> bytes = StaticBytes(buffer->dtype, buffer->shape);
      if (!bytes || *bytes <= 0) {
        Fail("the size of a parameter is not a constant");
        return false;
      }
      if (i < external_.constant_params.size() && external_.constant_params[i]) {
        parameters_[i] = AddWeight(static_cast<int>(i), 0, *bytes);
      } else {
        parameters_[i] = AddBuffer(std::string(buffer->name.view()), *bytes);
        buffers_.back().parameter = static_cast<int>(i);
      }
    }
    return true;
  }

  bool AddIntermediates() {
    for (const Allocate* allocate : external_.intermediates) {
      const std::optional<int64_t> bytes = StaticBytes(allocate->dtype, allocate->extents);
      if (!bytes || *bytes <= 0) {
        Fail("the size of an intermediate tensor is not a constant");
        return false;
      }
      intermediates_.push_back(AddBuffer(std::string(allocate->buffer_var->name.view()), *bytes));
    }
    return true;
  }

  DevicePlace AddBuffer(std::string name, int64_t bytes) {
    buffers_.push_back({std::move(name), bytes});
    return {DevicePlace::Memory::kPlan, 0, static_cast<int>(buffers_.size()) - 1};
  }

  /// A place in the memory of weights, which copies from the argument, or from the tables, fill.
  DevicePlace AddWeight(int argument, int64_t from, int64_t bytes) {
    for (const DeviceCopy& known : made_.weights) {
      if (known.argument == argument && known.from == from)
        return {DevicePlace::Memory::kWeights, known.to, -1};
    }
    const int64_t to = Aligned(made_.weight_bytes);
    made_.weights.push_back({argument, from, to, bytes, -1});
    made_.weight_bytes = to + bytes;
    return {DevicePlace::Memory::kWeights, to, -1};
  }

  std::optional<DevicePlace> PlaceOf(const OpCall& call, const ComputationOperand& operand) {
    if (operand.constant) return std::nullopt;
    const auto index = static_cast<size_t>(operand.index);
    if (index >= call.args.size()) return std::nullopt;
    const OpArgument& arg = call.args[index];
    if (!arg.offset) return std::nullopt;
    const auto at = static_cast<size_t>(arg.index);
    DevicePlace place;
    if (arg.kind == OpArgument::Kind::kParameter && at < parameters_.size())
      place = parameters_[at];
    if (arg.kind == OpArgument::Kind::kIntermediate && at < intermediates_.size())
      place = intermediates_[at];
    if (place.memory == DevicePlace::Memory::kNone) return std::nullopt;
    place.offset += *arg.offset;
    return place;
  }

  /// Counts how often calls have each intermediate tensor as an argument.
  void CountUses() {
    uses_.resize(intermediates_.size());
    for (const OpCall& call : *external_.ops) {
      for (const OpArgument& arg : call.args) {
        if (arg.kind == OpArgument::Kind::kIntermediate) ++uses_[static_cast<size_t>(arg.index)];
      }
    }
  }

  /// The intermediate tensor that an operand of a call is the whole of; -1 for other operands.
  static int IntermediateOf(const OpCall& call, int operand) {
    const ComputationOperand& of = call.op.info.computation.operands[static_cast<size_t>(operand)];
    const auto index = static_cast<size_t>(of.index);
    if (of.constant || index >= call.args.size()) return -1;
    const OpArgument& arg = call.args[index];
    return arg.kind == OpArgument::Kind::kIntermediate && arg.offset == 0 ? arg.index : -1;
  }

  /// True if an operand is one whole intermediate with one writer and one reader.
  bool IsPassedOn(const OpCall& writer, int written, const OpCall& reader, int read) const {
    const int tensor = IntermediateOf(writer, written);
    return tensor >= 0 && tensor == IntermediateOf(reader, read) &&
           uses_[static_cast<size_t>(tensor)] == 2;
  }

  static int OperandOf(const Computation& all, int access) {
    return all.accesses[static_cast<size_t>(access)].operand;
  }

  /// Lets the result of an elementwise operator overwrite a tensor that it reads for the last time.
  void ShareMemory(const OpCall& call) {
    const Computation& all = call.op.info.computation;
    if (all.stores.size() != 1) return;
    const ComputationAccess& to = all.accesses[static_cast<size_t>(all.stores[0].access)];
    const int result = IntermediateOf(call, to.operand);
    if (result < 0 || BufferOf(result).first >= 0 || to.element.divisor != 1) return;
    for (size_t i = 0; i < all.operands.size(); ++i) {
      const int read = IntermediateOf(call, static_cast<int>(i));
      if (read < 0 || read == result || uses_[static_cast<size_t>(read)] != 2 ||
          BufferOf(read).first < 0 || BufferOf(read).bytes != BufferOf(result).bytes ||
          all.operands[i].dtype.element_bytes() !=
              all.operands[static_cast<size_t>(to.operand)].dtype.element_bytes())
        continue;
      const bool is_in_place = std::all_of(
          all.accesses.begin(), all.accesses.end(), [&](const ComputationAccess& access) {
            return access.operand != static_cast<int>(i) || access.element == to.element;
          });
      const bool is_gathered =
          std::any_of(all.steps.begin(), all.steps.end(),
                      [](const Step& step) { return step.kind == StepKind::kGather; });
      if (!is_in_place || is_gathered) continue;
      intermediates_[static_cast<size_t>(result)] = intermediates_[static_cast<size_t>(read)];
      return;
    }
  }

  PlanBuffer& BufferOf(int intermediate) {
    const DevicePlace& place = intermediates_[static_cast<size_t>(intermediate)];
    return buffers_[static_cast<size_t>(place.buffer)];
  }

  /// Creates one kernel for the calls beginning with `first`, if they are an attention.
  bool AddAttention(size_t first) {
    if (!target_.may_reassociate || first + 2 >= external_.ops->size()) return false;
    const OpCall* calls[] = {&(*external_.ops)[first], &(*external_.ops)[first + 1],
                             &(*external_.ops)[first + 2]};
    const std::optional<AttentionForm> form =
        AsAttention(calls[0]->op.info, calls[1]->op.info, calls[2]->op.info);
    if (!form) return false;
    std::vector<DevicePlace> places[3];
    for (size_t i = 0; i < 3; ++i) {
      for (const ComputationOperand& operand : calls[i]->op.info.computation.operands) {
        const std::optional<DevicePlace> place = PlaceOf(*calls[i], operand);
        if (!place) return false;
        places[i].push_back(*place);
      }
    }
    const auto stored = [&](size_t i) {
      const Computation& all = calls[i]->op.info.computation;
      return OperandOf(all, all.stores[0].access);
    };
    const auto of = [&](size_t i, const AttentionTensor& tensor) {
      return places[i][static_cast<size_t>(tensor.operand)];
    };
    // The softmax has two operands, its input and its result.
    if (places[1].size() != 2 || !IsPassedOn(*calls[0], stored(0), *calls[1], 1 - stored(1)) ||
        !IsPassedOn(*calls[1], stored(1), *calls[2], form->probabilities.operand))
      return false;
    std::vector<DevicePlace> operands = {of(0, form->q), of(0, form->k), of(2, form->v)};
    if (form->mask) operands.push_back(of(0, *form->mask));
    operands.push_back(of(2, form->result));
    for (const DevicePlace& operand : operands) {
      if (AlignmentOf(operand) < kWidestAccess) return false;
    }
    NoteAttention(operands, calls[2]->op.info);
    places_ = std::move(operands);
    return AddKernel(AttentionKernel(*form));
  }

  /// All operands but the last one are read.
  void NoteAttention(const std::vector<DevicePlace>& operands, const OpInfo& context) {
    for (size_t i = 0; i < operands.size(); ++i)
      Note(operands[i], i + 1 == operands.size(), context.elements * 2);
  }

  /// Creates one product for the calls beginning with `first`, if the second one is the gelu of the
  /// first one's result, in cuBLASLt's form. The result is rounded once instead of twice.
  bool AddGelu(size_t first) {
    if (!target_.may_reassociate || first + 1 >= external_.ops->size()) return false;
    const OpCall& product = (*external_.ops)[first];
    const OpCall& gelu = (*external_.ops)[first + 1];
    const Computation& all = gelu.op.info.computation;
    std::string because;
    std::optional<OperatorCode> code = CodeOf(product.op.info, because);
    if (!code || !code->product || code->product->sums || !IsElementOf(product, gelu) ||
        !IsTanhGelu(all, all.stores[0]))
      return false;
    places_.clear();
    const Computation& summed = product.op.info.computation;
    for (const ComputationOperand& operand : summed.operands) {
      const std::optional<DevicePlace> place = PlaceOf(product, operand);
      if (!place) return false;
      places_.push_back(*place);
    }
    const auto result = static_cast<size_t>(OperandOf(summed, summed.stores[0].access));
    const auto to =
        PlaceOf(gelu, all.operands[static_cast<size_t>(OperandOf(all, all.stores[0].access))]);
    if (!to) return false;
    places_[result] = *to;
    for (ProductCall& call : code->product->calls) {
      if ((call.operations & kProductRelu) != 0) return false;
      call.operations |= kProductGeluTanh;
    }
    NoteCopies(product.op.info);
    return AddProduct(*code->product);
  }

  /// True if the second call reads and writes whole tensors, element by element, and is the only
  /// one that reads the result of the first.
  bool IsElementOf(const OpCall& writer, const OpCall& reader) const {
    const Computation& from = writer.op.info.computation;
    const Computation& all = reader.op.info.computation;
    if (from.stores.size() != 1 || all.stores.size() != 1 || all.operands.size() != 2 ||
        all.accesses.size() != 2)
      return false;
    const int result = OperandOf(all, all.stores[0].access);
    const int64_t elements = reader.op.info.elements;
    const auto whole = [&](const Computation& of, int operand) {
      return of.operands[static_cast<size_t>(operand)].elements == elements;
    };
    const int written = OperandOf(from, from.stores[0].access);
    return all.accesses[0].element == all.accesses[1].element &&
           all.accesses[0].operand != all.accesses[1].operand && whole(all, 0) && whole(all, 1) &&
           whole(from, written) && writer.op.info.elements == elements &&
           IsPassedOn(writer, written, reader, 1 - result);
  }

  bool AddCall(const OpCall& call) {
    const OpInfo& info = call.op.info;
    std::string because;
    const std::optional<OperatorCode> code = CodeOf(info, because);
    if (!code) {
      Fail(fmt::format("`{}`: {}", call.op.name, because));
      return false;
    }
    if (!code->product && !code->rows) ShareMemory(call);
    places_.clear();
    for (const ComputationOperand& operand : info.computation.operands) {
      const std::optional<DevicePlace> place = PlaceOf(call, operand);
      if (!place) {
        Fail(fmt::format("an argument of `{}` is not a tensor with a known place", call.op.name));
        return false;
      }
      places_.push_back(*place);
    }
    NoteCopies(info);
    if (code->product) return AddProduct(*code->product);
    if (code->rows) {
      OperandAlignments alignments = Alignments();
      return AddKernel(RowKernel(*code->rows, alignments));
    }
    return AddStores(info.computation);
  }

  /// Inputs are read before they are overwritten, and outputs are written.
  void NoteCopies(const OpInfo& info) {
    const Computation& all = info.computation;
    std::vector<bool> writes(all.operands.size());
    for (const ComputationStore& store : all.stores) {
      const auto operand =
          static_cast<size_t>(all.accesses[static_cast<size_t>(store.access)].operand);
      writes[operand] = true;
    }
    for (const bool is_write : {false, true}) {
      for (size_t i = 0; i < all.operands.size(); ++i) {
        if (writes[i] != is_write) continue;
        const int64_t written =
            all.stores.size() == 1 ? info.elements * all.operands[i].dtype.element_bytes() : 0;
        Note(places_[i], is_write, written);
      }
    }
  }

  /// Records that the next steps read a tensor, or write `written` bytes of it.
  void Note(const DevicePlace& place, bool is_write, int64_t written) {
    if (place.buffer < 0) return;
    PlanBuffer& buffer = buffers_[static_cast<size_t>(place.buffer)];
    const bool is_whole = place.offset == 0 && written == buffer.bytes;
    // A part that no step writes keeps its value.
    if (buffer.first < 0 && !(is_write && is_whole)) buffer.is_input = true;
    if (is_write) buffer.is_output = true;
    if (buffer.first < 0) buffer.first = static_cast<int>(made_.steps.size());
  }

  OperandAlignments Alignments() const {
    OperandAlignments alignments;
    for (const DevicePlace& place : places_) alignments.push_back(AlignmentOf(place));
    return alignments;
  }

  /// Records that the next step uses a place.
  void Use(const DevicePlace& place) {
    if (place.buffer < 0) return;
    PlanBuffer& buffer = buffers_[static_cast<size_t>(place.buffer)];
    const auto step = static_cast<int>(made_.steps.size());
    if (buffer.first < 0) buffer.first = step;
    buffer.last = step;
  }

  bool AddProduct(const ProductForm& form) {
    if (form.sums)
      places_.push_back(AddBuffer(fmt::format("{}_sums", made_.symbol),
                                  form.sum_elements * form.sums->element_bytes()));
    const auto place = [&](const ProductMatrix& matrix) {
      const size_t operand =
          matrix.operand < 0 ? places_.size() - 1 : static_cast<size_t>(matrix.operand);
      return Moved(places_[operand], matrix.start * BytesOf(matrix.type));
    };
    const auto added = [&](int operand, int64_t start, ProductType type) {
      return operand < 0 ? DevicePlace()
                         : Moved(places_[static_cast<size_t>(operand)], start * BytesOf(type));
    };
    for (const ProductCall& call : form.calls) {
      DeviceProduct product{call,
                            place(call.a),
                            place(call.b),
                            place(call.d),
                            added(call.bias, call.bias_start, call.d.type),
                            added(call.other, call.other_start, call.d.type)};
      for (const DevicePlace& used : {product.a, product.b, product.d, product.bias, product.other})
        Use(used);
      made_.steps.push_back(-1 - static_cast<int>(made_.products.size()));
      made_.products.push_back(std::move(product));
    }
    return !form.sums || AddStores(form.rest);
  }

  static DevicePlace Moved(DevicePlace place, int64_t bytes) {
    place.offset += bytes;
    return place;
  }
  static int64_t BytesOf(ProductType type) {
    return type == ProductType::kI8                                 ? 1
           : type == ProductType::kF32 || type == ProductType::kI32 ? 4
                                                                    : 2;
  }

  bool AddStores(const Computation& all) {
    for (const ComputationStore& store : all.stores) {
      if (!AddKernel(ElementKernel(all, store, Alignments()))) return false;
    }
    return true;
  }

  bool AddKernel(const DeviceKernel& kernel) {
    if (kernel.operands.size() + (kernel.table.empty() ? 0 : 1) > kMostKernelOperands) {
      Fail("an operator has more than 16 operands");
      return false;
    }
    if (kernel.blocks == 0) return true;
    DeviceLaunch launch{kernels_.Add(kernel), kernel.blocks, kernel.threads, {}};
    for (const int operand : kernel.operands) {
      launch.args.push_back(places_[static_cast<size_t>(operand)]);
      Use(launch.args.back());
    }
    if (!kernel.table.empty()) {
      const auto bytes = static_cast<int64_t>(kernel.table.size() * sizeof(uint16_t));
      launch.args.push_back(AddWeight(-1, kernels_.AddTable(kernel.table), bytes));
    }
    made_.steps.push_back(static_cast<int>(made_.launches.size()));
    made_.launches.push_back(std::move(launch));
    return true;
  }

  bool Plan() {
    planner::Problem problem;
    planner::Pool pool;
    pool.name = "device";
    pool.alignment = kDeviceAlignment;
    problem.pools.push_back(std::move(pool));
    const auto end = static_cast<int>(made_.steps.size()) + 1;
    std::vector<size_t> planned;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const PlanBuffer& buffer = buffers_[i];
      const bool is_output = buffer.is_output && buffer.parameter >= 0;
      const bool is_input = buffer.is_input && buffer.parameter >= 0;
      if (buffer.first < 0) continue;
      planner::Buffer made;
      made.name = buffer.name;
      made.size = buffer.bytes;
      made.alignment = kDeviceAlignment;
      made.lifetimes = {{is_input ? 0 : buffer.first + 1,
                         is_output ? end + 1 : std::max(buffer.last, buffer.first) + 2}};
      made.pools = {0};
      problem.buffers.push_back(std::move(made));
      planned.push_back(i);
    }
    if (problem.buffers.empty()) return true;
    const absl::StatusOr<planner::Plan> plan =
        planner::PlanMemory(problem, planner::kDefaultAlgorithm);
    if (!plan.ok()) {
      Fail(std::string(plan.status().message()));
      return false;
    }
    std::vector<int64_t> offsets(buffers_.size());
    for (size_t i = 0; i < planned.size(); ++i) offsets[planned[i]] = plan->placements[i].offset;
    made_.plan_bytes = plan->pools[0].size;
    made_.is_least = plan->proven_optimal;
    Place(offsets);
    return true;
  }

  /// Replaces buffers by offsets, and lists the copies of inputs and outputs.
  void Place(const std::vector<int64_t>& offsets) {
    const auto resolve = [&](DevicePlace& place) {
      if (place.buffer >= 0) place.offset += offsets[static_cast<size_t>(place.buffer)];
      place.buffer = -1;
    };
    for (DeviceLaunch& launch : made_.launches) {
      for (DevicePlace& place : launch.args) resolve(place);
    }
    for (DeviceProduct& product : made_.products) {
      for (DevicePlace* place : {&product.a, &product.b, &product.d, &product.bias, &product.other})
        resolve(*place);
    }
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const PlanBuffer& buffer = buffers_[i];
      if (buffer.parameter < 0 || buffer.first < 0) continue;
      const DeviceCopy copy{buffer.parameter, 0, offsets[i], buffer.bytes, -1};
      if (buffer.is_input) made_.inputs.push_back(copy);
      if (buffer.is_output) made_.outputs.push_back(copy);
    }
  }

  const ExternalFunction& external_;
  const GeneratorTarget& target_;
  KernelSet& kernels_;
  Diagnostics& diagnostics_;
  DeviceFunction made_;
  std::vector<PlanBuffer> buffers_;
  std::vector<DevicePlace> parameters_, intermediates_;
  /// Arguments of calls that are each intermediate tensor.
  std::vector<int> uses_;
  /// The places of the operands of the current claim.
  std::vector<DevicePlace> places_;
};

}  // namespace

std::optional<OperatorCode> CodeOf(const OpInfo& op, std::string& because) {
  const Support loops = CanMakeLoops(op);
  if (!loops.yes) {
    because = loops.because;
    return std::nullopt;
  }
  const Computation& all = op.computation;
  OperatorCode code;
  code.product = AsProduct(op);
  if (code.product && !code.product->sums) return code;
  const Computation& kernels = code.product ? code.product->rest : all;
  if (!code.product) code.rows = AsRows(all);
  if (code.rows && IsShortSum(*code.rows)) code.rows.reset();
  if (code.rows && WhyNoDeviceCode(code.rows->all, DeviceMath::kFast).empty()) return code;
  code.rows.reset();
  because = WhyNoDeviceCode(kernels, DeviceMath::kExact);
  if (because.empty()) return code;
  // A function without code is allowed if a table contains its results.
  const bool has_tables = std::all_of(
      kernels.stores.begin(), kernels.stores.end(),
      [&](const ComputationStore& store) { return !ValueTable(kernels, store).empty(); });
  if (!has_tables || kernels.stores.empty()) return std::nullopt;
  return code;
}

std::string KernelSet::Add(const DeviceKernel& kernel) {
  const auto known = names_.find(kernel.text);
  if (known != names_.end()) return known->second;
  std::string name = fmt::format("tenon_{}_{}", kernel.kind, names_.size());
  std::string text = kernel.text;
  for (size_t at = text.find(kKernelName); at != std::string::npos; at = text.find(kKernelName))
    text.replace(at, kKernelName.size(), name);
  text_ += '\n' + text;
  names_.emplace(kernel.text, name);
  return name;
}

int64_t KernelSet::AddTable(const std::vector<uint16_t>& table) {
  const auto [found, is_new] = table_offsets_.emplace(table, static_cast<int64_t>(tables_.size()));
  if (!is_new) return found->second;
  for (const uint16_t value : table) {
    tables_ += static_cast<char>(value & 0xff);
    tables_ += static_cast<char>(value >> 8);
  }
  return found->second;
}

std::optional<DeviceFunction> MakeDeviceFunction(const ExternalFunction& external,
                                                 const GeneratorTarget& target, KernelSet& kernels,
                                                 Diagnostics& diagnostics) {
  return FunctionMaker(external, target, kernels, diagnostics).Make();
}

}  // namespace tenon
