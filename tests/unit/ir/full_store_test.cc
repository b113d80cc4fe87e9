#include "ir/analysis/full_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "test_function.h"

namespace tenon {
namespace {

/// Random loop nests around stores to and loads from one buffer, with a trace of the accesses.
class RandomNest {
 public:
  explicit RandomNest(uint64_t seed) : random_(seed), module_(context_), f_(context_) {
    elements_ = int64_t{4} << Below(3);
    buffer_ = f_.NewBuffer("x", DataType::Int(8), elements_);
    std::vector<Loop> outer = Loops(1 + Below(2), 3);
    loops_ = outer;
    std::vector<const Stmt*> body;
    for (int64_t count = 1 + Below(3); count > 0; --count) body.push_back(Child());
    const Stmt* stmt = f_.b.Seq(Span<const Stmt*>(body.data(), body.size()));
    for (size_t i = outer.size(); i-- > 0;) stmt = Around(outer[i], stmt);
    nest_ = cast<For>(stmt);
  }

  std::vector<Overwrite> Found() { return EffectsOfNest(module_, nest_).overwrites; }
  int64_t elements() const { return elements_; }

  /// Runs the nest. Returns whether every byte of `bytes` is written, and not read before.
  bool Holds(const ByteRange& bytes) {
    written_.clear();
    bytes_ = bytes;
    early_ = false;
    Run(nest_);
    for (int64_t byte = bytes.first; byte < bytes.end; ++byte) early_ |= !written_.contains(byte);
    return !early_;
  }

 private:
  struct Loop {
    const Var* var;
    int64_t min;
    int64_t extent;
  };

  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }

  std::vector<Loop> Loops(int64_t count, int log) {
    std::vector<Loop> loops;
    for (; count > 0; --count) {
      const int64_t extent = Below(4) == 0 ? 1 + Below(5) : int64_t{1} << Below(log + 1);
      loops.push_back({f_.IntVar("i"), Below(6) == 0 ? Below(3) : 0, extent});
    }
    return loops;
  }
  const Stmt* Around(const Loop& loop, const Stmt* body) {
    return f_.b.New<For>({}, loop.var, f_.b.Int(loop.min), f_.b.Int(loop.extent), ForKind::kSerial,
                         body);
  }

  /// A store, or sometimes a sequence of stores, in inner loops.
  const Stmt* Child(int depth = 2) {
    const std::vector<Loop> before = loops_;
    const std::vector<Loop> inner = Loops(Below(3), 2);
    loops_.insert(loops_.end(), inner.begin(), inner.end());
    const Stmt* stmt = depth > 0 && Below(12) == 0 ? Sequence(depth - 1) : Store();
    for (size_t i = inner.size(); i-- > 0;) stmt = Around(inner[i], stmt);
    loops_ = before;
    return stmt;
  }

  const Stmt* Sequence(int depth) {
    const std::vector<const Stmt*> body = {Child(depth), Child(depth)};
    return f_.b.Seq(Span<const Stmt*>(body.data(), body.size()));
  }

  const Stmt* Store() {
    const Expr* value = f_.b.Int(DataType::Int(8), 1);
    if (Below(3) == 0) value = f_.b.Load(buffer_, {Index()});
    return f_.Store(buffer_, Index(), value);
  }

  const Expr* Index() {
    // Repeats the previous index, if its counters are in scope.
    const bool known = std::all_of(last_loops_.begin(), last_loops_.end(), [&](const Loop& loop) {
      return std::any_of(loops_.begin(), loops_.end(),
                         [&](const Loop& other) { return other.var == loop.var; });
    });
    if (last_ != nullptr && known && Below(2) == 0) return last_;
    // Usually mixed radix in some order.
    const Expr* sum = nullptr;
    int64_t stride = 1;
    std::vector<Loop> order = loops_;
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
    for (const Loop& loop : order) {
      const Expr* term = loop.var;
      if (loop.min != 0) term = f_.b.New<Sub>({}, term, f_.b.Int(loop.min));
      if (Below(8) == 0) term = f_.b.New<Sub>({}, f_.b.Int(loop.extent - 1), term);
      if (loop.extent % 2 == 0 && Below(2) == 0) {
        // Swaps the two halves of the digit.
        const Expr* low = f_.b.New<FloorMod>({}, term, f_.b.Int(2));
        const Expr* high = f_.b.New<FloorDiv>({}, term, f_.b.Int(2));
        term = f_.b.New<Add>({}, f_.b.New<Mul>({}, low, f_.b.Int(loop.extent / 2)), high);
      }
      term = f_.b.New<Mul>({}, term, f_.b.Int(stride));
      sum = sum == nullptr ? term : f_.b.New<Add>({}, sum, term);
      stride *= Below(10) == 0 ? 1 + Below(4) : loop.extent;
    }
    if (sum == nullptr) sum = f_.b.Int(0);
    if (Below(5) == 0) sum = f_.b.New<FloorDiv>({}, sum, f_.b.Int(1 + Below(4)));
    if (Below(5) == 0) sum = f_.b.New<FloorMod>({}, sum, f_.b.Int(elements_ / 2));
    last_ = sum;
    last_loops_ = loops_;
    return sum;
  }

  static int64_t Floor(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
  int64_t Value(const Expr* expr) {
    if (const int64_t* value = AsIntImm(expr)) return *value;
    if (const auto* var = dyn_cast<Var>(expr)) return values_.at(var);
    if (const auto* add = dyn_cast<Add>(expr)) return Value(add->a) + Value(add->b);
    if (const auto* sub = dyn_cast<Sub>(expr)) return Value(sub->a) - Value(sub->b);
    if (const auto* mul = dyn_cast<Mul>(expr)) return Value(mul->a) * Value(mul->b);
    if (const auto* div = dyn_cast<FloorDiv>(expr)) return Floor(Value(div->a), Value(div->b));
    const auto* mod = cast<FloorMod>(expr);
    const int64_t b = Value(mod->b);
    return Value(mod->a) - Floor(Value(mod->a), b) * b;
  }
  void Run(const Stmt* stmt) {
    if (const auto* loop = dyn_cast<For>(stmt)) {
      const int64_t min = Value(loop->min);
      for (int64_t i = min; i < min + Value(loop->extent); ++i) {
        values_[loop->loop_var] = i;
        Run(loop->body);
      }
    } else if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) Run(child);
    } else {
      const auto* store = cast<BufferStore>(stmt);
      if (const auto* load = dyn_cast<BufferLoad>(store->value)) {
        const int64_t at = Value(load->indices[0]);
        early_ |= bytes_.first <= at && at < bytes_.end && !written_.contains(at);
      }
      written_.insert(Value(store->indices[0]));
    }
  }

  std::mt19937_64 random_;
  Context context_;
  IRModule module_;
  TestFunction f_;
  int64_t elements_ = 0;
  const Buffer* buffer_ = nullptr;
  const For* nest_ = nullptr;
  std::vector<Loop> loops_;
  const Expr* last_ = nullptr;
  std::vector<Loop> last_loops_;
  absl::flat_hash_map<const Var*, int64_t> values_;
  std::set<int64_t> written_;
  ByteRange bytes_;
  bool early_ = false;
};

// Reported overwrites are correct, and more than half of the actual ones are reported.
TEST(FullStoreTest, IsWhatRunningTheNestDoes) {
  int whole = 0;
  int found = 0;
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    RandomNest nest(seed);
    bool all = false;
    for (const Overwrite& overwrite : nest.Found()) {
      ASSERT_TRUE(nest.Holds(overwrite.bytes)) << "seed " << seed;
      all |= overwrite.bytes.Covers({0, nest.elements()});
    }
    if (!nest.Holds({0, nest.elements()})) continue;
    ++whole;
    found += all ? 1 : 0;
  }
  RecordProperty("whole", whole);
  RecordProperty("found", found);
  EXPECT_GT(whole, 1000);
  EXPECT_GT(found, whole / 2);
}

/// The bytes of y that `for i, j: {x[0] = 1; y[8 * i + j] = <value>}` overwrites.
std::vector<ByteRange> OverwrittenOfY(bool reads_y) {
  Context context;
  const IRModule module(context);
  TestFunction f(context);
  const Buffer* const x = f.NewBuffer("x", DataType::Int(8), 1);
  const Buffer* const y = f.NewBuffer("y", DataType::Int(8), 32);
  const Var* const i = f.IntVar("i");
  const Var* const j = f.IntVar("j");
  const Expr* const index =
      f.b.New<Add>({}, f.b.New<Mul>({}, i, f.b.Int(8)), static_cast<const Expr*>(j));
  const Expr* const value = reads_y ? f.b.Load(y, {f.b.Int(31)}) : f.b.Load(x, {f.b.Int(0)});
  const std::vector<const Stmt*> body = {f.Store(x, f.b.Int(0), f.b.Int(DataType::Int(8), 1)),
                                         f.Store(y, index, value)};
  const Stmt* const seq = f.b.Seq(Span<const Stmt*>(body.data(), body.size()));
  const Stmt* const inner = f.b.New<For>({}, j, f.b.Int(0), f.b.Int(8), ForKind::kSerial, seq);
  // A second statement makes `i` the only outer loop.
  const std::vector<const Stmt*> parts = {f.Store(x, f.b.Int(0), f.b.Int(DataType::Int(8), 0)),
                                          inner};
  const auto* const nest = f.b.New<For>({}, i, f.b.Int(0), f.b.Int(4), ForKind::kSerial,
                                        f.b.Seq(Span<const Stmt*>(parts.data(), parts.size())));
  std::vector<ByteRange> found;
  for (const Overwrite& overwrite : EffectsOfNest(module, nest).overwrites) {
    if (overwrite.data == y->data) found.push_back(overwrite.bytes);
  }
  return found;
}

TEST(FullStoreTest, StoresInSequencesOfInnerLoopsCount) {
  EXPECT_EQ(OverwrittenOfY(/*reads_y=*/false), (std::vector<ByteRange>{{0, 32}}));
  EXPECT_TRUE(OverwrittenOfY(/*reads_y=*/true).empty());
}

}  // namespace
}  // namespace tenon
