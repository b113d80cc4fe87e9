// Finds the blocks that dot-products makes with `combine=products`: sums of products whose factors
// have constant distances. The side with fewer factors is kept in registers, and products are in
// the order of the other side.

#include "lowering/byte_blocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "ir/analysis/node_queries.h"

namespace tenon {

namespace {

/// With more statements, finding the products that share factors takes long.
constexpr size_t kMostProducts = 512;

/// The load of an 8-bit integer that `expr` extends to 32 bits; null for other expressions.
const BufferLoad* ByteOf(const Expr* expr) {
  const auto* extended = dyn_cast<Cast>(expr);
  if (extended == nullptr || extended->dtype != DataType::Int(32)) return nullptr;
  const auto* load = dyn_cast<BufferLoad>(extended->value);
  if (load == nullptr || load->predicate != nullptr || load->indices.size() != 1) return nullptr;
  const bool is_byte = load->dtype == DataType::Int(8) || load->dtype == DataType::UInt(8);
  return is_byte && load->buffer->dtype == load->dtype ? load : nullptr;
}

bool IsSum(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate) {
  return buffer->dtype == DataType::Int(32) && predicate == nullptr && indices.size() == 1 &&
         IsConstInt(indices[0], 0);
}

/// The factors of one buffer.
class Side {
 public:
  explicit Side(Analyzer& analyzer) : analyzer_(&analyzer) {}

  /// The number of a factor; nullopt if its distance from the others is not constant.
  std::optional<size_t> Add(const BufferLoad* load) {
    const Expr* index = load->indices[0];
    // Statements of the block may store what an index loads.
    if (ReadsMemory(index)) return std::nullopt;
    if (loads_.empty()) first_ = load;
    if (load->dtype != first_->dtype || index->dtype != first_->indices[0]->dtype)
      return std::nullopt;
    const std::optional<int64_t> place = analyzer_->Distance(index, first_->indices[0]);
    if (!place) return std::nullopt;
    const auto found = std::find(places_.begin(), places_.end(), *place);
    if (found != places_.end()) return static_cast<size_t>(found - places_.begin());
    loads_.push_back(load);
    places_.push_back(*place);
    return loads_.size() - 1;
  }

  size_t size() const { return loads_.size(); }
  const Var* data() const { return loads_.empty() ? nullptr : loads_[0]->buffer->data; }
  int64_t Distance(size_t factor) const { return places_[factor] - Lowest(); }

  /// nullopt if the bytes from one iteration of `counter` to the next are not constant.
  std::optional<ByteFactors> Factors(const Var* counter) const {
    ByteFactors all;
    const auto [low, high] = std::minmax_element(places_.begin(), places_.end());
    all.first = loads_[static_cast<size_t>(low - places_.begin())];
    all.reach = *high - *low;
    if (counter == nullptr) return all;
    const std::optional<int64_t> stride = analyzer_->StepOf(all.first->indices[0], counter);
    if (!stride) return std::nullopt;
    all.stride = *stride;
    return all;
  }

 private:
  int64_t Lowest() const { return *std::min_element(places_.begin(), places_.end()); }

  Analyzer* analyzer_;
  const BufferLoad* first_ = nullptr;
  std::vector<const BufferLoad*> loads_;
  /// The distances from the first load.
  std::vector<int64_t> places_;
};

class BlockFinder {
 public:
  explicit BlockFinder(Analyzer& analyzer) : sides_{Side(analyzer), Side(analyzer)} {}

  /// Adds the products of a statement. False, and nothing changes, if it is another statement.
  bool Add(const Stmt* stmt) {
    const auto* store = dyn_cast<BufferStore>(stmt);
    if (store == nullptr || !IsSum(store->buffer, store->indices, store->predicate)) return false;
    BlockFinder after = *this;
    const BufferLoad* sum = nullptr;
    std::vector<const Expr*> work = {store->value};
    while (!work.empty()) {
      const Expr* term = work.back();
      work.pop_back();
      if (const auto* add = dyn_cast<tenon::Add>(term)) {
        work.push_back(add->b);
        work.push_back(add->a);
      } else if (const auto* load = dyn_cast<BufferLoad>(term)) {
        if (sum != nullptr || load->buffer->data != store->buffer->data ||
            !IsSum(load->buffer, load->indices, load->predicate))
          return false;
        sum = load;
      } else if (!after.AddProduct(term, store->buffer->data)) {
        return false;
      }
    }
    if (sum == nullptr) return false;
    const auto is_same = [&](const BufferLoad* other) {
      return other->buffer->data == sum->buffer->data;
    };
    if (std::none_of(after.sums_.begin(), after.sums_.end(), is_same)) after.sums_.push_back(sum);
    *this = std::move(after);
    return true;
  }

  std::optional<ByteBlock> Finish(const Var* counter, int64_t iterations) const {
    const size_t factors = sides_[0].size() + sides_[1].size();
    // A load for each factor must pay.
    if (products_.empty() || factors * 2 > products_.size() * 3 || IsFactor()) return std::nullopt;
    const size_t kept = sides_[1].size() < sides_[0].size() ? 1 : 0;
    const std::optional<ByteFactors> of_kept = sides_[kept].Factors(counter);
    const std::optional<ByteFactors> of_streamed = sides_[1 - kept].Factors(counter);
    if (!of_kept || !of_streamed) return std::nullopt;
    ByteBlock block;
    block.sums = sums_;
    block.kept = *of_kept;
    block.streamed = *of_streamed;
    block.iterations = iterations;
    block.steps = Steps(kept);
    return block;
  }

 private:
  struct Product {
    const Var* sum = nullptr;
    size_t factors[2] = {};
  };

  bool AddProduct(const Expr* term, const Var* sum) {
    const auto* product = dyn_cast<Mul>(term);
    if (product == nullptr || products_.size() == kMostProducts) return false;
    const BufferLoad* loads[2] = {ByteOf(product->a), ByteOf(product->b)};
    if (loads[0] == nullptr || loads[1] == nullptr ||
        loads[0]->buffer->data == loads[1]->buffer->data)
      return false;
    if (sides_[0].data() == loads[1]->buffer->data) std::swap(loads[0], loads[1]);
    Product added = {sum, {}};
    for (size_t i = 0; i < 2; ++i) {
      if (sides_[i].size() > 0 && sides_[i].data() != loads[i]->buffer->data) return false;
      const std::optional<size_t> factor = sides_[i].Add(loads[i]);
      if (!factor) return false;
      added.factors[i] = *factor;
    }
    products_.push_back(added);
    return true;
  }

  /// True if a sum is also a factor.
  bool IsFactor() const {
    return std::any_of(sums_.begin(), sums_.end(), [&](const BufferLoad* sum) {
      return sum->buffer->data == sides_[0].data() || sum->buffer->data == sides_[1].data();
    });
  }

  size_t SumOf(const Product& product) const {
    const auto found = std::find_if(sums_.begin(), sums_.end(), [&](const BufferLoad* sum) {
      return sum->buffer->data == product.sum;
    });
    return static_cast<size_t>(found - sums_.begin());
  }

  /// For each factor of the side `kept`, the lowest such factor of the same step.
  std::vector<size_t> StepOfKept(size_t kept) const {
    std::vector<size_t> step(sides_[kept].size());
    std::iota(step.begin(), step.end(), size_t{0});
    std::map<size_t, size_t> of_streamed;
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Product& product : products_) {
        size_t& own = step[product.factors[kept]];
        size_t& other = of_streamed.try_emplace(product.factors[1 - kept], own).first->second;
        changed |= own != other;
        own = other = std::min(own, other);
      }
    }
    return step;
  }

  std::vector<ByteStep> Steps(size_t kept) const {
    const std::vector<size_t> step_of = StepOfKept(kept);
    std::map<int64_t, std::vector<const Product*>> found;
    for (const Product& product : products_) {
      const size_t first = step_of[product.factors[kept]];
      found[sides_[kept].Distance(first)].push_back(&product);
    }
    std::vector<ByteStep> steps;
    for (const auto& [first, products] : found) steps.push_back(StepOf(products, kept));
    return steps;
  }

  ByteStep StepOf(const std::vector<const Product*>& products, size_t kept) const {
    ByteStep step;
    const auto distance = [&](const Product& product, size_t side) {
      return sides_[side].Distance(product.factors[side]);
    };
    const auto fill = [&](size_t side, std::vector<int64_t>& distances) {
      for (const Product* product : products) distances.push_back(distance(*product, side));
      std::sort(distances.begin(), distances.end());
      distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    };
    const auto number = [](const std::vector<int64_t>& distances, int64_t value) {
      return static_cast<size_t>(std::lower_bound(distances.begin(), distances.end(), value) -
                                 distances.begin());
    };
    fill(kept, step.kept);
    fill(1 - kept, step.streamed);
    for (const Product* product : products) {
      step.products.push_back({SumOf(*product), number(step.kept, distance(*product, kept)),
                               number(step.streamed, distance(*product, 1 - kept))});
    }
    std::stable_sort(step.products.begin(), step.products.end(),
                     [](const ByteProduct& a, const ByteProduct& b) {
                       return std::pair(a.streamed, a.kept) < std::pair(b.streamed, b.kept);
                     });
    return step;
  }

  Side sides_[2];
  std::vector<const BufferLoad*> sums_;
  std::vector<Product> products_;
};

}  // namespace

size_t ByteBlock::most_kept() const {
  size_t most = 0;
  for (const ByteStep& step : steps) most = std::max(most, step.kept.size());
  return most;
}

std::optional<ByteBlock> FindByteBlock(Analyzer& analyzer, const For* loop) {
  const int64_t* extent = AsIntImm(loop->extent);
  if (loop->for_kind != ForKind::kSerial || !IsConstInt(loop->min, 0) || extent == nullptr ||
      *extent < 1)
    return std::nullopt;
  const Stmt* const* begin = &loop->body;
  const auto* all = dyn_cast<SeqStmt>(loop->body);
  const Span<const Stmt*> stmts = all != nullptr ? all->seq : Span<const Stmt*>(begin, 1);
  BlockFinder finder(analyzer);
  if (!std::all_of(stmts.begin(), stmts.end(), [&](const Stmt* stmt) { return finder.Add(stmt); }))
    return std::nullopt;
  return finder.Finish(loop->loop_var, *extent);
}

std::optional<ByteBlock> FindByteBlock(Analyzer& analyzer, Span<const Stmt*> stmts, size_t& count) {
  BlockFinder finder(analyzer);
  count = 0;
  while (count < stmts.size() && finder.Add(stmts[count])) ++count;
  return finder.Finish(nullptr, 1);
}

}  // namespace tenon
