// The simplest generator, and an example for authors. It defines the meaning of a claim.

#include "byoc/generators/reference.h"

#include "byoc/generators/can_make_loops.h"
#include "byoc/generators/external_body.h"

namespace tenon {

namespace {

class Reference : public CodeGenerator {
 public:
  std::string_view name() const override { return "reference"; }
  Support Supports(const OpInfo& op, const GeneratorTarget&) const override {
    return CanMakeLoops(op);
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget&,
                                        Diagnostics& diagnostics) const override {
    const MakeOperator make = [](NodeBuilder& builder, const OperatorToMake& op) {
      return OpLoops(builder, op.info.computation, op.operands, {}).Stores();
    };
    std::optional<ExternalBodies> bodies = MakeExternalBodies(functions, {}, make, diagnostics);
    if (!bodies) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    return code;
  }
};

}  // namespace

std::unique_ptr<const CodeGenerator> ReferenceGenerator() { return std::make_unique<Reference>(); }

}  // namespace tenon
