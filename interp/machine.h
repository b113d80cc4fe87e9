#ifndef TENON_INTERP_MACHINE_H_
#define TENON_INTERP_MACHINE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/code.h"
#include "interp/interpreter.h"
#include "interp/memory.h"
#include "support/diagnostics.h"

namespace tenon::interp {

/// One run of a compiled module.
class Machine {
 public:
  Machine(const ModuleCode& module, const InterpreterOptions& options, Diagnostics& diagnostics);

  /// Binds the arguments and runs function number `index`.
  bool Start(int32_t index, const std::vector<Argument>& arguments, int64_t* result,
             const EntryDataArguments* data);

  /// For kHost instructions.
  Memory& memory() { return memory_; }
  const ModuleCode& module() const { return module_; }
  /// Reports an error at the current instruction; always returns false.
  bool Fail(DiagnosticKind kind, std::string message);
  /// The `bytes` bytes at `pointer`, after checks: alive, in bounds, defined for a read, not
  /// constant for a write (which defines them). Null after an error.
  uint8_t* Access(Slot pointer, int64_t bytes, bool write);
  /// New storage that lives until the current function returns; 0 after an error.
  Slot FrameAllocate(int64_t size, std::string_view name);
  /// Calls a function with one value per parameter.
  bool Call(int32_t index, const std::vector<Slot>& arguments, Slot* result);
  /// Calls a function with arguments from a packed or plain call site.
  bool CallWith(const CallInfo& info, const Slot* regs, Slot* result);
  Slot ConstantPointer(int64_t number);
  /// The address of data of an entry function: 0 after an error.
  Slot EntryPointer(std::string_view name);

 private:
  struct Frame {
    const FunctionCode* code;
    const Instr* instr;
    const Frame* caller;
    int64_t number = 0;  ///< of the call in the run
  };

  bool Execute(const FunctionCode& code, Slot* regs, Slot* result);
  bool FailFault(Fault fault);
  bool FailSteps();
  bool CountStep() {
    if (--steps_ >= 0) [[likely]]
      return true;
    return FailSteps();
  }
  bool RunKernel(Slot* regs, const Instr& instr) {
    const Fault fault = instr.kernel(regs, instr);
    return fault == Fault::kNone || FailFault(fault);
  }
  bool FailIndex(const struct Access& access, int dim, Slot index, Slot span, Slot extent);
  bool CheckIndex(const struct Access& access, Slot index, Slot span, Slot extent);
  bool FailBytes(const struct Access& access, const Allocation* allocation, Slot pointer,
                 int64_t offset, int64_t bytes);
  bool FailUndefined(const struct Access& access, const Allocation& allocation, Slot index);
  bool FailWrite(const struct Access& access);
  bool Linear(Slot* regs, const Instr& instr);
  bool Load(Slot* regs, const Instr& instr);
  bool Store(Slot* regs, const Instr& instr);
  bool LoadGather(Slot* regs, const Instr& instr);
  bool StoreGather(Slot* regs, const Instr& instr);
  bool AddressOf(Slot* regs, const Instr& instr);
  bool Allocate(Slot* regs, const Instr& instr);
  bool LoadAt(const struct Access& access, Slot pointer, Slot index, Slot* to, int lanes);
  bool StoreAt(const struct Access& access, Slot pointer, Slot index, const Slot* from, int lanes);
  void NoteAccess(const struct Access& access, const Allocation& allocation, Slot pointer,
                  Slot index, int64_t offset, int64_t bytes, bool is_store) const;
  bool BindTensor(const FunctionCode& code, size_t param, const Tensor& tensor, Slot* regs);
  /// Copies the bytes that the caller wrote into storage that started undefined.
  void Define(Slot pointer, const Tensor& tensor, const std::vector<ByteStretch>& written);
  bool BindArguments(const FunctionCode& code, const std::vector<Argument>& arguments, Slot* regs);
  /// The value of an argument; nullopt after an error.
  std::optional<Slot> BindArgument(const Argument& argument, std::string_view name);
  Slot BindTensorBytes(const Argument& argument, std::string_view name);
  /// Makes stores to tensors and structs visible to the caller.
  void CopyBack();
  bool PlainArguments(const FunctionCode& code, const std::vector<Slot>& arguments, Slot* regs);
  /// Binds a variable of a signature in a call without tensors; false after an error.
  bool BindPlain(const FunctionCode& code, const ShapeBinding& binding, Slot* regs);
  void Enter(const FunctionCode& code, Slot* regs);
  std::string_view BufferName(std::string_view buffer, const Allocation& allocation) const;

  const ModuleCode& module_;
  const InterpreterOptions& options_;
  Diagnostics& diagnostics_;
  Memory memory_;
  int64_t steps_ = 0;
  int depth_ = 0;
  int64_t calls_ = 0;
  const Frame* frame_ = nullptr;
  std::vector<Slot> constants_;
  const EntryDataArguments* data_ = nullptr;
  absl::flat_hash_map<std::string_view, Slot> data_pointers_;
  /// The caller's tensors and structs, with their addresses.
  std::vector<std::pair<Slot, Argument>> bound_;
  absl::flat_hash_map<std::string, Slot> arenas_;
  absl::flat_hash_map<std::string, int64_t> arena_sizes_;
};

}  // namespace tenon::interp

#endif  // TENON_INTERP_MACHINE_H_
