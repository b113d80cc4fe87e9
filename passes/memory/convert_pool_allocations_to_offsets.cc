// First, calls are followed from the entry, in TVM's order, to collect pools and placements. Then
// overlapping constants become one, and each reached function is rewritten: it takes all pools and
// passes them on.

#include "passes/memory/convert_pool_allocations_to_offsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/constant_layout.h"
#include "ir/analysis/constant_section.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/function_interface.h"
#include "ir/loaded_constants.h"
#include "ir/mapped_tensors.h"
#include "ir/memory_pools.h"
#include "ir/overlaps.h"
#include "ir/rewriter.h"
#include "ir/storage_defaults.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// A pool with placed allocations.
struct UsedPool {
  PoolInfo info;
  int64_t size_bytes = 0;
  /// The alignment of the storage: the plan's, or TVM's.
  int64_t alignment = kDefaultAlignment;
  std::vector<PooledConstant> constants;
};

/// The planned part of a module: its functions in the order of their first calls, and pools by
/// name.
struct PlannedModule {
  std::vector<Symbol> reached;
  std::map<std::string, UsedPool> pools;
  /// In the order of their first uses.
  std::vector<LoadedConstant> loaded;
};

/// Follows calls from the entry and collects placements. TVM lists the constants of a pool inner
/// before outer, and those of callees at their first call.
class Collector : public Visitor<Collector> {
 public:
  Collector(const IRModule& module, PlannedModule& planned) : module_(module), planned_(planned) {}

  void Enter(const Function& function) {
    if (!seen_.insert(function.name).second) return;
    planned_.reached.push_back(function.name);
    Visit(function.func->body);
  }

  void VisitAllocate(const Allocate* allocate) {
    Place(allocate);
    Visit(allocate->body);
  }
  void VisitAllocateConst(const AllocateConst* allocate) {
    Visit(allocate->body);
    UsedPool* pool = Place(allocate);
    if (pool == nullptr) return;
    const int64_t offset = ReadPlacement(allocate->annotations)->offset;
    if (const std::optional<PoolInfo> load_pool = ReadLoadPool(allocate->annotations)) {
      pool->info = *load_pool;
      return Load(*allocate, load_pool->name, offset);
    }
    pool->constants.push_back(
        {fmt::format("{}_let", allocate->buffer_var->name.view()), offset, allocate->data});
  }
  void VisitCall(const Call* call) {
    VisitChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.callee != nullptr) Enter(*site.callee);
  }
  void VisitBuffer(const Buffer*) {}

 private:
  /// Records that a constant is in `pool` at `offset` after loading, and places its stored form as
  /// planned.
  void Load(const AllocateConst& allocate, const std::string& pool, int64_t offset) {
    for (const LoadedConstant& known : planned_.loaded) {
      if (known.pool == pool && known.offset == offset) return;
    }
    LoadedConstant loaded;
    loaded.name = fmt::format("{}_let", allocate.buffer_var->name.view());
    loaded.pool = pool;
    loaded.offset = offset;
    loaded.size_bytes = allocate.data->size_bytes();
    loaded.codec = allocate.data->placement().codec;
    loaded.stored = Stored(allocate);
    if (const auto note = ReadStoredPlacement(allocate.annotations)) {
      loaded.stored_pool = note->pool;
      loaded.stored_offset = note->offset;
      UsedPool& storage = planned_.pools[loaded.stored_pool];
      storage.size_bytes = std::max(storage.size_bytes, note->offset + loaded.stored->size_bytes());
      for (PoolInfo& candidate : ReadCandidates(allocate.annotations)) {
        if (candidate.name == note->pool) storage.info = std::move(candidate);
      }
      storage.constants.push_back({loaded.name, note->offset, loaded.stored});
    }
    planned_.loaded.push_back(std::move(loaded));
  }

  /// The stored bytes of a constant, as a constant. plan-memory has checked that they are readable.
  const Constant* Stored(const AllocateConst& allocate) {
    const Constant& data = *allocate.data;
    const std::string& codec = data.placement().codec;
    if (codec.empty()) return &data;
    const absl::StatusOr<std::span<const uint8_t>> bytes = data.StoredBytes();
    if (!bytes.ok()) return &data;
    std::string_view name = data.name().view();
    if (name.empty()) name = allocate.buffer_var->name.view();
    ConstantPlacement placement;
    placement.section = SectionOf(data);
    Context& context = module_.context();
    return context.AddConstant(context.Intern(fmt::format("{}_{}", name, codec)), DataType::UInt(8),
                               {static_cast<int64_t>(bytes->size())},
                               std::vector<uint8_t>(bytes->begin(), bytes->end()),
                               std::move(placement), data.range());
  }

  /// Makes room for an allocation in its pool; null for an unplaced one.
  template <class T>
  UsedPool* Place(const T* allocate) {
    const std::optional<PlacementNote> note = ReadPlacement(allocate->annotations);
    if (!note) return nullptr;
    const int64_t bytes = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
    UsedPool& pool = planned_.pools[std::string(note->pool)];
    pool.size_bytes = std::max(pool.size_bytes, note->offset + bytes);
    for (PoolInfo& candidate : ReadCandidates(allocate->annotations)) {
      if (candidate.name == note->pool) pool.info = std::move(candidate);
    }
    return &pool;
  }

  const IRModule& module_;
  PlannedModule& planned_;
  absl::flat_hash_set<Symbol> seen_;
};

/// Constants that share bytes, once. A constant inside another is removed. Overlapping constants
/// become one: a slice of the constant that all were cut from.
std::vector<PooledConstant> WithoutOverlaps(Context& context,
                                            const std::vector<PooledConstant>& constants) {
  struct Extent {
    const Constant* root;
    int64_t origin;  ///< where the root's first byte would be
    int64_t begin;
    int64_t end;
    size_t index;
  };
  std::vector<Extent> extents;
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].data == nullptr) return constants;
    const ConstantRoot root = RootOf(*constants[i].data);
    const int64_t begin = constants[i].byte_offset;
    extents.push_back(
        {root.data, begin - root.offset, begin, begin + constants[i].data->size_bytes(), i});
  }
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::tuple(a.root, a.origin, a.begin, -a.end, a.index) <
           std::tuple(b.root, b.origin, b.begin, -b.end, b.index);
  });
  std::vector<std::optional<PooledConstant>> kept(constants.size());
  for (size_t i = 0; i < extents.size();) {
    // The first one is the largest at its offset, and the result takes its place in the list.
    const Extent& first = extents[i];
    int64_t end = first.end;
    size_t next = i + 1;
    for (; next < extents.size() && extents[next].root == first.root &&
           extents[next].origin == first.origin &&
           (extents[next].begin < end || extents[next].begin == first.begin);
         ++next)
      end = std::max(end, extents[next].end);
    PooledConstant& result = kept[first.index].emplace(constants[first.index]);
    if (end > first.end) {
      ConstantSource source;
      source.kind = ConstantSource::Kind::kSlice;
      source.base = first.root;
      source.offset = first.begin - first.origin;
      result.data =
          end - first.begin == first.root->size_bytes()
              ? first.root
              : context.AddConstant(result.data->name(), DataType::UInt(8), {end - first.begin},
                                    std::move(source), result.data->placement());
    }
    i = next;
  }
  std::vector<PooledConstant> all;
  for (std::optional<PooledConstant>& constant : kept) {
    if (constant) all.push_back(*std::move(constant));
  }
  return all;
}

/// The alignments that the plan assumed.
void ReadAlignments(const IRModule& module, PlannedModule& planned) {
  const auto* plan = dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kMemoryPlan));
  const auto* pools = plan == nullptr ? nullptr : dyn_cast_or_null<MapAttr>(plan->Find("pools"));
  for (auto& [name, pool] : planned.pools) {
    const auto* entry = pools == nullptr ? nullptr : dyn_cast_or_null<MapAttr>(pools->Find(name));
    const int64_t* alignment = entry == nullptr ? nullptr : AsInt(entry->Find("alignment"));
    if (alignment != nullptr && IsPowerOfTwo(*alignment))
      pool.alignment = std::min(*alignment, kMostPoolAlignment);
  }
}

/// True for TVM's own pool of constants, whose text mentions only the constants.
bool IsPlainDefault(const PoolInfo& pool) {
  PoolInfo plain;
  plain.name = kDefaultConstantPool;
  plain.is_constant = true;
  plain.is_internal = pool.is_internal;
  return pool.attr == nullptr || SamePool(pool, plain);
}

DataType IndexType(int64_t value) { return DataType::Int(value > INT32_MAX ? 64 : 32); }

/// The attribute with the pools that a planned function takes.
const ArrayAttr* PoolArgsAttr(NodeBuilder& builder, const PlannedModule& planned) {
  const auto integer = [&](int64_t value) {
    return builder.ExprValue(builder.Int(IndexType(value), value));
  };
  const auto object = [&](std::string_view key, const MapAttr* fields) -> const Attr* {
    return builder.New<ObjectAttr>({}, builder.context().Intern(key), fields);
  };
  std::vector<const Attr*> args;
  for (const auto& [name, pool] : planned.pools) {
    const Attr* info = pool.info.attr;
    if (pool.info.is_constant) {
      std::vector<const Attr*> constants;
      for (const PooledConstant& constant : pool.constants) {
        constants.push_back(
            object(kConstantInfoKey,
                   builder.Map({{"name_hint", builder.StringValue(constant.name)},
                                {"byte_offset", integer(constant.byte_offset)},
                                {"data", builder.New<ConstantAttr>({}, constant.data)}})));
      }
      const MapAttr* fields = IsPlainDefault(pool.info) ? builder.Map({}) : pool.info.attr->fields;
      info = object(kConstantPoolKey,
                    builder.With(fields, "constant_info_array", builder.Array(constants)));
    }
    args.push_back(
        object(kAllocatedPoolKey,
               builder.Map({{"pool_info", info}, {"allocated_size", integer(pool.size_bytes)}})));
  }
  return builder.Array(args);
}

/// The position of the pools among the parameters: a final parameter without a buffer is a resource
/// handle, and stays the last.
size_t PoolPosition(const PrimFunc& function) {
  const size_t count = function.params.size();
  const bool has_handle =
      count > 0 && function.buffers.back() == nullptr && function.params.back()->dtype.is_handle();
  return has_handle ? count - 1 : count;
}

/// A function that the entry does not reach, but that calls one which will take pools; null if
/// there is none.
const Function* FindOutsideCaller(const IRModule& module,
                                  const absl::flat_hash_set<Symbol>& reached) {
  for (const Function& function : module.functions()) {
    if (reached.contains(function.name)) continue;
    bool calls = false;
    Walk(function.func->body, [&](const Node* node) {
      if (!isa<Call>(node)) return !calls;
      const CallSite site = AsCallSite(module, cast<Call>(node));
      calls |= site.callee != nullptr && reached.contains(site.callee->name);
      return !calls;
    });
    if (calls) return &function;
  }
  return nullptr;
}

/// Rewrites one function: adds parameters for the pools, replaces placed allocations by addresses,
/// and passes pools to callees.
class Converter : public Rewriter<Converter> {
 public:
  Converter(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
            const PlannedModule& planned, int64_t first_number)
      : Rewriter(context, std::move(storage)), module_(module) {
    int64_t number = first_number;
    for (const auto& [name, pool] : planned.pools) AddPool(name, pool, number++);
  }

  const PrimFunc* Convert(const PrimFunc* function, const ArrayAttr* pool_args,
                          const std::vector<MappedTensor>& mapped,
                          const std::vector<LoadedConstant>& loaded) {
    PrimFunc copy = *RewriteFunc(function);
    copy.params = function->params;
    copy.buffers = function->buffers;
    AddParams(arena(), copy, PoolPosition(*function), pool_params_, pool_buffers_);
    copy.attrs = builder().With(copy.attrs, attr_key::kPoolArgs, pool_args);
    copy.attrs = WithPoolOverlaps(copy.attrs, *function);
    if (!mapped.empty()) {
      copy.attrs = builder().With(copy.attrs, attr_key::kMappedTensors,
                                  MappedTensorsAttr(builder(), mapped));
    }
    if (!loaded.empty()) {
      copy.attrs = builder().With(copy.attrs, attr_key::kLoadedConstants,
                                  LoadedConstantsAttr(builder(), loaded));
    }
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteAllocate(const Allocate* allocate) { return Convert(allocate); }
  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) { return Convert(allocate); }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.callee == nullptr) return now;
    // The pools go to their positions in the callee. A resource handle that is not a parameter of
    // the callee stays after them.
    const size_t behind = call->args.size() - site.args.size() + PoolPosition(*site.callee->func);
    std::vector<const Expr*> args(now->args.begin(), now->args.end());
    auto at = args.begin() + static_cast<std::ptrdiff_t>(std::min(behind, args.size()));
    for (const Buffer* buffer : pool_buffers_) at = args.insert(at, buffer->data) + 1;
    return builder().New<Call>(now->range, now->dtype, now->op, arena().Copy(args), now->callee);
  }

 private:
  void AddPool(const std::string& name, const UsedPool& pool, int64_t number) {
    const int64_t size = pool.size_bytes;
    const Type* type = builder().context().PointerType(DataType::UInt(8), "global");
    const Var* param = builder().NewVar(fmt::format("{}_{}_var", name, number), type);
    const std::string buffer_name = fmt::format("{}_{}_buffer_var", name, number);
    Buffer buffer(builder().context().Intern(buffer_name), builder().NewVar(buffer_name, type),
                  DataType::UInt(8), builder().List<Expr>({builder().Int(IndexType(size), size)}),
                  builder().Int(0));
    buffer.strides = builder().List<Expr>({builder().Int(IndexType(size), 1)});
    buffer.data_alignment = static_cast<int32_t>(pool.alignment);
    pool_params_.push_back(param);
    pool_buffers_.push_back(arena().New<Buffer>(buffer));
    pool_names_.push_back(name);
  }

  /// `attrs` with overlaps of pools as pairs of parameters.
  const MapAttr* WithPoolOverlaps(const MapAttr* attrs, const PrimFunc& function) {
    std::vector<ParamPair> pairs = ReadOverlaps(function);
    const std::vector<ParamAndPool> with_pools = ReadPoolOverlaps(function);
    if (with_pools.empty()) return attrs;
    const auto first_pool = static_cast<int64_t>(PoolPosition(function));
    for (const auto& [param, name] : with_pools) {
      const auto pool = std::find(pool_names_.begin(), pool_names_.end(), name);
      if (pool != pool_names_.end())
        pairs.emplace_back(param, first_pool + (pool - pool_names_.begin()));
    }
    return builder().With(attrs, attr_key::kOverlaps, OverlapsAttr(builder(), pairs));
  }

  template <class T>
  const Stmt* Convert(const T* allocate) {
    const std::optional<PlacementNote> note = ReadPlacement(allocate->annotations);
    if (!note) return RewriteChildren(allocate);
    const auto pool =
        std::find(pool_names_.begin(), pool_names_.end(), note->pool) - pool_names_.begin();
    const SourceRange range = allocate->range;
    const Buffer* buffer = pool_buffers_[static_cast<size_t>(pool)];
    const Expr* offset = builder().Int(IndexType(note->offset), note->offset, range);
    const Expr* address = builder().NewCall(DataType::Handle(), OpKind::kAddressOf,
                                            {builder().Load(buffer, {offset}, range)}, range);
    const Var* old = allocate->buffer_var;
    const Var* let =
        builder().NewVar(fmt::format("{}_let", old->name.view()), old->type, old->range);
    var_map[old] = let;
    return builder().New<LetStmt>(range, let, address, RewriteAny(allocate->body));
  }

  const IRModule& module_;
  std::vector<const Var*> pool_params_;
  std::vector<const Buffer*> pool_buffers_;
  std::vector<std::string> pool_names_;
};

}  // namespace

absl::StatusOr<IRModule> ConvertPoolAllocationsToOffsets(
    const IRModule& module, const ConvertPoolAllocationsToOffsetsOptions& options,
    PassContext& context) {
  const Function* entry = module.Main();
  if (entry == nullptr) return module;
  PlannedModule planned;
  Collector(module, planned).Enter(*entry);
  const std::vector<MappedTensor> mapped = ReadMappedTensors(*entry->func);
  for (const MappedTensor& tensor : mapped) {
    if (!tensor.pool.empty()) continue;
    context.diagnostics.Error(
        DiagnosticKind::kPass, entry->func->range,
        fmt::format("{} `{}` of `{}` has no place in a pool", tensor.is_output ? "output" : "input",
                    tensor.name, entry->name.view()));
    return module;
  }
  if (planned.pools.empty()) return module;
  ReadAlignments(module, planned);
  for (auto& [name, pool] : planned.pools)
    pool.constants = WithoutOverlaps(module.context(), pool.constants);
  const absl::flat_hash_set<Symbol> reached(planned.reached.begin(), planned.reached.end());
  if (const Function* caller = FindOutsideCaller(module, reached)) {
    context.diagnostics.Error(
        DiagnosticKind::kPass, caller->func->range,
        fmt::format("`{0}` calls a function that takes memory pools, but has no pools to pass on: "
                    "the entry `{1}` does not reach `{0}`",
                    caller->name.view(), entry->name.view()));
    return module;
  }

  auto shared = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), shared->arena());
  const ArrayAttr* pool_args = PoolArgsAttr(builder, planned);
  IRModule result = module;
  int64_t number = 0;
  const std::vector<LoadedConstant> nothing_loaded;
  for (Symbol name : planned.reached) {
    const Function& function = *module.Find(name);
    auto storage = std::make_shared<Storage>(function.storage);
    storage->Retain(shared);
    Converter converter(module.context(), storage, module, planned, number);
    const bool is_entry = name == entry->name;
    const PrimFunc* now =
        converter.Convert(function.func, pool_args, is_entry ? mapped : std::vector<MappedTensor>(),
                          is_entry ? planned.loaded : nothing_loaded);
    result.Update({name, now, std::move(storage)});
    number += static_cast<int64_t>(planned.pools.size());
  }
  if (!options.keep_plan && module.attrs()->Find(attr_key::kMemoryPlan) != nullptr) {
    result.SetAttrs(builder.With(module.attrs(), attr_key::kMemoryPlan, nullptr), shared);
  }
  // The pool objects in `pool_args` come from annotations of the old versions.
  for (Symbol name : planned.reached) shared->Retain(module.Find(name)->storage);
  return result;
}

}  // namespace tenon
