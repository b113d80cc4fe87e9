// Sums of products of 8-bit integers on Cortex-M without dot products, as assembly. LLVM would load
// the factors of several steps first, and have no registers left for the sums.

#include <llvm/IR/InlineAsm.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "fmt/format.h"
#include "lowering/byte_blocks.h"
#include "lowering/llvm/llvm_internal.h"

// LLVM would also leave r8 to r11 of a Cortex-M0 unused, which add as fast as the other registers.

namespace tenon::llvm_lowering {

namespace {

/// The registers and instructions of a processor.
struct ByteMachine {
  bool is_thumb1 = false;
  /// The largest distance of a load from a pointer.
  int64_t most_reach = 0;
  /// Registers for all purposes, and registers that only add, from r8 on.
  size_t registers = 0;
  size_t high_registers = 0;
};

/// Neither has the stack pointer and the program counter.
constexpr ByteMachine kThumb1 = {true, 31, 8, 4};
constexpr ByteMachine kThumb2 = {false, 4095, 14, 0};

/// The largest step of a pointer.
constexpr int64_t kMostStride = 255;

/// Instructions of a loop of a Cortex-M0 that a conditional branch can jump over, with two bytes
/// each.
constexpr int kNearInstructions = 120;

/// Writes the assembly of a block. The operands are sums, the two pointers, the counter of a loop
/// (Thumb-2), registers for kept factors, a register for a streamed factor, and one for its product
/// (Thumb-1, with several kept factors).
///
/// On a Cortex-M0, LLVM has no code to spill r8 to r11. So sums in these registers begin at 0, and
/// go to the registers of the pointers and factors at the end. A loop ends at a pointer in lr,
/// which comes in the register of streamed factors.
class ByteAssembly {
 public:
  ByteAssembly(const ByteBlock& block, const ByteMachine& machine)
      : block_(block), machine_(machine) {
    const size_t others = 2 + (has_counter() ? 1 : 0) + block.most_kept() + 1 +
                          (machine.is_thumb1 && block.most_kept() > 1 ? 1 : 0);
    low_sums_ =
        std::min(block.sums.size(), machine.registers - std::min(machine.registers, others));
    kept_pointer_ = low_sums_;
    streamed_pointer_ = low_sums_ + 1;
    kept_ = streamed_pointer_ + (has_counter() ? 2 : 1);
    streamed_ = kept_ + block.most_kept();
    operands_ = low_sums_ + others;
    ending_ = block.kept.stride > 0 ? &block.kept : &block.streamed;
  }

  /// True if the registers suffice, and instructions reach all factors.
  bool Fits() const {
    const auto reaches = [&](const ByteFactors& factors) {
      return factors.reach <= machine_.most_reach &&
             (!is_loop() || (factors.stride >= 0 && factors.stride <= kMostStride));
    };
    const size_t high_sums = block_.sums.size() - low_sums_;
    return operands_ <= machine_.registers && high_sums <= machine_.high_registers &&
           high_sums <= operands_ - low_sums_ && reaches(block_.kept) && reaches(block_.streamed) &&
           (!is_loop() || ending_->stride > 0);
  }

  size_t operands() const { return operands_; }
  /// The sums that the assembly reads. It adds the others up from 0.
  size_t low_sums() const { return low_sums_; }
  bool is_loop() const { return block_.iterations > 1; }
  bool has_counter() const { return is_loop() && !machine_.is_thumb1; }
  /// The pointer that ends a loop without a counter.
  const ByteFactors& ending() const { return *ending_; }

  std::string Constraints() const {
    std::string all;
    for (size_t i = 0; i < operands_; ++i) all += machine_.is_thumb1 ? "=&l," : "=&r,";
    for (size_t i = 0; i < kept_; ++i) all += fmt::format("{},", i);
    if (is_loop() && !has_counter()) all += fmt::format("{},~{{lr}},", streamed_);
    for (size_t i = low_sums_; i < block_.sums.size(); ++i) all += fmt::format("~{{{}}},", Sum(i));
    return all + "~{cc},~{memory}";
  }

  /// The bytes by which a pointer begins before its factors, because the first load moves it.
  int64_t Before(const ByteFactors& factors) const {
    const bool is_kept = &factors == &block_.kept;
    const int64_t first = is_kept ? block_.steps[0].kept[0] : block_.steps[0].streamed[0];
    return has_counter() && first == 0 ? factors.stride : 0;
  }

  std::string Text() {
    if (is_loop() && !has_counter()) Line("mov lr, ${}", streamed_);
    if (low_sums_ < block_.sums.size()) Line("movs ${}, #0", streamed_);
    for (size_t i = low_sums_; i < block_.sums.size(); ++i) Line("mov {}, ${}", Sum(i), streamed_);
    if (is_loop()) Line("1:");
    lines_ = 0;
    for (const ByteStep& step : block_.steps) Write(step);
    if (is_loop()) WriteEnd();
    for (size_t i = low_sums_; i < block_.sums.size(); ++i) Line("mov ${}, {}", i, Sum(i));
    return text_;
  }

 private:
  std::string Sum(size_t sum) const {
    return sum < low_sums_ ? fmt::format("${}", sum) : fmt::format("r{}", 8 + sum - low_sums_);
  }

  void WriteEnd() {
    for (const ByteFactors* factors : {&block_.kept, &block_.streamed}) {
      if (factors->stride != 0 && Before(*factors) == 0)
        Line("adds ${0}, ${0}, #{1}", Pointer(*factors), factors->stride);
    }
    if (has_counter()) {
      Line("subs ${0}, ${0}, #1", streamed_pointer_ + 1);
    } else {
      Line("cmp ${}, lr", Pointer(*ending_));
    }
    if (machine_.is_thumb1 && lines_ > kNearInstructions) {
      Line("beq 2f");
      Line("b 1b");
      Line("2:");
    } else {
      Line("bne 1b");
    }
  }

  size_t Pointer(const ByteFactors& factors) const {
    return &factors == &block_.kept ? kept_pointer_ : streamed_pointer_;
  }

  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    if (!text_.empty()) text_ += '\n';
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    ++lines_;
  }

  void Load(size_t to, const ByteFactors& factors, int64_t distance) {
    const bool is_signed = factors.first->dtype.is_int();
    const size_t pointer = Pointer(factors);
    const bool is_first = &factors == &block_.kept ? !has_kept_ : !has_streamed_;
    (&factors == &block_.kept ? has_kept_ : has_streamed_) = true;
    if (machine_.is_thumb1) {
      // A signed load has no constant distance.
      Line("ldrb ${}, [${}, #{}]", to, pointer, distance);
      if (is_signed) Line("sxtb ${0}, ${0}", to);
    } else if (is_first && Before(factors) > 0) {
      Line("{} ${}, [${}, #{}]!", is_signed ? "ldrsb" : "ldrb", to, pointer, factors.stride);
    } else {
      Line("{} ${}, [${}, #{}]", is_signed ? "ldrsb" : "ldrb", to, pointer, distance);
    }
  }

  void Write(const ByteStep& step) {
    for (size_t i = 0; i < step.kept.size(); ++i) Load(kept_ + i, block_.kept, step.kept[i]);
    for (size_t i = 0; i < step.products.size(); ++i) {
      const ByteProduct& product = step.products[i];
      const bool is_new = i == 0 || step.products[i - 1].streamed != product.streamed;
      const bool is_last =
          i + 1 == step.products.size() || step.products[i + 1].streamed != product.streamed;
      if (is_new) Load(streamed_, block_.streamed, step.streamed[product.streamed]);
      const size_t kept = kept_ + product.kept;
      if (!machine_.is_thumb1) {
        Line("mla ${0}, ${1}, ${2}, ${0}", product.sum, streamed_, kept);
        continue;
      }
      // A product replaces one of its factors.
      const size_t target = is_last ? streamed_ : streamed_ + 1;
      if (!is_last) Line("mov ${}, ${}", target, streamed_);
      Line("muls ${0}, ${1}, ${0}", target, kept);
      if (product.sum < low_sums_) {
        Line("adds ${0}, ${0}, ${1}", product.sum, target);
      } else {
        Line("add {}, ${}", Sum(product.sum), target);
      }
    }
  }

  const ByteBlock& block_;
  const ByteMachine& machine_;
  /// The numbers of operands. The sums come first.
  size_t low_sums_;
  size_t kept_pointer_;
  size_t streamed_pointer_;
  size_t kept_;
  size_t streamed_;
  size_t operands_;
  const ByteFactors* ending_;
  std::string text_;
  int lines_ = 0;
  bool has_kept_ = false;
  bool has_streamed_ = false;
};

}  // namespace

/// Emits the sums of a block as assembly; false if the target has no assembly for it. `counter` is
/// the variable of the block's loop, or null.
bool FunctionEmitter::ByteSums(const ByteBlock& block, const Var* counter) {
  const auto is_local = [&](const BufferLoad* sum) {
    return llvm::isa<llvm::AllocaInst>(Pointer(sum->buffer->data));
  };
  ByteAssembly assembly(block, state_.byte_sums == ByteSumsForm::kThumb1 ? kThumb1 : kThumb2);
  if (!assembly.Fits() || !std::all_of(block.sums.begin(), block.sums.end(), is_local))
    return false;
  llvm::Type* word = build_.getInt32Ty();
  std::vector<llvm::Value*> args;
  for (size_t i = 0; i < assembly.low_sums(); ++i) args.push_back(Load(block.sums[i]));
  if (counter != nullptr) values_[counter] = Int(TypeOf(counter->dtype), 0);
  llvm::Value* end = nullptr;
  for (const ByteFactors* factors : {&block.kept, &block.streamed}) {
    llvm::Value* first = ElementAddress(factors->first);
    const auto moved = [&](int64_t bytes) {
      return build_.CreateGEP(build_.getInt8Ty(), first, Int(word, bytes));
    };
    args.push_back(moved(-assembly.Before(*factors)));
    if (factors == &assembly.ending()) end = moved(block.iterations * factors->stride);
  }
  if (assembly.is_loop())
    args.push_back(assembly.has_counter() ? Int(word, block.iterations) : end);
  std::vector<llvm::Type*> inputs;
  for (const llvm::Value* arg : args) inputs.push_back(arg->getType());
  const std::vector<llvm::Type*> outputs(assembly.operands(), word);
  auto* type =
      llvm::FunctionType::get(llvm::StructType::get(state_.context(), outputs), inputs, false);
  llvm::CallInst* call = build_.CreateCall(
      type,
      llvm::InlineAsm::get(type, assembly.Text(), assembly.Constraints(), /*hasSideEffects=*/true),
      args);
  call->setDoesNotThrow();
  // Copies of the text would only take memory.
  call->addFnAttr(llvm::Attribute::NoDuplicate);
  for (unsigned i = 0; i < block.sums.size(); ++i) {
    llvm::Value* sum = build_.CreateExtractValue(call, i);
    if (i >= assembly.low_sums()) sum = build_.CreateAdd(sum, Load(block.sums[i]));
    build_.CreateAlignedStore(sum, ElementAddress(block.sums[i]), llvm::Align(4));
  }
  return true;
}

}  // namespace tenon::llvm_lowering
