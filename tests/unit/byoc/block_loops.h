#ifndef TENON_TESTS_UNIT_BYOC_BLOCK_LOOPS_H_
#define TENON_TESTS_UNIT_BYOC_BLOCK_LOOPS_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arith/index_math.h"
#include "byoc/code_generator.h"
#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/external_body.h"
#include "byoc/generators/region_program.h"
#include "ir/buffer.h"
#include "lowering/c/emit_c.h"
#include "passes/loops/block_schedule.h"
#include "passes/loops/staged_factors.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"

// A generator of C for tests of what generators share: sums in blocks of vectors (OpLoops), staged
// factors, regions as programs with scratch memory.

namespace tenon {

class BlockLoops : public CodeGenerator {
 public:
  std::string_view name() const override { return "blocks"; }
  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    return CanMakeLoops(op);
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
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
    options.library_name = "tenon_blocks";
    std::optional<EmittedC> c = EmitC(*lowered, options, diagnostics);
    if (!c) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.sources = std::move(c->files);
    return code;
  }

 private:
  /// The statements of one operator, with vectors if the machine has any.
  static const Stmt* Loops(NodeBuilder& builder, const OperatorToMake& op,
                           const TargetVectors& vectors) {
    const StagedComputation staged =
        StageFactors(op.info.computation, op.info.contraction, /*extends=*/false);
    std::vector<const Buffer*> operands = op.operands;
    for (const int operand : staged.memory) {
      const ComputationOperand& memory = staged.computation.operands[static_cast<size_t>(operand)];
      operands.push_back(NewFlatBuffer(builder, "staged", memory.dtype, memory.elements));
    }
    std::vector<const Stmt*> stores;
    for (const ComputationStore& store : staged.computation.stores)
      stores.push_back(Store(builder, staged.computation, operands, store, vectors));
    const Stmt* body = builder.Seq(Span<const Stmt*>(stores));
    for (const int operand : staged.memory) {
      const Buffer* buffer = operands[static_cast<size_t>(operand)];
      body = builder.New<Allocate>({}, buffer->data, buffer->dtype, buffer->shape,
                                   builder.Bool(true), nullptr, body);
    }
    return body;
  }

  static const Stmt* Store(NodeBuilder& builder, const Computation& all,
                           const std::vector<const Buffer*>& operands,
                           const ComputationStore& store, const TargetVectors& vectors) {
    const ComputationAccess& to = all.accesses[static_cast<size_t>(store.access)];
    std::optional<BlockPlan> plan;
    if (vectors.count > 0)
      plan = ScheduleBlock(all, store, {},
                           {.registers = vectors.count, .register_bytes = vectors.bytes});
    OpLoopsOptions options;
    options.rows = vectors.count > 0;
    options.register_bytes = vectors.bytes;
    options.schedule = plan ? &plan->schedule : nullptr;
    return OpLoops(builder, all, operands, options)
        .Store(operands[static_cast<size_t>(to.operand)], to.element, store.step, store.loops);
  }
};

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_BYOC_BLOCK_LOOPS_H_
