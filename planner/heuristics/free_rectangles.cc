#include "planner/heuristics/free_rectangles.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "support/check.h"

namespace tenon::planner {
namespace {

// The limit on non-empty classes that one request searches.
constexpr int kMaxLooks = 24;

// The class of all heights from 2^k (1 + s / 16) up to the next class.
int ClassBelow(int64_t height) {
  TENON_DCHECK(height > 0);
  const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(height))) - 1;
  const auto unsigned_height = static_cast<uint64_t>(height);
  const auto step = bits >= 4 ? unsigned_height >> (bits - 4) : unsigned_height << (4 - bits);
  return bits * 16 + static_cast<int>(step - 16);
}

// The least class without heights below `height`.
int ClassAbove(int64_t height) { return height == 1 ? 0 : ClassBelow(height - 1) + 1; }

bool Before(const FreeRectangle& a, const FreeRectangle& b) {
  return std::tie(a.first, a.offset) < std::tie(b.first, b.offset);
}

}  // namespace

FreeRectangles::FreeRectangles() { roots_.fill(-1); }

void FreeRectangles::Clear() {
  nodes_.clear();
  unused_.clear();
  roots_.fill(-1);
  random_ = 1;
}

void FreeRectangles::Update(int32_t node) {
  Node& n = At(node);
  n.last_end = std::max({n.free.end, LastEnd(n.left), LastEnd(n.right)});
}

void FreeRectangles::Split(int32_t root, const FreeRectangle& at, int32_t* left, int32_t* right) {
  if (root < 0) {
    *left = *right = -1;
    return;
  }
  if (Before(At(root).free, at)) {
    int32_t inner = -1;
    Split(At(root).right, at, &inner, right);
    At(root).right = inner;
    *left = root;
  } else {
    int32_t inner = -1;
    Split(At(root).left, at, left, &inner);
    At(root).left = inner;
    *right = root;
  }
  Update(root);
}

int32_t FreeRectangles::Join(int32_t left, int32_t right) {
  if (left < 0) return right;
  if (right < 0) return left;
  if (At(left).priority > At(right).priority) {
    At(left).right = Join(At(left).right, right);
    Update(left);
    return left;
  }
  At(right).left = Join(left, At(right).left);
  Update(right);
  return right;
}

void FreeRectangles::Add(const FreeRectangle& free) {
  if (free.first >= free.end || free.height <= 0) return;
  int32_t node = static_cast<int32_t>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  random_ = random_ * 1664525U + 1013904223U;
  At(node) = {.free = free, .last_end = free.end, .priority = random_};
  int32_t& root = roots_[static_cast<size_t>(ClassBelow(free.height))];
  int32_t left = -1;
  int32_t right = -1;
  Split(root, free, &left, &right);
  root = Join(Join(left, node), right);
}

// The last, by first time, of the rectangles that begin by `first` and end at or after `end`.
int32_t FreeRectangles::Find(int32_t root, int32_t first, int32_t end) {
  while (root >= 0 && LastEnd(root) >= end) {
    if (At(root).free.first > first) {
      root = At(root).left;
      continue;
    }
    // Everything to the left also begins in time.
    const int32_t right = Find(At(root).right, first, end);
    if (right >= 0) return right;
    if (At(root).free.end >= end) return root;
    root = At(root).left;
  }
  return -1;
}

void FreeRectangles::Remove(int32_t* root, const FreeRectangle& free) {
  const int32_t node = *root;
  TENON_CHECK(node >= 0);
  if (!Before(At(node).free, free) && !Before(free, At(node).free)) {
    *root = Join(At(node).left, At(node).right);
    unused_.push_back(node);
    return;
  }
  Remove(Before(free, At(node).free) ? &At(node).left : &At(node).right, free);
  Update(node);
}

std::optional<FreeRectangle> FreeRectangles::Take(int32_t first, int32_t end, int64_t height) {
  int looks = 0;
  for (int c = ClassAbove(height); c < kClasses && looks < kMaxLooks; ++c) {
    int32_t& root = roots_[static_cast<size_t>(c)];
    if (root < 0) continue;
    ++looks;
    const int32_t node = Find(root, first, end);
    if (node < 0) continue;
    const FreeRectangle found = At(node).free;
    Remove(&root, found);
    return found;
  }
  return std::nullopt;
}

}  // namespace tenon::planner
