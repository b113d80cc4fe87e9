#ifndef TENON_TESTS_UNIT_PASSES_MAPPED_COPIES_H_
#define TENON_TESTS_UNIT_PASSES_MAPPED_COPIES_H_

// Runs planned modules whose inputs and outputs lie in pools: see plan_run_util.h.

#include <memory>
#include <utility>
#include <vector>

#include "interp/interpreter.h"
#include "ir/attributes.h"
#include "ir/mapped_tensors.h"
#include "ir/memory_pools.h"
#include "ir/module.h"
#include "ir/rewriter.h"

namespace tenon {

/// Turns mapped tensors into parameters again. Their values are copied to the allocations at the
/// beginning, and from there at the end, as by a caller that knows the places. Outputs are copied
/// at the end, and inputs if `keep_inputs`, whatever the annotations say.
class CopiesMapped : public Rewriter<CopiesMapped> {
 public:
  CopiesMapped(Context& context, std::shared_ptr<Storage> storage, bool keep_inputs)
      : Rewriter(context, std::move(storage)), keep_inputs_(keep_inputs) {}

  const PrimFunc* Copy(const PrimFunc* func) {
    const size_t count = func->params.size() + ReadMappedTensors(*func).size();
    params_.resize(count);
    buffers_.resize(count);
    PrimFunc copy = *func;
    copy.body = RewriteAny(func->body);
    size_t next = 0;
    for (size_t i = 0; i < count; ++i) {
      if (params_[i] != nullptr) continue;
      params_[i] = func->params[next];
      buffers_[i] = func->buffers[next++];
    }
    copy.params = arena().Copy(params_);
    copy.buffers = arena().Copy(buffers_);
    return arena().New<PrimFunc>(copy);
  }

  InterpreterOptions placements;

  const Stmt* RewriteAllocate(const Allocate* allocate) {
    if (const auto note = ReadPlacement(allocate->annotations))
      placements.placement[allocate->buffer_var] = {std::string(note->pool), note->offset};
    const Allocate* now = RewriteChildren(allocate);
    const MapAttr* notes = allocate->annotations;
    const auto* entry = notes == nullptr
                            ? nullptr
                            : dyn_cast_or_null<ArrayAttr>(notes->Find(attr_key::kEntryTensor));
    if (entry == nullptr) return now;
    int64_t elements = 1;
    for (const Expr* extent : allocate->extents) elements *= *AsIntImm(extent);
    const auto index = static_cast<size_t>(*AsInt(entry->items[1]));
    const Buffer* inside = NewBuffer(allocate->buffer_var, allocate->dtype, elements);
    const Var* data = builder().NewVar("outside", allocate->buffer_var->type);
    const Buffer* outside = NewBuffer(data, allocate->dtype, elements);
    Buffer param = *outside;
    param.shape = allocate->extents;
    buffers_[index] = arena().New<Buffer>(param);
    params_[index] = builder().NewVar("handle", builder().context().PrimType(DataType::Handle()));
    Allocate copy = *now;
    std::vector<const Stmt*> body;
    const bool is_input = *AsString(entry->items[0]) == "input";
    if (is_input || notes->Find(attr_key::kInputTensor) != nullptr)
      body.push_back(CopyLoop(inside, outside, elements));
    body.push_back(now->body);
    if (!is_input || keep_inputs_) body.push_back(CopyLoop(outside, inside, elements));
    copy.body = builder().Seq(Span<const Stmt*>(body.data(), body.size()));
    // The tensor is a parameter again.
    for (const std::string_view key :
         {attr_key::kEntryTensor, attr_key::kInputTensor, attr_key::kOutputTensor}) {
      copy.annotations = builder().With(copy.annotations, key, nullptr);
    }
    return arena().New<Allocate>(copy);
  }

 private:
  const Buffer* NewBuffer(const Var* data, DataType dtype, int64_t elements) {
    return builder().New<Buffer>({}, data->name, data, dtype,
                                 builder().List<Expr>({builder().Int(elements)}), builder().Int(0));
  }
  const Stmt* CopyLoop(const Buffer* to, const Buffer* from, int64_t elements) {
    const Var* i = builder().NewVar("i", DataType::Int(32));
    const Stmt* store =
        builder().New<BufferStore>({}, to, builder().Load(from, {i}), builder().List<Expr>({i}));
    return builder().New<For>({}, i, builder().Int(0), builder().Int(elements), ForKind::kSerial,
                              store);
  }

  const bool keep_inputs_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
};

/// The module with parameters instead of mapped tensors, and the places of all allocations.
inline IRModule WithParams(const IRModule& planned, InterpreterOptions& placements,
                           bool keep_inputs = false) {
  IRModule result = planned;
  const std::vector<Function> functions = planned.functions();
  for (const Function& function : functions) {
    auto storage = std::make_shared<Storage>(function.storage);
    CopiesMapped rewriter(planned.context(), storage, keep_inputs);
    const PrimFunc* func = rewriter.Copy(function.func);
    for (const auto& [var, place] : rewriter.placements.placement)
      placements.placement[var] = place;
    result.Update({function.name, func, std::move(storage)});
  }
  return result;
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PASSES_MAPPED_COPIES_H_
