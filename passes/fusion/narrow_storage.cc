// Rounds to a fixpoint: narrow storage bounds the values of its readers, whose storage may then be
// narrowed as well. Each round changes something, so there is a last one.

#include "passes/fusion/narrow_storage.h"

#include "ir/extents.h"
#include "ir/visitor.h"
#include "passes/fusion/narrowing.h"

namespace tenon {

namespace {

/// The bytes of a module's storage of constant size.
struct StorageBytes {
  int64_t allocations = 0;
  int64_t constants = 0;
};

StorageBytes BytesOf(const IRModule& module) {
  StorageBytes bytes;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        bytes.allocations += StaticBytes(allocate->dtype, allocate->extents).value_or(0);
      } else if (const auto* constant = dyn_cast<AllocateConst>(node)) {
        bytes.constants += constant->data->size_bytes();
      }
      return isa<Stmt>(node);
    });
  }
  return bytes;
}

}  // namespace

absl::StatusOr<IRModule> NarrowStorage(const IRModule& module, const NarrowStorageOptions& options,
                                       PassContext& context) {
  // Each round narrows storage, or replaces loads by numbers, so there is a last one.
  IRModule now = module;
  int64_t pointers = 0;
  for (bool changed = true; changed;) {
    Narrowing round = NarrowOnce(now, options);
    changed = false;
    for (const Function& function : round.module.functions()) {
      changed |= now.Find(function.name)->func != function.func;
    }
    pointers += static_cast<int64_t>(round.pointers.size());
    now = std::move(round.module);
  }
  const StorageBytes before = BytesOf(module);
  const StorageBytes after = BytesOf(now);
  context.Count("narrow-storage.pointers", pointers);
  context.Count("narrow-storage.bytes", before.allocations - after.allocations);
  context.Count("narrow-storage.constant_bytes", before.constants - after.constants);
  return now;
}

}  // namespace tenon
