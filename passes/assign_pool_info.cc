#include "passes/assign_pool_info.h"

#include <fmt/format.h>

#include <charconv>

#include "ir/rewriter.h"
#include "ir/memory_pools.h"

namespace tenon {

namespace {

/// `a:100;b` as pool objects; an error text in `error`.
std::vector<const Attr*> ParsePools(NodeBuilder& builder, std::string_view text, bool is_constant,
                                    std::string& error) {
  std::vector<const Attr*> pools;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    int64_t bytes = -1;
    if (const size_t colon = item.find(':'); colon != std::string_view::npos) {
      const std::string_view number = item.substr(colon + 1);
      const auto [stop, code] =
          std::from_chars(number.data(), number.data() + number.size(), bytes);
      if (code != std::errc() || stop != number.data() + number.size() || bytes < 0) {
        error = fmt::format("size `{}` of a pool is no number of bytes", number);
        return {};
      }
      item = item.substr(0, colon);
    }
    if (item.empty()) {
      error = "a pool has no name";
      return {};
    }
    pools.push_back(
        MakePoolInfo(builder, item, is_constant, /*is_internal=*/false, bytes, nullptr));
  }
  return pools;
}

/// The pools of a module attribute: an object with `pools`, or a list.
std::vector<const Attr*> PoolsOfAttr(const Attr* attr) {
  if (const auto* object = dyn_cast_or_null<ObjectAttr>(attr)) attr = object->fields->Find("pools");
  const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
  return list == nullptr ? std::vector<const Attr*>()
                         : std::vector<const Attr*>(list->items.begin(), list->items.end());
}

class Annotator : public Rewriter<Annotator> {
 public:
  Annotator(Context& context, std::shared_ptr<Storage> storage, const ArrayAttr* workspace,
            const ArrayAttr* constants)
      : Rewriter(context, std::move(storage)), workspace_(workspace), constants_(constants) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) { return Annotate(allocate, workspace_); }
  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    return Annotate(allocate, constants_);
  }

 private:
  template <class T>
  const Stmt* Annotate(const T* allocate, const ArrayAttr* pools) {
    const T* now = RewriteChildren(allocate);
    const bool has =
        now->annotations != nullptr && now->annotations->Find(kCandidatesKey) != nullptr;
    if (has || pools->items.empty()) return now;
    T copy = *now;
    copy.annotations = builder().With(now->annotations, kCandidatesKey, pools);
    return arena().template New<T>(copy);
  }

  const ArrayAttr* workspace_;
  const ArrayAttr* constants_;
};

}  // namespace

absl::StatusOr<IRModule> AssignPoolInfo(const IRModule& module,
                                        const AssignPoolInfoOptions& options,
                                        PassContext& context) {
  // The pool objects are shared by all functions; each version keeps their storage alive.
  auto shared = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), shared->arena());
  std::string error;
  std::vector<const Attr*> workspace = ParsePools(builder, options.workspace_pools, false, error);
  std::vector<const Attr*> constants = ParsePools(builder, options.constant_pools, true, error);
  if (!error.empty()) return absl::InvalidArgumentError(error);
  if (workspace.empty()) workspace = PoolsOfAttr(module.attrs()->Find("workspace_memory_pools"));
  if (constants.empty()) constants = PoolsOfAttr(module.attrs()->Find("constant_memory_pools"));
  if (constants.empty() && workspace.empty()) {
    constants = {MakePoolInfo(builder, kDefaultConstantPool, true, options.internal, -1, nullptr)};
  }
  if (workspace.empty()) {
    workspace = {
        MakePoolInfo(builder, kDefaultWorkspacePool, false, options.internal, -1, nullptr)};
  }
  const ArrayAttr* workspace_list = builder.Array(workspace);
  const ArrayAttr* constant_list = builder.Array(constants);
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    auto storage = std::make_shared<Storage>(function.storage);
    storage->Retain(shared);
    Annotator annotator(module.context(), storage, workspace_list, constant_list);
    const PrimFunc* now = annotator.RewriteFunc(function.func);
    return now == function.func ? function : Function{function.name, now, std::move(storage)};
  });
}

}  // namespace tenon
