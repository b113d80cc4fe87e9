// Loops may add up a whole row of results step by step, so that each step loads and stores the row.
// Such sums fit in registers only in blocks.

#include "passes/loops/open_sums.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "support/checked.h"

namespace tenon {

namespace {

/// Finds the stores that add to the stored element.
class OpenSums : public Visitor<OpenSums> {
 public:
  explicit OpenSums(const PrimFunc& func) { Visit(func.body); }
  int64_t bytes() const { return bytes_; }

  void VisitFor(const For* loop) {
    loops_.push_back(loop);
    Visit(loop->body);
    loops_.pop_back();
  }

  void VisitBufferStore(const BufferStore* store) {
    bool is_sum = false;
    Walk(store->value, [&](const Node* node) {
      const auto* load = dyn_cast<BufferLoad>(node);
      is_sum |= load != nullptr && load->buffer == store->buffer &&
                std::equal(load->indices.begin(), load->indices.end(), store->indices.begin(),
                           store->indices.end(),
                           [](const Expr* a, const Expr* b) { return StructuralEqual(a, b); });
      return !isa<Buffer>(node);
    });
    if (!is_sum) return;
    absl::flat_hash_set<const Node*> used;
    for (const Expr* index : store->indices) {
      Walk(index, [&](const Node* node) {
        used.insert(node);
        return true;
      });
    }
    const auto summed = std::find_if(loops_.rbegin(), loops_.rend(), [&](const For* loop) {
      return !used.contains(loop->loop_var);
    });
    int64_t bytes = summed == loops_.rend() ? 0 : store->value->dtype.bytes();
    for (auto loop = loops_.rbegin(); loop != summed; ++loop) {
      const int64_t* extent = AsIntImm((*loop)->extent);
      bytes = CheckedMul(bytes, extent == nullptr ? 1 : *extent).value_or(bytes);
    }
    bytes_ = std::max(bytes_, bytes);
  }

 private:
  std::vector<const For*> loops_;
  int64_t bytes_ = 0;
};

}  // namespace

int64_t OpenSumBytes(const PrimFunc& func) { return OpenSums(func).bytes(); }

}  // namespace tenon
