#ifndef TENON_PRINTER_SCOPE_H_
#define TENON_PRINTER_SCOPE_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

// The definitions that a function's text needs, and their places. The printer walks a function
// twice. The first walk (Phase::kPlan) finds the variables and buffers that no statement defines,
// and the innermost frame around all their uses. The second walk (Phase::kPrint) chooses names and
// writes these definitions in that frame, right before the statement with the first use. Both walks
// run the same code, so that they count statements alike.

namespace tenon {

enum class Phase : uint8_t { kPlan, kPrint };

/// The state of a variable or buffer of the function.
struct Definition {
  const Node* node = nullptr;
  uint32_t index = 0;
  /// The printed name while the definition is live in the second walk.
  Symbol name;
  /// A variable that a buffer's declaration defines is written as a field of this buffer.
  const Buffer* owner = nullptr;
  enum class Part : uint8_t { kData, kStride, kElemOffset } part = Part::kData;
  int32_t stride = 0;
  /// True for a pointer that an allocation without a separate buffer defines. In dialects whose
  /// allocations define buffers, it prints as their `.data`.
  bool is_storage = false;
  /// True for a buffer of one element that the text declares as a scalar: its name denotes the
  /// element.
  bool is_scalar = false;

  /// True if defined at this point of the walk.
  bool live = false;
  /// True if no statement defines it: the text needs a separate line for it.
  bool implicit = false;
  /// For a thread's variable: the attribute that introduces it. If all uses are inside, the
  /// attribute defines the variable; otherwise a `T.env_thread` line does.
  const AttrStmt* thread = nullptr;
  bool defined_by_thread = false;

  uint32_t uses = 0;         ///< uses other than as a parameter
  uint32_t frame = 0;        ///< implicit: the innermost frame around the uses so far
  uint32_t first_frame = 0;  ///< implicit: the frame of the first use, and the statement there
  uint32_t slot = 0;
  /// Undefined variables in an implicit buffer's fields: each use of the buffer also uses them.
  std::vector<uint32_t> parts;
};

class Scope {
 public:
  explicit Scope(Dialect dialect) : dialect_(dialect) {}

  Phase phase() const { return phase_; }

  /// Resets everything for a new function, whose names must differ from `module_name`.
  void StartPlan(Symbol module_name);
  /// Ends the first walk and starts the second.
  void StartPrint();

  // Frames: the function, and each statement or branch that has a body.

  /// Opens a frame within the current one. A branch whose whole body is the statement `node` shares
  /// the frame of that statement. The frame of an expression (null) is the surrounding frame.
  void OpenFrame(const Node* node);
  /// Closes the frame: its definitions end, and their names are free.
  void CloseFrame();
  /// Until LeaveParent, the first walk assigns uses to the parent of the current frame.
  uint32_t EnterParent();
  void LeaveParent(uint32_t frame) { current_ = frame; }
  /// Starts a statement of the current frame. Returns the definitions to write before it.
  std::span<const uint32_t> NextSlot();

  // Definitions.

  /// The definition of a node of the function, created on demand. References stay valid.
  Definition& Get(const Node* node);
  Definition& At(uint32_t index) { return chunks_[index / kChunk][index % kChunk]; }
  Definition* Find(const Node* node) {
    const auto found = index_.find(node);
    return found == index_.end() ? nullptr : &At(found->second);
  }
  const Definition* Find(const Node* node) const {
    const auto found = index_.find(node);
    return found == index_.end() ? nullptr
                                 : &chunks_[found->second / kChunk][found->second % kChunk];
  }
  bool IsLive(const Node* node);
  /// Records that a statement defines `node` in the current frame. In the second walk it gets its
  /// name: `hint`, made valid and unique.
  Definition& Define(const Node* node, Symbol hint);
  /// Records `var` as a field of `owner`, defined with it. If `lasting`, it stays defined until the
  /// function's end.
  void DefineField(const Var* var, const Buffer* owner, Definition::Part part, int stride,
                   bool lasting);
  /// First walk: records a use of something that no surrounding statement defines.
  void TouchImplicit(Definition& definition);

  /// False as long as each variable prints under its own name; names then need no lookup.
  bool renames() const { return renames_; }

  /// In a fragment, nothing is defined implicitly.
  bool fragment = false;

 private:
  struct Frame {
    const Node* node = nullptr;
    uint32_t parent = 0;
    uint32_t parent_slot = 0;
    uint32_t slot = 0;
    uint32_t depth = 0;
    bool merged = false;
  };
  struct TextHash {
    size_t operator()(Symbol symbol) const { return symbol.hash(); }
  };
  struct TextEqual {
    bool operator()(Symbol a, Symbol b) const { return a == b || a.view() == b.view(); }
  };

  Definition& Add(const Node* node);
  Symbol UniqueName(Symbol hint, const Node* node);
  void Place(uint32_t index);

  Dialect dialect_;
  Phase phase_ = Phase::kPlan;
  bool renames_ = false;
  uint32_t slot_ = 0;
  Symbol module_name_;

  absl::flat_hash_map<const Node*, uint32_t> index_;
  /// Definitions by index, in reusable chunks with stable addresses.
  static constexpr uint32_t kChunk = 64;
  std::vector<std::unique_ptr<Definition[]>> chunks_;
  uint32_t count_ = 0;
  std::vector<uint32_t> implicit_;  ///< by first use; after the first walk by slot
  size_t next_implicit_ = 0;

  std::vector<Frame> frames_;  ///< all frames of the function
  uint32_t current_ = 0;
  std::vector<uint32_t> open_;  ///< by depth

  std::vector<uint32_t> live_;  ///< in order of definition
  std::vector<size_t> marks_;   ///< of live_, for each open frame
  absl::flat_hash_set<Symbol, TextHash, TextEqual> names_;
  Interner made_up_;
};

}  // namespace tenon

#endif  // TENON_PRINTER_SCOPE_H_
