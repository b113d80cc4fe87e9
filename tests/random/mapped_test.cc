// Random modules whose inputs and outputs lie in the pools, at their places, where a byte that
// another allocation has written counts as not written. Loops run backwards where that helps, or
// wherever they can.

#include <algorithm>

#include "ir/attributes.h"
#include "ir/mapped_tensors.h"
#include "ir/overlaps.h"
#include "ir/rewriter.h"
#include "passes/memory/plan_memory.h"
#include "passes/memory/reversed_nests.h"
#include "random/check.h"

namespace tenon::random_ir {
namespace {

constexpr std::string_view kFlat = "convert-for-loops-to-serial,lower-blocks,flatten-buffers";

ModuleOptions Larger(bool reuse) {
  ModuleOptions options;
  options.statements = reuse ? 8 : 14;
  options.depth = 2;
  options.reuse = reuse;
  return options;
}

/// Makes parameters of mapped tensors again: their values are copied to the allocations at the
/// beginning, and from there at the end, as a caller does who is told the places.
class CopiesMapped : public Rewriter<CopiesMapped> {
 public:
  using Rewriter::Rewriter;

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
    if (notes->Find(attr_key::kInputTensor) != nullptr)
      body.push_back(CopyLoop(inside, outside, elements));
    body.push_back(now->body);
    if (notes->Find(attr_key::kOutputTensor) != nullptr)
      body.push_back(CopyLoop(outside, inside, elements));
    copy.body = builder().Seq(Span<const Stmt*>(body.data(), body.size()));
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

  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
};

/// Runs main with outputs that hold something: some are kept in part.
std::optional<std::vector<std::vector<uint8_t>>> RunWhole(Sample& sample, const IRModule& version,
                                                          InterpreterOptions options = {}) {
  options.max_steps = 20'000'000;
  const auto interpreter = Interpreter::Compile(version, sample.diagnostics, std::move(options));
  if (!interpreter.ok()) return std::nullopt;
  Dice dice(sample.seed);
  std::vector<NamedTensor> tensors = sample.inputs;
  const PrimFunc& main = *sample.module.Main()->func;
  for (size_t i = tensors.size(); i < main.params.size(); ++i)
    tensors.push_back({"", Sample::RandomTensor(*main.buffers[i], dice)});
  const size_t inputs = sample.inputs.size();
  std::vector<Argument> arguments;
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<int64_t>& shape = tensors[i].tensor.shape;
    shape.clear();
    for (const Expr* extent : version.Main()->func->buffers[i]->shape)
      shape.push_back(*AsIntImm(extent));
    arguments.push_back(Argument::Of(&tensors[i].tensor));
  }
  if (!interpreter->Run("main", arguments, sample.diagnostics)) return std::nullopt;
  std::vector<std::vector<uint8_t>> bytes;
  for (size_t i = inputs; i < tensors.size(); ++i) {
    bytes.push_back(tensors[i].tensor.bytes);
    Sample::OneNan(tensors[i].tensor.dtype, bytes.back());
  }
  return bytes;
}

/// The module with parameters again in the place of mapped tensors, and the places of all.
IRModule WithParams(const IRModule& planned, InterpreterOptions& placements) {
  IRModule result = planned;
  const std::vector<Function> functions(planned.functions().begin(), planned.functions().end());
  for (const Function& function : functions) {
    auto storage = std::make_shared<Storage>(function.storage);
    CopiesMapped rewriter(planned.context(), storage);
    const PrimFunc* func = rewriter.Copy(function.func);
    for (const auto& [var, place] : rewriter.placements.placement)
      placements.placement[var] = place;
    result.Update({function.name, func, std::move(storage)});
  }
  return result;
}

struct Seen {
  size_t mapped = 0;
  size_t overlaps = 0;
};

void KeepMapped(bool reuse, std::string_view io, Seen& seen) {
  const Seeds seeds(120);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Larger(reuse));
    const auto want = RunWhole(sample, sample.module);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    const auto planned = sample.Apply(
        sample.module, fmt::format("{},create-io-allocates{{{}}},assign-pool-info,"
                                   "reverse-loops{{workspace-alignment=1}},"
                                   "plan-memory{{overlap=on workspace-alignment=1}},verify-plan",
                                   kFlat, io));
    ASSERT_TRUE(planned.has_value()) << sample.Messages() << PrintModule(sample.module);
    for (const Function& function : planned->functions())
      seen.overlaps += ReadOverlaps(*function.func).size();
    seen.mapped += ReadMappedTensors(*planned->Main()->func).size();
    InterpreterOptions placements;
    const IRModule copying = WithParams(*planned, placements);
    const auto result = RunWhole(sample, copying, placements);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(copying);
    ASSERT_EQ(*want, *result) << "seed " << seed;
  }
}

TEST(RandomMapped, KeepResults) {
  Seen seen;
  for (const bool reuse : {false, true}) {
    KeepMapped(reuse, "", seen);
    KeepMapped(reuse, "keep-inputs=true", seen);
  }
  EXPECT_GT(seen.mapped, 100u);
  fmt::print("{} tensors in pools, {} pairs of parameters share bytes\n", seen.mapped,
             seen.overlaps);
}

TEST(RandomReversed, KeepResults) {
  const Seeds seeds(600);
  size_t reversed = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Larger(/*reuse=*/seed % 2 == 0));
    const auto flat = sample.Apply(sample.module, kFlat);
    ASSERT_TRUE(flat.has_value()) << sample.Messages();
    const auto want = sample.Run(*flat);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    IRModule backward = *flat;
    for (const Function& function : flat->functions()) {
      const Function now = WithReversedNests(flat->context(), function, 1 + seed % 3);
      if (now.func == function.func) continue;
      ++reversed;
      backward.Update(now);
    }
    const auto result = sample.Run(backward);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(backward);
    ASSERT_EQ(*want, *result) << "seed " << seed << PrintModule(backward);
  }
  EXPECT_GT(reversed, 50u);
}

}  // namespace
}  // namespace tenon::random_ir
