// The generator itself: answers, calls of the adapter, and where the user's library is. Whether an
// operator is a layer is decided in layer.cc, and whether results are equal in numbers.cc.

#include "byoc/generators/cmsis_nn/cmsis_nn.h"

#include <cstdlib>
#include <filesystem>

#include "arith/index_math.h"
#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/cmsis_nn/layer.h"
#include "byoc/generators/external_body.h"
#include "fmt/format.h"
#include "ir/builtins.h"
#include "ir/function_interface.h"
#include "lowering/runtime_files.h"

namespace tenon {

namespace {

/// A layer with its constants. Without a layer, `problem` has the reason.
struct Found {
  std::optional<CmsisLayer> layer;
  std::optional<CmsisNumbers> numbers;
  std::string problem;
};

Found FindLayer(const OpInfo& info, std::span<const Constant* const> constants) {
  Found found;
  if (const Support support = CanMakeLoops(info); !support.yes) {
    found.problem = support.because;
    return found;
  }
  found.layer = ReadCmsisLayer(info, &found.problem);
  if (found.layer) found.numbers = ReadCmsisNumbers(info, *found.layer, constants, &found.problem);
  return found;
}

/// Makes the call of one layer.
class LayerCall {
 public:
  LayerCall(NodeBuilder& builder, const OperatorToMake& op, const CmsisLayer& layer,
            const CmsisNumbers& numbers)
      : builder_(builder), op_(op), layer_(layer), numbers_(numbers) {}

  const Stmt* Make() {
    args_ = {Operand(layer_.input), New("weights", DataType::Int(8), numbers_.weights),
             New("bias", DataType::Int(32), numbers_.bias)};
    const Stmt* call = layer_.kind == CmsisLayer::Kind::kDense ? Dense() : Convolution();
    if (scratch_ != nullptr) {
      call = builder_.New<Allocate>({}, scratch_->data, scratch_->dtype, scratch_->shape,
                                    builder_.Bool(true), nullptr, call);
    }
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

  const Stmt* Dense() {
    args_.push_back(Operand(layer_.output));
    Numbers({numbers_.multiplier[0], numbers_.shift[0], layer_.input_c, layer_.output_c});
    Numbers({layer_.input_offset, layer_.output_offset, layer_.least, layer_.most});
    return CheckedCall(builder_, "cmsisnn_dense_s8", args_);
  }

  const Stmt* Convolution() {
    args_.push_back(New("multiplier", DataType::Int(32), numbers_.multiplier));
    args_.push_back(New("shift", DataType::Int(32), numbers_.shift));
    args_.push_back(Operand(layer_.output));
    const int64_t scratch = layer_.ScratchBytes();
    if (scratch > 0) {
      scratch_ = NewFlatBuffer(builder_, "scratch", DataType::UInt(8), scratch);
      args_.push_back(scratch_->data);
    } else {
      args_.push_back(builder_.NewCall(DataType::Handle(), OpKind::kReinterpret,
                                       {builder_.Int(DataType::UInt(64), 0)}));
    }
    Numbers({scratch, layer_.input_h, layer_.input_w, layer_.input_c});
    Numbers({layer_.kernel_h, layer_.kernel_w, layer_.output_h, layer_.output_w, layer_.output_c});
    Numbers({layer_.stride_h, layer_.stride_w, layer_.pad_h, layer_.pad_w});
    Numbers({layer_.dilation_h, layer_.dilation_w, layer_.input_offset, layer_.output_offset});
    Numbers({layer_.least, layer_.most});
    const bool is_depthwise = layer_.kind == CmsisLayer::Kind::kDepthwise;
    return CheckedCall(builder_, is_depthwise ? "cmsisnn_depthwise_s8" : "cmsisnn_convolve_s8",
                       args_);
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
  const CmsisLayer& layer_;
  const CmsisNumbers& numbers_;
  std::vector<const Expr*> args_;
  const Buffer* scratch_ = nullptr;
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

  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    Support support = CanMakeLoops(op);
    if (!support.yes) return support;
    std::string problem;
    return ReadCmsisLayer(op, &problem) ? Support::Yes() : Support::No(std::move(problem));
  }

  std::optional<std::vector<Support>> SupportsAll(std::span<const SupportQuestion> questions,
                                                  const GeneratorTarget&, Context&,
                                                  Diagnostics&) const override {
    std::vector<Support> answers;
    for (const SupportQuestion& question : questions) {
      const Found found = FindLayer(*question.op, ConstantsIn(question));
      answers.push_back(found.numbers ? Support::Yes() : Support::No(found.problem));
    }
    return answers;
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    GeneratedCode code;
    if (functions.empty()) return code;
    const MakeOperator make = [&](NodeBuilder& builder, const OperatorToMake& op) -> const Stmt* {
      const Found found = FindLayer(op.info, op.constants);
      if (found.numbers) return LayerCall(builder, op, *found.layer, *found.numbers).Make();
      diagnostics.Error(DiagnosticKind::kGeneratorFailed, functions[0].function.func->range,
                        fmt::format("`{}` cannot compute an operator of kind `{}`: {}", target.name,
                                    op.info.kind, found.problem));
      return nullptr;
    };
    const std::vector<std::string_view> convolution = {"r", "c", "c", "c", "c", "o", "rw"};
    std::optional<ExternalBodies> bodies =
        MakeExternalBodies(functions,
                           {.externs = {{"cmsisnn_convolve_s8", convolution},
                                        {"cmsisnn_depthwise_s8", convolution},
                                        {"cmsisnn_dense_s8", {"r", "c", "c", "o"}}}},
                           make, diagnostics);
    if (!bodies) return std::nullopt;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    code.sources = {CmsisNnSource()};
    code.link = UserLibrary();
    code.checks = {"cmsisnn_single_rounding=1"};
    return code;
  }

 private:
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
