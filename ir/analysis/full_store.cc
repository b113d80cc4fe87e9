#include "ir/analysis/full_store.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/buffer.h"

namespace tenon {

namespace {

/// Deeper nests and indices are taken for unknown: the answer costs little where it is asked often.
constexpr size_t kMostLoops = 16;
constexpr int kMostDepth = 32;
/// Indices of 32 bits cannot wrap below this.
constexpr int64_t kMostElements = int64_t{1} << 31;

struct Counter {
  const Var* var = nullptr;
  int64_t extent = 0;
  int64_t stride = 0;
};

/// Adds `scale * expr` to the counters' strides. Constants but zero are refused.
bool AddIndex(const Expr* expr, int64_t scale, int depth, std::vector<Counter>& counters) {
  if (depth > kMostDepth) return false;
  if (const int64_t* value = AsIntImm(expr)) return *value == 0;
  if (const auto* var = dyn_cast<Var>(expr)) {
    for (Counter& counter : counters) {
      if (counter.var == var)
        return !__builtin_add_overflow(counter.stride, scale, &counter.stride);
    }
    return false;
  }
  if (const auto* add = dyn_cast<Add>(expr)) {
    return AddIndex(add->a, scale, depth + 1, counters) &&
           AddIndex(add->b, scale, depth + 1, counters);
  }
  if (const auto* mul = dyn_cast<Mul>(expr)) {
    const int64_t* factor = AsIntImm(mul->b);
    int64_t product = 0;
    return factor != nullptr && *factor > 0 && !__builtin_mul_overflow(scale, *factor, &product) &&
           AddIndex(mul->a, product, depth + 1, counters);
  }
  return false;
}

/// Whether the counters run through 0, 1, ..., count - 1, leaving out none.
bool CountsTo(std::vector<Counter> counters, int64_t count) {
  std::erase_if(counters, [](const Counter& c) { return c.extent == 1 || c.stride == 0; });
  std::sort(counters.begin(), counters.end(),
            [](const Counter& a, const Counter& b) { return a.stride < b.stride; });
  int64_t next = 1;
  for (const Counter& counter : counters) {
    if (counter.stride != next || __builtin_mul_overflow(next, counter.extent, &next)) return false;
  }
  return next == count;
}

}  // namespace

const BufferStore* FullStoreOf(const For* nest, int64_t size_bytes) {
  std::vector<Counter> counters;
  const Stmt* body = nest;
  while (const auto* loop = dyn_cast<For>(body)) {
    const int64_t* extent = AsIntImm(loop->extent);
    if (counters.size() == kMostLoops || !IsConstInt(loop->min, 0) || extent == nullptr ||
        *extent < 1) {
      return nullptr;
    }
    counters.push_back({loop->loop_var, *extent, 0});
    body = loop->body;
  }
  const auto* store = dyn_cast<BufferStore>(body);
  if (store == nullptr || store->predicate != nullptr) return nullptr;
  const Buffer* buffer = store->buffer;
  const bool plain = buffer->strides.empty() && buffer->dtype.lanes() == 1 &&
                     store->value->dtype.lanes() == 1 && buffer->dtype.bytes() > 0 &&
                     (buffer->elem_offset == nullptr || IsConstInt(buffer->elem_offset, 0)) &&
                     store->indices.size() == buffer->shape.size();
  if (!plain) return nullptr;
  int64_t count = 1;
  for (size_t i = buffer->shape.size(); i-- > 0;) {
    const int64_t* extent = AsIntImm(buffer->shape[i]);
    if (extent == nullptr || *extent < 1 || !AddIndex(store->indices[i], count, 0, counters) ||
        __builtin_mul_overflow(count, *extent, &count) || count >= kMostElements) {
      return nullptr;
    }
  }
  const bool covers =
      CountsTo(std::move(counters), count) && count * buffer->dtype.bytes() >= size_bytes;
  return covers ? store : nullptr;
}

}  // namespace tenon
