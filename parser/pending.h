#ifndef TENON_PARSER_PENDING_H_
#define TENON_PARSER_PENDING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/function.h"
#include "parser/py_value.h"

// Statements whose bodies the parser has not read yet.

namespace tenon {

enum class ScopeForm : uint8_t {
  kAllocate,
  kAllocateConst,
  kLetStmt,
  kAttr,
  kAssert,
  kDeclBuffer,
  kAllocatedBuffer,  ///< Allocate and DeclBuffer
  kRealize,
  kProducerRealize,
  kBlock,
  kInit,
};

/// The properties of a block that its statements declare.
struct BlockInfo {
  std::string_view name;
  bool no_realize = false;
  absl::InlinedVector<const IterVar*, 6> iter_vars;
  absl::InlinedVector<const Expr*, 6> iter_values;
  const Expr* predicate = nullptr;
  std::optional<std::vector<const BufferRegion*>> reads;
  std::optional<std::vector<const BufferRegion*>> writes;
  const MapAttr* annotations = nullptr;
  std::vector<const Buffer*> alloc_buffers;
  std::vector<const MatchBufferRegion*> match_buffers;
  const Stmt* init = nullptr;
  bool has_init = false;
};

/// A statement before its body is read: everything else that its node needs.
struct PendingScope {
  ScopeForm form;
  SourceRange range;
  Var* var = nullptr;  ///< created or named when the scope is entered
  bool var_is_new = true;
  Buffer* buffer = nullptr;
  bool owns_data = false;  ///< the buffer's data variable takes its name
  DataType dtype;
  const Type* type = nullptr;
  Span<const Expr*> extents;
  const Expr* condition = nullptr;
  const Expr* value = nullptr;
  const MapAttr* annotations = nullptr;
  const Constant* data = nullptr;
  const Attr* node = nullptr;
  std::string_view key;
  PendingScope* inner =
      nullptr;  ///< opened together with this scope: the rest of a dict of attributes
  Span<const Range*> bounds;
  const IterVar* thread = nullptr;
  BlockInfo* block = nullptr;
  size_t start = 0;  ///< first statement of the body in the function
};

struct LoopDim {
  const Expr* min;
  const Expr* extent;
  DataType dtype;
};

/// The range of a `for`.
struct PendingLoop {
  ForKind kind = ForKind::kSerial;
  std::span<const LoopDim> dims;  ///< in the scratch arena
  std::string_view thread;
  const MapAttr* annotations = nullptr;
  int64_t step = 1;  ///< another one only for loops of one dimension
};

}  // namespace tenon

#endif  // TENON_PARSER_PENDING_H_
