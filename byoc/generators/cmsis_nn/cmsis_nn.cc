// The generator itself: answers, calls of the adapter, and where the user's library is. Whether an
// operator is a layer is decided in layer.cc and pair.cc, and whether results are equal in
// numbers.cc.

#include "byoc/generators/cmsis_nn/cmsis_nn.h"

#include <cstdlib>
#include <filesystem>

#include "arith/index_math.h"
#include "byoc/generators/cmsis_nn/layer.h"
#include "byoc/generators/cmsis_nn/softmax.h"
#include "byoc/generators/external_body.h"
#include "fmt/format.h"
#include "ir/builtins.h"
#include "ir/function_interface.h"
#include "lowering/runtime_files.h"

namespace tenon {

namespace {

/// An operator of the library: a layer with its numbers, a pair, or a softmax. Otherwise, `problem`
/// contains the reason.
struct Found {
  std::optional<CmsisLayer> layer;
  std::optional<CmsisNumbers> numbers;
  std::optional<CmsisPair> pair;
  std::optional<CmsisSoftmax> softmax;
  std::string problem;

  bool is_found() const { return numbers || pair || softmax; }
};

Found FindOperator(const OpInfo& info, std::span<const Constant* const> constants,
                   CmsisRounding rounding) {
  Found found;
  if (info.kind == "elementwise") {
    found.pair = ReadCmsisPair(info, rounding, &found.problem);
    return found;
  }
  // Recognition classifies a softmax of integers as a reduction.
  if (info.kind == "reduce") {
    found.softmax = ReadCmsisSoftmax(info, constants, &found.problem);
    return found;
  }
  found.layer = ReadCmsisLayer(info, &found.problem);
  if (found.layer)
    found.numbers = ReadCmsisNumbers(info, *found.layer, constants, rounding, &found.problem);
  return found;
}

/// The roundings that a target allows: `cmsis-nn:twice`, `cmsis-nn:once`, or both; the library's
/// default comes first.
std::vector<CmsisRounding> RoundingsOf(const GeneratorTarget& target) {
  if (target.instance == "twice") return {CmsisRounding::kTwice};
  if (target.instance == "once") return {CmsisRounding::kOnce};
  return {CmsisRounding::kTwice, CmsisRounding::kOnce};
}

/// Processors with Helium have other kernels, which need other scratch memory.
bool HasHelium(const GeneratorTarget& target) {
  const std::string& cpu = target.host.cpu;
  return cpu.starts_with("cortex-m52") || cpu.starts_with("cortex-m55") ||
         cpu.starts_with("cortex-m85");
}

/// Generates the call of one operator.
class OperatorCall {
 public:
  OperatorCall(NodeBuilder& builder, const OperatorToMake& op, const Found& found, bool has_helium)
      : builder_(builder), op_(op), found_(found), has_helium_(has_helium) {}

  const Stmt* Make() {
    const Stmt* call = found_.pair      ? Pair(*found_.pair)
                       : found_.softmax ? Softmax(*found_.softmax)
                                        : Layer(*found_.layer, *found_.numbers);
    if (scratch_ != nullptr) {
      call = builder_.New<Allocate>({}, scratch_->data, scratch_->dtype, scratch_->shape,
                                    builder_.Bool(true), nullptr, call);
    }
    call = Signed(call);
    for (const auto& [buffer, constant] : memory_) {
      call = builder_.New<AllocateConst>({}, buffer->data, buffer->dtype, buffer->shape, constant,
                                         nullptr, call);
    }
    return call;
  }

 private:
  const Expr* Operand(int operand) { return op_.operands[static_cast<size_t>(operand)]->data; }
  void Numbers(std::initializer_list<int64_t> numbers) {
    for (const int64_t number : numbers) args_.push_back(builder_.Int(number));
  }
  const Stmt* Call(std::string_view name) { return CheckedCall(builder_, name, args_); }
  bool IsPrivate(int operand) const { return op_.is_private[static_cast<size_t>(operand)]; }
  int64_t ElementsOf(int operand) const {
    const ComputationOperand& of = op_.info.computation.operands[static_cast<size_t>(operand)];
    return tenon::ElementsOf(op_.info, of);
  }

  /// The call between conversions of uint8, at the borders of the region.
  const Stmt* Signed(const Stmt* call) {
    std::vector<const Stmt*> all;
    if (signed_input_ != nullptr) {
      args_ = {unsigned_input_->data, signed_input_->data};
      Numbers({cast<IntImm>(signed_input_->shape[0])->value});
      all.push_back(Call("cmsisnn_signed"));
    }
    all.push_back(call);
    if (unsigned_output_ != nullptr) {
      args_ = {unsigned_output_->data};
      Numbers({output_elements_});
      all.push_back(Call("cmsisnn_unsigned"));
    }
    const Stmt* stmt = builder_.Seq(Span<const Stmt*>(all.data(), all.size()));
    if (signed_input_ == nullptr) return stmt;
    return builder_.New<Allocate>({}, signed_input_->data, signed_input_->dtype,
                                  signed_input_->shape, builder_.Bool(true), nullptr, stmt);
  }

  const Stmt* Pair(const CmsisPair& pair) {
    args_ = {Operand(pair.first), Operand(pair.second), Operand(pair.output)};
    Numbers({pair.elements, pair.first_offset, pair.second_offset, pair.output_offset});
    Numbers({pair.output_scale.multiplier, pair.output_scale.shift, pair.least, pair.most});
    if (!pair.is_sum) return Call("cmsisnn_mul_s8");
    Numbers({pair.left_shift, pair.first_scale.multiplier, pair.first_scale.shift});
    Numbers({pair.second_scale.multiplier, pair.second_scale.shift});
    return Call("cmsisnn_add_s8");
  }

  const Stmt* Softmax(const CmsisSoftmax& softmax) {
    args_ = {Operand(softmax.input), Operand(softmax.output)};
    Numbers({softmax.rows, softmax.columns});
    Numbers({softmax.multiplier, softmax.shift, softmax.least_difference});
    return Call("cmsisnn_softmax_s8");
  }

  const Stmt* Layer(const CmsisLayer& layer, const CmsisNumbers& numbers) {
    if (layer.has_unsigned_input && !IsPrivate(layer.input)) {
      const Buffer* from = op_.operands[static_cast<size_t>(layer.input)];
      unsigned_input_ = from;
      signed_input_ = NewFlatBuffer(builder_, "signed", DataType::Int(8), ElementsOf(layer.input));
    }
    if (layer.has_unsigned_output && !IsPrivate(layer.output))
      unsigned_output_ = op_.operands[static_cast<size_t>(layer.output)];
    output_elements_ = ElementsOf(layer.output);
    args_ = {signed_input_ != nullptr ? signed_input_->data : Operand(layer.input)};
    const bool is_max = layer.kind == CmsisLayer::Kind::kMax;
    if (is_max || layer.kind == CmsisLayer::Kind::kMean)
      return Pool(layer, is_max ? "cmsisnn_max_s8" : "cmsisnn_average_s8");
    args_.push_back(New("weights", DataType::Int(8), numbers.weights));
    args_.push_back(New("bias", DataType::Int(32), numbers.bias));
    // With Helium, the library's dense layer requires sums of its weights, in a form that depends
    // on the library's version.
    const bool is_dense = layer.is_product && layer.output_w == 1 && !has_helium_;
    if (is_dense && !numbers.rounds_sums && numbers.IsUniform()) return Dense(layer, numbers);
    args_.push_back(New("multiplier", DataType::Int(32), numbers.multiplier));
    args_.push_back(New("shift", DataType::Int(32), numbers.shift));
    args_.push_back(Operand(layer.output));
    return numbers.rounds_sums ? Sums(layer) : Convolution(layer);
  }

  const Stmt* Dense(const CmsisLayer& layer, const CmsisNumbers& numbers) {
    args_.push_back(Operand(layer.output));
    Numbers({numbers.multiplier[0], numbers.shift[0], layer.input_c, layer.output_c});
    Numbers({layer.input_offset, layer.output_offset, layer.least, layer.most});
    return Call("cmsisnn_dense_s8");
  }

  const Stmt* Sums(const CmsisLayer& layer) {
    AddScratch(4 * layer.output_c);
    Numbers({layer.output_w, layer.input_c, layer.output_c});
    Numbers({layer.input_offset, layer.output_offset, layer.least, layer.most});
    return Call("cmsisnn_sums_s8");
  }

  const Stmt* Pool(const CmsisLayer& layer, std::string_view name) {
    args_.push_back(Operand(layer.output));
    AddScratch(layer.ScratchBytes(has_helium_));
    Numbers({layer.input_h, layer.input_w, layer.input_c});
    Numbers({layer.kernel_h, layer.kernel_w, layer.output_h, layer.output_w});
    Numbers({layer.stride_h, layer.stride_w, layer.pad_h, layer.pad_w, layer.least, layer.most});
    return Call(name);
  }

  const Stmt* Convolution(const CmsisLayer& layer) {
    AddScratch(layer.ScratchBytes(has_helium_));
    Numbers({layer.input_h, layer.input_w, layer.input_c});
    Numbers({layer.kernel_h, layer.kernel_w, layer.output_h, layer.output_w, layer.output_c});
    Numbers({layer.stride_h, layer.stride_w, layer.pad_h, layer.pad_w});
    Numbers({layer.dilation_h, layer.dilation_w, layer.input_offset, layer.output_offset});
    Numbers({layer.least, layer.most});
    const bool is_depthwise = layer.kind == CmsisLayer::Kind::kDepthwise;
    return Call(is_depthwise ? "cmsisnn_depthwise_s8" : "cmsisnn_convolve_s8");
  }

  /// Adds scratch memory and its size to the arguments.
  void AddScratch(int64_t bytes) {
    if (bytes > 0) {
      scratch_ = NewFlatBuffer(builder_, "scratch", DataType::UInt(8), bytes);
      args_.push_back(scratch_->data);
    } else {
      args_.push_back(builder_.NewCall(DataType::Handle(), OpKind::kReinterpret,
                                       {builder_.Int(DataType::UInt(64), 0)}));
    }
    Numbers({bytes});
  }

  /// A new constant, low bytes first.
  template <class T>
  const Expr* New(std::string_view name, DataType dtype, const std::vector<T>& numbers) {
    std::vector<uint8_t> bytes;
    for (const T number : numbers) {
      for (size_t i = 0; i < sizeof(T); ++i)
        bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(number) >> (8 * i)));
    }
    const auto elements = static_cast<int64_t>(numbers.size());
    const Buffer* buffer = NewFlatBuffer(builder_, name, dtype, elements);
    memory_.emplace_back(buffer,
                         builder_.context().AddConstant({}, dtype, {elements}, std::move(bytes)));
    return buffer->data;
  }

  NodeBuilder& builder_;
  const OperatorToMake& op_;
  const Found& found_;
  const bool has_helium_;
  std::vector<const Expr*> args_;
  const Buffer* scratch_ = nullptr;
  /// An input of uint8 and its copy in int8; an output that becomes uint8.
  const Buffer* unsigned_input_ = nullptr;
  const Buffer* signed_input_ = nullptr;
  const Buffer* unsigned_output_ = nullptr;
  int64_t output_elements_ = 0;
  std::vector<std::pair<const Buffer*, const Constant*>> memory_;
};

std::string_view FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// The user's library.
LinkNeeds UserLibrary() {
  LinkNeeds link;
  link.libraries = {"cmsis-nn"};
  const std::string_view include = FromEnvironment("CMSIS_NN_INCLUDE");
  if (!include.empty()) link.include_folders = {std::string(include)};
  const std::filesystem::path path(FromEnvironment("CMSIS_NN_LIBRARY"));
  if (path.empty()) return link;
  const std::string name = path.filename().string();
  const std::string ending = path.extension().string();
  if (name.starts_with("lib") && (ending == ".a" || ending == ".so")) {
    link.libraries = {path.stem().string().substr(3)};
    link.library_folders = {path.has_parent_path() ? path.parent_path().string() : "."};
  } else {
    link.library_folders = {path.string()};
  }
  return link;
}

class CmsisNn : public CodeGenerator {
 public:
  std::string_view name() const override { return "cmsis-nn"; }
  OperatorForm form(const GeneratorTarget&) const override {
    return {.narrow = true, .split = true};
  }
  /// Constants get the library's layout, and prove its results.
  ConstantsAs constants(const GeneratorTarget&) const override { return ConstantsAs::kInside; }

  Support Supports(const OpInfo& op, const GeneratorTarget& target) const override {
    std::string problem;
    if (op.kind != "elementwise")
      return ReadCmsisLayer(op, &problem) ? Support::Yes() : Support::No(std::move(problem));
    for (const CmsisRounding rounding : RoundingsOf(target)) {
      if (ReadCmsisPair(op, rounding, &problem)) return Support::Yes();
    }
    return Support::No(std::move(problem));
  }

  /// A program contains only one library. If the target does not choose a rounding, the one of most
  /// multiplications is used.
  std::optional<std::vector<Support>> SupportsAll(std::span<const SupportQuestion> questions,
                                                  const GeneratorTarget& target, Context&,
                                                  Diagnostics&) const override {
    std::vector<Support> best;
    std::pair<int64_t, int64_t> most = {-1, -1};
    for (const CmsisRounding rounding : RoundingsOf(target)) {
      std::vector<Support> answers;
      std::pair<int64_t, int64_t> taken = {0, 0};
      for (const SupportQuestion& question : questions) {
        const Found found = FindOperator(*question.op, ConstantsIn(question), rounding);
        answers.push_back(found.is_found() ? Support::Yes() : Support::No(found.problem));
        taken.first += found.is_found() ? question.op->macs : 0;
        taken.second += found.is_found() ? 1 : 0;
      }
      if (taken <= most) continue;
      most = taken;
      best = std::move(answers);
    }
    return best;
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    if (functions.empty()) return GeneratedCode();
    // The choice of SupportsAll is not known here, but all operators fit one rounding.
    Diagnostics first;
    for (const CmsisRounding rounding : RoundingsOf(target)) {
      Diagnostics own;
      std::optional<GeneratedCode> code = GenerateFor(functions, target, rounding, own);
      if (code) return code;
      if (!first.has_errors()) first = std::move(own);
    }
    diagnostics.Append(std::move(first));
    return std::nullopt;
  }

 private:
  static std::optional<GeneratedCode> GenerateFor(std::span<const ExternalFunction> functions,
                                                  const GeneratorTarget& target,
                                                  CmsisRounding rounding,
                                                  Diagnostics& diagnostics) {
    const MakeOperator make = [&](NodeBuilder& builder, const OperatorToMake& op) -> const Stmt* {
      const Found found = FindOperator(op.info, op.constants, rounding);
      if (found.is_found()) return OperatorCall(builder, op, found, HasHelium(target)).Make();
      diagnostics.Error(DiagnosticKind::kGeneratorFailed, functions[0].function.func->range,
                        fmt::format("`{}` cannot compute an operator of kind `{}`: {}", target.name,
                                    op.info.kind, found.problem));
      return nullptr;
    };
    const std::vector<std::string_view> convolution = {"r", "c", "c", "c", "c", "o", "rw"};
    std::optional<ExternalBodies> bodies =
        MakeExternalBodies(functions,
                           {.externs = {{"cmsisnn_add_s8", {"r", "r", "o"}},
                                        {"cmsisnn_average_s8", {"r", "o", "rw"}},
                                        {"cmsisnn_convolve_s8", convolution},
                                        {"cmsisnn_depthwise_s8", convolution},
                                        {"cmsisnn_dense_s8", {"r", "c", "c", "o"}},
                                        {"cmsisnn_max_s8", {"r", "o", "rw"}},
                                        {"cmsisnn_mul_s8", {"r", "r", "o"}},
                                        {"cmsisnn_signed", {"r", "o"}},
                                        {"cmsisnn_softmax_s8", {"r", "o"}},
                                        {"cmsisnn_sums_s8", convolution},
                                        {"cmsisnn_unsigned", {"rw"}}},
                            .has_private_forms = true},
                           make, diagnostics);
    if (!bodies) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    code.sources = {CmsisNnSource()};
    code.link = UserLibrary();
    code.checks = {rounding == CmsisRounding::kTwice ? "cmsisnn_roundings=2"
                                                     : "cmsisnn_roundings=1"};
    return code;
  }

  /// The data of the operands that are constants of the operator's function; null for the others.
  static std::vector<const Constant*> ConstantsIn(const SupportQuestion& question) {
    const std::vector<ComputationOperand>& operands = question.op->computation.operands;
    std::vector<const Constant*> constants(operands.size());
    if (question.function == nullptr) return constants;
    const std::vector<const AllocateConst*> all = ConstantsOf(*question.function->func);
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto index = static_cast<size_t>(operands[i].index);
      if (operands[i].constant && index < all.size()) constants[i] = all[index]->data;
    }
    return constants;
  }
};

}  // namespace

std::unique_ptr<const CodeGenerator> CmsisNnGenerator() { return std::make_unique<CmsisNn>(); }

}  // namespace tenon
