// Sums in local buffers are tracked element by element, because there are only few. Copies of
// inputs are large, but loops fill them before other loops read them.

#include "schedule/check/buffer_uses.h"

#include <algorithm>

#include "ir/visitor.h"

namespace tenon::check {

namespace {

/// The order of a buffer's accesses.
struct BufferOrder {
  int64_t first_load = INT64_MAX;
  int64_t last_store = -1;
  bool is_updated = false;
  bool has_numbers = true;
};

class OrderFinder : public Visitor<OrderFinder> {
 public:
  void VisitBufferStore(const BufferStore* store) {
    stored_ = store->buffer->data;
    ++clock_;
    VisitChildren(store);
    BufferOrder& order = orders[stored_];
    order.last_store = clock_;
    order.has_numbers &= AreNumbers(store->indices);
    stored_ = nullptr;
  }
  void VisitBufferLoad(const BufferLoad* load) {
    BufferOrder& order = orders[load->buffer->data];
    order.first_load = std::min(order.first_load, clock_);
    order.is_updated |= load->buffer->data == stored_;
    order.has_numbers &= AreNumbers(load->indices);
    VisitChildren(load);
  }
  void VisitBuffer(const Buffer*) {}

  absl::flat_hash_map<const Var*, BufferOrder> orders;

 private:
  static bool AreNumbers(Span<const Expr*> indices) {
    bool found = false;
    for (const Expr* index : indices) {
      Walk(index, [&](const Node* node) {
        found |= isa<Var>(node);
        return !found;
      });
    }
    return !found;
  }

  const Var* stored_ = nullptr;
  int64_t clock_ = 0;
};

class LoopFinder : public Visitor<LoopFinder> {
 public:
  LoopFinder(const absl::flat_hash_set<const Var*>& cells,
             absl::flat_hash_set<const Var*>& indexing,
             absl::flat_hash_map<const For*, std::vector<const Var*>>& stored)
      : cells_(cells), indexing_(indexing), in_loop_(stored) {}

  void VisitFor(const For* loop) {
    loops_.push_back(loop);
    in_loop_[loop];
    VisitChildren(loop);
    loops_.pop_back();
  }
  void VisitBufferStore(const BufferStore* store) {
    const Var* data = store->buffer->data;
    if (cells_.contains(data)) {
      for (const For* loop : loops_) {
        std::vector<const Var*>& all = in_loop_[loop];
        if (std::find(all.begin(), all.end(), data) == all.end()) all.push_back(data);
      }
    }
    NoteIndex(data, store->indices);
    VisitChildren(store);
  }
  void VisitBufferLoad(const BufferLoad* load) {
    NoteIndex(load->buffer->data, load->indices);
    VisitChildren(load);
  }
  void VisitBuffer(const Buffer*) {}

 private:
  void NoteIndex(const Var* data, Span<const Expr*> indices) {
    if (!cells_.contains(data)) return;
    for (const Expr* index : indices) {
      Walk(index, [&](const Node* node) {
        if (const auto* var = dyn_cast<Var>(node)) indexing_.insert(var);
        return true;
      });
    }
  }

  const absl::flat_hash_set<const Var*>& cells_;
  absl::flat_hash_set<const Var*>& indexing_;
  absl::flat_hash_map<const For*, std::vector<const Var*>>& in_loop_;
  std::vector<const For*> loops_;
};

}  // namespace

BufferUses::BufferUses(const Stmt* body) {
  OrderFinder finder;
  finder.Visit(body);
  for (const auto& [data, order] : finder.orders) {
    if (order.is_updated || order.first_load < order.last_store || order.has_numbers)
      cells_.insert(data);
  }
  LoopFinder(cells_, indexing_, stored_).Visit(body);
  Walk(body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node)) locals_.insert(allocate->buffer_var);
    return isa<Stmt>(node);
  });
}

const Var* BufferUses::StoredOutside(const For* loop) const {
  absl::flat_hash_set<const Var*> inside;
  const Var* outside = nullptr;
  Walk(loop->body, [&](const Node* node) {
    if (const auto* allocate = dyn_cast<Allocate>(node)) inside.insert(allocate->buffer_var);
    if (const auto* store = dyn_cast<BufferStore>(node)) {
      const Var* data = store->buffer->data;
      if (locals_.contains(data) && !inside.contains(data)) outside = data;
    }
    return isa<Stmt>(node);
  });
  return outside;
}

const std::vector<const Var*>& BufferUses::StoredIn(const For* loop) const {
  return stored_.at(loop);
}

}  // namespace tenon::check
