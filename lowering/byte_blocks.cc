// Finds the blocks that dot-products makes with `combine=products`: sums of products whose factors
// have constant distances. The side with fewer factors is kept in registers, and products are in
// the order of the other side.

#include "lowering/byte_blocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tenon {

namespace {

/// With more statements, finding the products that share factors takes long.
constexpr size_t kMostProducts = 512;

/// An index as a sum of loop variables times numbers, and a constant.
struct Index {
  std::map<const Var*, int64_t> terms;
  int64_t constant = 0;
};

/// Adds `factor * number` to a sum; false if it does not fit.
bool AddTo(int64_t factor, int64_t number, int64_t& sum) {
  int64_t product = 0;
  return !__builtin_mul_overflow(factor, number, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

bool AddTo(const Expr* expr, int64_t factor, Index& index) {
  if (const int64_t* number = AsIntImm(expr)) return AddTo(factor, *number, index.constant);
  if (const auto* var = dyn_cast<Var>(expr)) return AddTo(factor, 1, index.terms[var]);
  if (const auto* add = dyn_cast<Add>(expr))
    return AddTo(add->a, factor, index) && AddTo(add->b, factor, index);
  if (const auto* sub = dyn_cast<Sub>(expr))
    return factor != INT64_MIN && AddTo(sub->a, factor, index) && AddTo(sub->b, -factor, index);
  const auto* product = dyn_cast<Mul>(expr);
  const int64_t* number = product == nullptr ? nullptr : AsIntImm(product->b);
  int64_t factors = 0;
  return number != nullptr && !__builtin_mul_overflow(factor, *number, &factors) &&
         AddTo(product->a, factors, index);
}

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
  /// The number of a factor; nullopt if its distance from the others is not constant.
  std::optional<size_t> Add(const BufferLoad* load) {
    Index index;
    if (!AddTo(load->indices[0], 1, index)) return std::nullopt;
    if (loads_.empty()) {
      terms_ = index.terms;
      dtype_ = load->dtype;
    }
    if (index.terms != terms_ || load->dtype != dtype_) return std::nullopt;
    const auto found = std::find(places_.begin(), places_.end(), index.constant);
    if (found != places_.end()) return static_cast<size_t>(found - places_.begin());
    loads_.push_back(load);
    places_.push_back(index.constant);
    return loads_.size() - 1;
  }

  size_t size() const { return loads_.size(); }
  const Var* data() const { return loads_.empty() ? nullptr : loads_[0]->buffer->data; }
  int64_t Distance(size_t factor) const { return places_[factor] - Lowest(); }

  ByteFactors Factors(const Var* counter) const {
    ByteFactors all;
    const auto [low, high] = std::minmax_element(places_.begin(), places_.end());
    all.first = loads_[static_cast<size_t>(low - places_.begin())];
    all.reach = *high - *low;
    const auto stride = terms_.find(counter);
    all.stride = stride == terms_.end() ? 0 : stride->second;
    return all;
  }

 private:
  int64_t Lowest() const { return *std::min_element(places_.begin(), places_.end()); }

  std::map<const Var*, int64_t> terms_;
  DataType dtype_;
  std::vector<const BufferLoad*> loads_;
  std::vector<int64_t> places_;
};

class BlockFinder {
 public:
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
    ByteBlock block;
    block.sums = sums_;
    block.kept = sides_[kept].Factors(counter);
    block.streamed = sides_[1 - kept].Factors(counter);
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

std::optional<ByteBlock> FindByteBlock(const For* loop) {
  const int64_t* extent = AsIntImm(loop->extent);
  if (loop->for_kind != ForKind::kSerial || !IsConstInt(loop->min, 0) || extent == nullptr ||
      *extent < 1)
    return std::nullopt;
  const Stmt* const* begin = &loop->body;
  const auto* all = dyn_cast<SeqStmt>(loop->body);
  const Span<const Stmt*> stmts = all != nullptr ? all->seq : Span<const Stmt*>(begin, 1);
  BlockFinder finder;
  if (!std::all_of(stmts.begin(), stmts.end(), [&](const Stmt* stmt) { return finder.Add(stmt); }))
    return std::nullopt;
  return finder.Finish(loop->loop_var, *extent);
}

std::optional<ByteBlock> FindByteBlock(Span<const Stmt*> stmts, size_t& count) {
  BlockFinder finder;
  count = 0;
  while (count < stmts.size() && finder.Add(stmts[count])) ++count;
  return finder.Finish(nullptr, 1);
}

}  // namespace tenon
