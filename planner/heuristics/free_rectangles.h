#ifndef TENON_PLANNER_HEURISTICS_FREE_RECTANGLES_H_
#define TENON_PLANNER_HEURISTICS_FREE_RECTANGLES_H_

// Internal: free intervals of time and bytes.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::planner {

/// Free bytes [offset, offset + height) over the times [first, end).
struct FreeRectangle {
  int32_t first = 0;
  int32_t end = 0;
  int64_t offset = 0;
  int64_t height = 0;
};

/// Free rectangles that do not overlap, by classes of height. A class is a search tree by first
/// time in which every node knows the last end below it (McCreight, "Priority search trees", 1985),
/// balanced randomly (Seidel and Aragon 1996).
class FreeRectangles {
 public:
  FreeRectangles();

  void Clear();
  void Add(const FreeRectangle& free);
  /// Removes and returns a rectangle that covers [first, end) with at least `height` bytes. It is
  /// the one that begins last in the lowest class that has any; nullopt if none of the searched
  /// classes does.
  std::optional<FreeRectangle> Take(int32_t first, int32_t end, int64_t height);

 private:
  struct Node {
    FreeRectangle free;
    int32_t last_end = 0;
    uint32_t priority = 0;
    int32_t left = -1;
    int32_t right = -1;
  };
  // Sixteen classes for each doubling of the height.
  static constexpr int kClasses = 63 * 16;

  Node& At(int32_t node) { return nodes_[static_cast<size_t>(node)]; }
  int32_t LastEnd(int32_t node) { return node < 0 ? -1 : At(node).last_end; }
  void Update(int32_t node);
  void Split(int32_t root, const FreeRectangle& at, int32_t* left, int32_t* right);
  int32_t Join(int32_t left, int32_t right);
  int32_t Find(int32_t root, int32_t first, int32_t end);
  void Remove(int32_t* root, const FreeRectangle& free);

  std::vector<Node> nodes_;
  std::vector<int32_t> unused_;
  std::array<int32_t, kClasses> roots_{};
  uint32_t random_ = 1;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_FREE_RECTANGLES_H_
