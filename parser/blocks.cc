#include "parser/blocks.h"

#include "parser/block_regions.h"
#include "support/check.h"

namespace tenon {

void BlockStack::StartFunction() {
  blocks_.clear();
  open_.assign(1, blocks_.emplace_back(std::make_unique<BlockInfo>()).get());
  has_block_ = false;
}

BlockInfo* BlockStack::NewBlock() {
  has_block_ = true;
  return blocks_.emplace_back(std::make_unique<BlockInfo>()).get();
}

void BlockStack::Close(size_t count) {
  TENON_CHECK(count <= open_.size());
  open_.resize(open_.size() - count);
}

const LoopDim* BlockStack::LoopDimOf(const Var* var) const {
  for (size_t i = loop_vars_.size(); i-- > 0;) {
    if (loop_vars_[i].first == var) return &loop_vars_[i].second;
  }
  return nullptr;
}

const Stmt* BlockStack::CloseBlock(BlockInfo& info, const Stmt* body, SourceRange range) {
  Block* block = env_.arena.New<Block>();
  block->range = range;
  block->name_hint = info.name;
  block->iter_vars = env_.Copy(info.iter_vars);
  block->annotations = info.annotations;
  block->alloc_buffers = env_.arena.Copy(info.alloc_buffers);
  block->match_buffers = env_.arena.Copy(info.match_buffers);
  block->init = info.init;
  block->body = body;
  if (info.reads) block->reads = env_.arena.Copy(*info.reads);
  if (info.writes) block->writes = env_.arena.Copy(*info.writes);
  if (!info.reads || !info.writes) {
    DetectRegions(env_.builder, values_.analyzer(), block, !info.reads, !info.writes);
  }
  if (info.no_realize) return block;
  const Expr* predicate =
      info.predicate != nullptr ? info.predicate : env_.builder.Bool(true, range);
  return env_.builder.New<BlockRealize>(range, env_.Copy(info.iter_values), predicate,
                                        static_cast<const Block*>(block));
}

const Stmt* BlockStack::AddRootBlock(const Stmt* body) {
  BlockInfo& root = *open_.front();
  const auto* realize = dyn_cast<BlockRealize>(body);
  const bool needed = !root.alloc_buffers.empty() ||
                      (realize != nullptr ? !realize->block->iter_vars.empty() : has_block_);
  if (!needed) return body;
  root.name = "root";
  root.reads.emplace();
  root.writes.emplace();
  return CloseBlock(root, body, body->range);
}

}  // namespace tenon
