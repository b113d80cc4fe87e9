#include "byoc/generators/c.h"

#include <algorithm>

#include "byoc/generators/external_body.h"
#include "byoc/generators/op_loops.h"
#include "fmt/format.h"
#include "lowering/c/emit_c.h"
#include "lowering/symbol_names.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"

namespace tenon {

namespace {

class CSource : public CodeGenerator {
 public:
  std::string_view name() const override { return "c"; }
  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    return CanMakeLoops(op);
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    GeneratedCode code;
    if (functions.empty()) return code;
    const MakeOperator make = [](NodeBuilder& builder, const OperatorToMake& op) {
      return OpLoops(builder, op.info.computation, op.operands, {.rows = true}).Stores();
    };
    std::optional<ExternalBodies> bodies =
        MakeExternalBodies(functions, {.scratch_argument = true}, make, diagnostics);
    if (!bodies) return std::nullopt;
    IRModule module(*functions[0].context);
    for (Function& function : bodies->tir) module.Add(std::move(function));
    const std::optional<IRModule> lowered =
        RunPipeline(module, LowerForC(), RunOptions(), diagnostics);
    if (!lowered) return std::nullopt;
    EmitCOptions options;
    options.library_name = fmt::format("tenon_{}", SanitizeName(target.name));
    std::optional<EmittedC> c = EmitC(*lowered, options, diagnostics);
    if (!c) return std::nullopt;
    code.functions = std::move(bodies->functions);
    code.sources = std::move(c->files);
    return code;
  }
};

}  // namespace

std::unique_ptr<const CodeGenerator> CSourceGenerator() { return std::make_unique<CSource>(); }

}  // namespace tenon
