#ifndef TENON_PARSER_BLOCKS_H_
#define TENON_PARSER_BLOCKS_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/values.h"

namespace tenon {

/// The blocks of the function being read, of which the first is the root, and the loops around the
/// current statement, which `T.axis.remap` refers to.
class BlockStack {
 public:
  BlockStack(ParseEnv& env, Values& values) : env_(env), values_(values) {}

  /// Forgets all blocks and opens the root of the next function.
  void StartFunction();
  BlockInfo* NewBlock();
  void Open(BlockInfo* block) { open_.push_back(block); }
  /// Closes the `count` innermost blocks.
  void Close(size_t count);
  /// False before the first function.
  bool is_open() const { return !open_.empty(); }
  /// Whether a block other than the root is open.
  bool inside_block() const { return open_.size() >= 2; }
  BlockInfo* innermost() { return open_.back(); }

  void AddLoopVar(const Var* var, const LoopDim& dim) { loop_vars_.emplace_back(var, dim); }
  void RemoveLoopVars(size_t count) { loop_vars_.resize(loop_vars_.size() - count); }
  /// The range of the loop over `var`, or null.
  const LoopDim* LoopDimOf(const Var* var) const;

  /// The node of a block. Its regions are derived from the body if the text does not name them.
  const Stmt* CloseBlock(BlockInfo& info, const Stmt* body, SourceRange range);
  /// The function's body, in a root block if it needs one.
  const Stmt* AddRootBlock(const Stmt* body);

 private:
  ParseEnv& env_;
  Values& values_;
  std::vector<std::unique_ptr<BlockInfo>> blocks_;  ///< all blocks of the function
  std::vector<BlockInfo*> open_;                    ///< innermost last
  bool has_block_ = false;
  std::vector<std::pair<const Var*, LoopDim>> loop_vars_;
};

}  // namespace tenon

#endif  // TENON_PARSER_BLOCKS_H_
