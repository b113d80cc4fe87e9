// Lowest common ancestors in one walk over a stack of open statements. Each use moves the place of
// its buffer up, until it is on the stack. (TVM: PlanAndUpdateBufferAllocationLocation.)

#include "passes/lowering/allocation_places.h"

#include "ir/visitor.h"

namespace tenon {

namespace {

/// One pass over the body. It keeps the path of statements to the current one, and for each buffer
/// the lowest common ancestor of its uses so far.
class PlaceFinder : public Visitor<PlaceFinder> {
 public:
  void Visit(const Node* node) {
    if (node == nullptr || !isa<Stmt>(node)) return Visitor::Visit(node);
    const auto* stmt = static_cast<const Stmt*>(node);
    const Stmt* parent = path_.empty() ? nullptr : path_.back();
    if (!parents_.emplace(stmt, parent).second) shared_ = true;
    path_.push_back(stmt);
    Visitor::Visit(node);
    path_.pop_back();
  }

  void VisitBlock(const Block* block) {
    for (const Buffer* buffer : block->alloc_buffers) {
      if (index_.emplace(buffer->data, buffers_.size()).second) {
        buffers_.push_back({buffer, block, nullptr, 0});
      }
    }
    for (const MatchBufferRegion* match : block->match_buffers) Visit(match->source);
    Visit(block->init);
    Visit(block->body);
  }

  void VisitVar(const Var* var) {
    const auto found = index_.find(var);
    if (found == index_.end() || path_.empty()) return;
    Tracked& use = buffers_[found->second];
    if (use.ancestor == nullptr) {
      use.ancestor = path_.back();
      use.depth = path_.size() - 1;
      return;
    }
    for (; use.depth >= path_.size(); --use.depth) use.ancestor = parents_.at(use.ancestor);
    for (; path_[use.depth] != use.ancestor; --use.depth) {
      // The owner's block is on both paths unless the buffer is used outside of it, which the
      // verifier reports. The root statement always is.
      if (use.depth == 0) break;
      use.ancestor = parents_.at(use.ancestor);
    }
  }

  AllocationPlaces Finish() {
    AllocationPlaces places;
    for (const Tracked& use : buffers_) {
      if (use.ancestor == nullptr) continue;
      const Stmt* place = shared_ ? use.owner : PlaceOf(use);
      if (place == use.owner) {
        places.in_block[use.owner].push_back(use.buffer);
      } else {
        places.around[place].push_back(use.buffer);
      }
    }
    return places;
  }

 private:
  struct Tracked {
    const Buffer* buffer;
    const Block* owner;
    const Stmt* ancestor;  ///< of all uses so far; null before the first
    size_t depth;          ///< of the ancestor in its path
  };

  /// The ancestor, or the outermost loop between it and the owner.
  const Stmt* PlaceOf(const Tracked& use) const {
    const Stmt* place = use.ancestor;
    for (const Stmt* at = use.ancestor; at != use.owner; at = parents_.at(at)) {
      if (at == nullptr) return use.owner;
      if (isa<For>(at) || isa<While>(at)) place = at;
      // A block is replaced as a whole, with its predicate and values.
      if (isa<Block>(at) && place == at) place = parents_.at(at);
    }
    return place;
  }

  std::vector<Tracked> buffers_;
  absl::flat_hash_map<const Var*, size_t> index_;
  std::vector<const Stmt*> path_;
  absl::flat_hash_map<const Stmt*, const Stmt*> parents_;
  /// True if a statement occurs twice in the tree, so that it has no unique path.
  bool shared_ = false;
};

}  // namespace

AllocationPlaces FindAllocationPlaces(const PrimFunc& function) {
  PlaceFinder finder;
  finder.Visit(function.body);
  return finder.Finish();
}

}  // namespace tenon
