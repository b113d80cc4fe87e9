// Copies the functions of a region into a separate program and runs the host's passes on it, so
// that a code generator needs no optimiser. Scratch memory becomes a parameter.

#include "byoc/generators/region_program.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/attributes.h"
#include "ir/extents.h"
#include "ir/function_attrs.h"
#include "ir/function_interface.h"
#include "passes/memory/assign_pool_info.h"
#include "passes/memory/convert_pool_allocations_to_offsets.h"
#include "passes/memory/plan_memory.h"
#include "passes/pipeline/default_pipelines.h"
#include "passes/pipeline/runner.h"

namespace tenon {

namespace {

/// The new body of an external function as the entry of a program.
Function AsEntry(Context& context, const Function& made, const Function& external) {
  return WithAttrs(context, made, [&](NodeBuilder& builder, const MapAttr* attrs) {
    attrs = builder.With(attrs, attr_key::kCompiler, nullptr);
    attrs = builder.With(attrs, attr_key::kNoAlias, external.FindAttr(attr_key::kNoAlias));
    return builder.With(attrs, attr_key::kIsEntryFunc, builder.ExprValue(builder.Bool(true)));
  });
}

/// The planned entry with its earlier attributes.
Function AsExternal(const Function& entry, const Function& made) {
  auto storage = std::make_shared<Storage>(entry.storage);
  storage->Retain(made.storage);
  PrimFunc copy = *entry.func;
  copy.attrs = made.func->attrs;
  const PrimFunc* func = storage->arena().New<PrimFunc>(copy);
  return {entry.name, func, std::move(storage)};
}

/// The bytes of the parameter that planning has added; 0 without one.
int64_t ScratchBytes(const PrimFunc& planned, const PrimFunc& before) {
  if (planned.params.size() == before.params.size()) return 0;
  TENON_CHECK(planned.params.size() == before.params.size() + 1);
  const Buffer* buffer = planned.buffers[NewParamIndex(before)];
  TENON_CHECK(buffer != nullptr);
  return StaticBytes(buffer->dtype, buffer->shape).value_or(0);
}

Pipeline PlanningOf(int64_t alignment) {
  return Pipeline()
      .Add<&AssignPoolInfo>({.workspace_pools = "scratch"})
      .Add<&PlanMemory>({.workspace_alignment = alignment})
      .Add<&ConvertPoolAllocationsToOffsets>();
}

}  // namespace

bool MakeRegionPrograms(std::span<const ExternalFunction> functions,
                        const RegionProgramOptions& options, ExternalBodies& bodies,
                        Diagnostics& diagnostics) {
  std::vector<Function> made;
  size_t next = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    Context& context = *functions[i].context;
    IRModule program(context);
    const Symbol name = functions[i].function.name;
    while (bodies.tir[next].name != name) program.Add(bodies.tir[next++]);
    const Function external = bodies.tir[next++];
    program.Add(AsEntry(context, external, functions[i].function));
    Pipeline passes = LowerForPlanning();
    passes.Append(options.passes).Append(PlanningOf(options.alignment));
    const std::optional<IRModule> planned = RunPipeline(program, passes, RunOptions(), diagnostics);
    if (!planned) return false;
    const Function& entry = *planned->Find(name);
    GeneratedFunction& said = bodies.functions[i];
    said.workspace_alignment = options.alignment;
    said.workspace_bytes = ScratchBytes(*entry.func, *external.func);
    for (const Function& function : planned->functions()) {
      made.push_back(function.name == name ? AsExternal(function, external) : function);
    }
  }
  bodies.tir = std::move(made);
  return true;
}

}  // namespace tenon
