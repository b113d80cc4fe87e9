#include "byoc/generators/c.h"

#include <algorithm>

#include "arith/index_math.h"
#include "byoc/generators/c_updater.h"
#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/external_body.h"
#include "byoc/generators/region_program.h"
#include "fmt/format.h"
#include "lowering/c/emit_c.h"
#include "lowering/symbol_names.h"
#include "passes/loops/staged_factors.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"

namespace tenon {

namespace {

/// The statements of one operator. If sources may have vectors, sums are computed in them.
const Stmt* Loops(NodeBuilder& builder, const OperatorToMake& op, const TargetVectors& vectors) {
  const StagedComputation staged = StageFactors(op.info.computation, op.info.contraction);
  OpLoopsOptions options;
  if (vectors.count > 0) {
    options.rows = true;
    options.registers = vectors.count;
    options.register_bytes = vectors.bytes;
  } else {
    options.plain_memory = true;
  }
  std::vector<const Buffer*> operands = op.operands;
  for (const int operand : staged.memory) {
    const ComputationOperand& memory = staged.computation.operands[static_cast<size_t>(operand)];
    operands.push_back(NewFlatBuffer(builder, "staged", memory.dtype, memory.elements));
  }
  const Stmt* body = OpLoops(builder, staged.computation, operands, options).Stores();
  for (const int operand : staged.memory) {
    const Buffer* buffer = operands[static_cast<size_t>(operand)];
    body = builder.New<Allocate>({}, buffer->data, buffer->dtype, buffer->shape, builder.Bool(true),
                                 nullptr, body);
  }
  return body;
}

class CSource : public CodeGenerator {
 public:
  std::string_view name() const override { return "c"; }
  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    return CanMakeLoops(op);
  }

  /// LLVM optimises the host's loops for the same processor, with instructions and layouts that C
  /// does not have. Only its code for narrow vectors is slower than C.
  Support AcceptsRegion(const Region& region, const GeneratorTarget& target) const override {
    constexpr int64_t kWideVector = 32;
    const HostFacts& host = target.host;
    if (!target.min_macs && host.back_end == "llvm" && host.optimises &&
        host.vector_width >= kWideVector)
      return Support::No(
          fmt::format("loops with vectors of {} bytes are as fast", host.vector_width));
    return CodeGenerator::AcceptsRegion(region, target);
  }

  /// Vectors multiply numbers of 16 bits, so numbers of 8 bits would be extended again for each
  /// use.
  const ConstantUpdater* updater(const GeneratorTarget& target) const override {
    return target.vectors.count > 0 ? nullptr : &updater_;
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    GeneratedCode code;
    if (functions.empty()) return code;
    const bool has_vectors = target.vectors.count > 0;
    const MakeOperator make = [&](NodeBuilder& builder, const OperatorToMake& op) {
      return Loops(builder, op, target.vectors);
    };
    std::optional<ExternalBodies> bodies = MakeExternalBodies(functions, {}, make, diagnostics);
    RegionProgramOptions program;
    program.alignment = std::max<int64_t>(16, target.vectors.bytes);
    if (!has_vectors)
      program.passes = FusionPipeline({.fuse = true, .narrow = true, .lanes = true});
    if (!bodies || !MakeRegionPrograms(functions, program, *bodies, diagnostics))
      return std::nullopt;
    IRModule module(*functions[0].context);
    for (Function& function : bodies->tir) module.Add(std::move(function));
    const std::optional<IRModule> lowered =
        RunPipeline(module, LowerForC(has_vectors), RunOptions(), diagnostics);
    if (!lowered) return std::nullopt;
    EmitCOptions options;
    if (has_vectors) options.vector_bytes = target.vectors.bytes;
    options.library_name = fmt::format("tenon_{}", SanitizeName(target.name));
    std::optional<EmittedC> c = EmitC(*lowered, options, diagnostics);
    if (!c) return std::nullopt;
    code.functions = std::move(bodies->functions);
    code.sources = std::move(c->files);
    return code;
  }

 private:
  CUpdater updater_;
};

}  // namespace

std::unique_ptr<const CodeGenerator> CSourceGenerator() { return std::make_unique<CSource>(); }

}  // namespace tenon
