#ifndef TENON_TESTS_RANDOM_GENERATOR_H_
#define TENON_TESTS_RANDOM_GENERATOR_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "random/random_module.h"

namespace tenon::random_ir {

/// Random numbers that are the same on every platform (std's distributions are not).
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(bound));
  }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool Percent(int chance) { return Below(100) < chance; }
  template <class List>
  const auto& Pick(const List& list) {
    return list[static_cast<size_t>(Below(static_cast<int64_t>(std::size(list))))];
  }
  uint64_t Bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// A variable in scope; `low` and `high` are known for loop variables.
struct Known {
  const Var* var = nullptr;
  bool ranged = false;
  int64_t low = 0;
  int64_t high = 0;
};

/// The allocations in which a buffer may lie: several if a pointer is chosen at run time.
class Storages {
 public:
  Storages() = default;
  explicit Storages(int one) : all_{one} {}
  bool Meets(const Storages& other) const {
    return std::any_of(all_.begin(), all_.end(), [&](int one) {
      return std::find(other.all_.begin(), other.all_.end(), one) != other.all_.end();
    });
  }
  bool IsOne() const { return all_.size() == 1; }
  void Add(const Storages& other) { all_.insert(all_.end(), other.all_.begin(), other.all_.end()); }

 private:
  std::vector<int> all_;
};

/// A buffer in scope with a constant shape, completely written.
struct Tensor {
  const Buffer* buffer = nullptr;
  std::vector<int64_t> shape;
  bool writable = true;
  Storages storage;
  /// Its elements are contiguous and begin at the data pointer.
  bool compact = true;

  int64_t Elements() const {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    return count;
  }
};

/// A function that can be called.
struct Callee {
  Symbol name;
  std::string symbol;
  struct Param {
    DataType dtype;
    std::vector<int64_t> shape;  ///< for a tensor
    bool tensor = true;
    bool written = false;
  };
  std::vector<Param> params;
  DataType result;  ///< void, or int32
  /// Its tensors may be the same memory, or overlap.
  bool may_overlap = false;
};

/// Makes one function. Nodes are drawn from the list of kinds. Each kind has a maker, declared here
/// from that list, so that a kind without one does not link. A maker returns null if its kind does
/// not fit.
class Generator {
 public:
  Generator(Context& context, Dice& dice, const ModuleOptions& options, IRModule& module,
            std::vector<Callee>& callees);

  void Function(std::string_view name, bool is_main);

 private:
  // random_expr.cc: expressions of a dtype.
  const Expr* Expression(DataType dtype, int depth);
  const Expr* Leaf(DataType dtype);
  const Expr* Literal(DataType dtype);
  const Expr* Divisor(DataType dtype, int depth);
  template <class T>
  const Expr* Arithmetic(DataType dtype, int depth);
  template <class T>
  const Expr* Quotient(DataType dtype, int depth);
  template <class T>
  const Expr* Comparison(DataType dtype, int depth);
  /// An int32 in [0, extent).
  const Expr* Index(int64_t extent, int depth);
  /// One index per dimension; the last has `lanes`. Empty if that does not fit.
  std::vector<const Expr*> Indices(const Tensor& tensor, int lanes, int depth, bool distinct);
  DataType AnyDType();
  DataType AnyScalar();
  const Tensor* FindTensor(bool writable, const std::function<bool(const Tensor&)>& fits);
#define TENON_EXPR(Name) const Expr* Make##Name(DataType dtype, int depth);
#include "ir/nodes.def"

  // random_call.cc: calls of builtins and functions.
  const Expr* IntegerCall(DataType dtype, int depth);
  const Expr* FloatCall(DataType dtype, int depth);
  const Expr* AnyCall(DataType dtype, int depth);
  const Expr* VectorCall(DataType dtype, int depth);
  const Expr* QMultiply(DataType dtype, int depth);
  const Expr* NewCall(DataType dtype, OpKind op, const std::vector<const Expr*>& args);
  /// A statement that calls a function of the module; null without suitable arguments.
  const Stmt* CallStatement(const Callee& callee);
  /// As CallStatement, with new tensors, which other statements also use.
  const Stmt* CallWithTensors(const Callee& callee);
  const Expr* FunctionCall(const Callee& callee);

  // random_pointers.cc: pointers that are computed, or chosen at run time.
  const Expr* PointerArgument(const Callee& callee, const Callee::Param& param, Storages& taken);
  bool SwappedArguments(const Callee& callee, Storages& taken, std::vector<const Expr*>& args);
  const Expr* PointerInto(const Tensor& tensor, int64_t elements);
  const Expr* Either(const Expr* condition, const Expr* yes, const Expr* no);
  const Expr* Alternating();
  Tensor ViewOf(const Tensor& tensor, int64_t elements, const Var* pointer);
  const Stmt* WithPointer(const Tensor& view, const Expr* value, const Stmt* body);
  const Stmt* LetPointer(int budget);
  const Stmt* SwapLoop(int budget);
  const Stmt* PairBody();
  const Stmt* Turn(const Tensor& x, const Tensor& y, int budget);
  const Expr* SumOf(const Expr* a, const Expr* b);
  const Stmt* SwapInto(const Tensor& from, const Tensor& to, const Tensor* direct);
  const Stmt* SwapLanes(const Tensor& from, const Tensor& to);

  // random_stmt.cc, random_block.cc: statements, `budget` of them including nested ones.
  const Stmt* Sequence(int budget);
  const Stmt* Statement(int budget);
  /// Writes every element of a tensor.
  const Stmt* Fill(const Tensor& tensor);
  const Stmt* RaceFreeBody(const Var* var, int64_t extent);
  const Stmt* StoreTo(const Tensor& tensor, std::vector<const Expr*> indices, const Expr* value,
                      const Expr* predicate = nullptr);
  const Stmt* ZeroIterBlock(int budget);
  const Stmt* ComputeBlock();
  const Stmt* MatchedBlock();
  const Stmt* LayoutLoop(int budget);
  const Stmt* DeclaredRow(const Tensor& whole, const Var* row);
  const Stmt* MatchedRow(const Tensor& whole, const Var* row);
  const Expr* Disguised(int64_t value, const Var* var);
  const Block* NewBlock(std::string_view name, std::vector<const IterVar*> iters,
                        std::vector<const Tensor*> writes, const Stmt* init, const Stmt* body);
  const BufferRegion* WholeRegion(const Tensor& tensor);
#define TENON_STMT(Name) const Stmt* Make##Name(int budget);
#include "ir/nodes.def"

  // random_reuse.cc
  const Stmt* MakeReuse(int budget);
  bool RefillArguments(std::vector<const Stmt*>& body);
  const Stmt* ReuseBody(const std::vector<Tensor>& tensors, int budget);
  const Stmt* ReuseInBranch(const std::vector<Tensor>& tensors, int budget);
  const Stmt* ReuseInWhile(const std::vector<Tensor>& tensors, int budget);
  const Stmt* Refill(const Tensor& tensor);
  const Stmt* RefillSome(const Tensor& tensor);
  const Stmt* RefillPermuted(const Tensor& tensor);
  const Stmt* RefillFused(const Tensor& tensor);
  const Stmt* RefillPart(const Tensor& tensor, int64_t first, int64_t end);
  const Stmt* RefillSums(const Tensor& tensor);
  const Stmt* UseOf(const Tensor& tensor);
  const Stmt* UsesOf(const Tensor& tensor, int budget);
  const Stmt* LoopOf(const Var* var, int64_t extent, const Stmt* body, bool any_order);
  const Expr* ValueFor(const Tensor& tensor);
  const Expr* Condition(const Tensor& tensor);

  // random_attr.cc
  const Attr* Attribute(int depth);
  const MapAttr* Annotations(int depth);
#define TENON_ATTR(Name) const Attr* Make##Name(int depth);
#include "ir/nodes.def"

  // random_func.cc
  Tensor NewTensor(std::string_view name, DataType dtype, std::vector<int64_t> shape,
                   const Var* data = nullptr);
  const MapAttr* FunctionAttrs(std::string_view name, bool is_main, bool noalias);
  std::vector<Callee::Param> Signature(bool is_main);
  std::vector<Callee::Param> PairSignature();
  const Stmt* AnyNodes();
  const Stmt* InRootBlock(const Stmt* body);
  const tenon::Constant* NewConstant(DataType dtype, const std::vector<int64_t>& shape);
  std::vector<int64_t> AnyShape();

  const Expr* Int(int64_t value) { return b_.Int(value); }
  const Var* Pointer(std::string_view name, DataType dtype) {
    return b_.NewVar(name, context_.PointerType(dtype, "global"));
  }
  template <class T>
  Span<const T*> Copy(const std::vector<const T*>& list) {
    return b_.arena().Copy(Span<const T*>(list.data(), list.size()));
  }
  bool Forbidden(const Tensor& tensor) const;

  /// Its destructor removes names that came into scope since its construction.
  class Scope {
   public:
    explicit Scope(Generator& of) : of_(of), vars_(of.vars_.size()), tensors_(of.tensors_.size()) {}
    ~Scope() {
      of_.vars_.resize(vars_);
      of_.tensors_.resize(tensors_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Generator& of_;
    size_t vars_;
    size_t tensors_;
  };

  Context& context_;
  Dice& dice_;
  const ModuleOptions& options_;
  IRModule& module_;
  std::vector<Callee>& callees_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
  NodeBuilder b_;
  std::vector<Known> vars_;
  std::vector<Tensor> tensors_;
  /// Storage that may not be read or written now.
  std::vector<Storages> forbidden_;
  std::vector<const Tensor*> empty_;
  int next_storage_ = 0;
  int loops_ = 0;
  int nesting_ = 0;
  bool any_node_ = false;
  /// In text, a function with blocks has an implicit root block.
  bool has_blocks_ = false;
};

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_GENERATOR_H_
