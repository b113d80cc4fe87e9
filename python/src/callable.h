#ifndef TENON_PYTHON_SRC_CALLABLE_H_
#define TENON_PYTHON_SRC_CALLABLE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compile/link_params.h"
#include "compile/run/engine.h"
#include "python/src/arrays.h"
#include "python/src/bindings.h"

namespace tenon::python {

/// A model that Python calls. It keeps the states of the model between calls. Calls from several
/// threads wait for each other, because they share states and workspace.
class Callable {
 public:
  /// Loads the module into the engine that `words` of the command `run` name, without the GIL.
  static std::unique_ptr<Callable> Load(const ModuleHandle& handle,
                                        const std::vector<std::string>& words,
                                        const nb::list& generators);

  /// Runs the model on inputs in order, or on a dict by name. Returns an array, a tuple of arrays
  /// for several outputs, or a dict for a dict. `out`: the arrays for the outputs, in the same
  /// form.
  nb::object Call(const nb::args& args, const nb::object& out);
  /// The states are as before the first call.
  void Reset();

  nb::list InfoOf(const std::string& role) const;
  const std::string& engine() const { return engine_name_; }

 private:
  enum class Role : uint8_t { kInput, kFixed, kOutput, kState };

  /// A tensor of the entry function.
  struct Tensor {
    Role role = Role::kInput;
    TensorSlot slot;
    nb::object info;
    /// For an output: makes a new array.
    nb::object make = nb::object();
    /// The bytes of a fixed input, and the first value of a state.
    std::string first = {};
    /// The memory of a fixed input or a state that is not in a pool.
    AlignedBytes memory = {};
    /// The address in a pool, or null.
    void* mapped = nullptr;
  };

  void AddTensors();
  bool OpenCode(Diagnostics& diagnostics);
  /// The Python objects of the tensors with the role, from what the caller gave.
  std::vector<nb::object> Gather(Role role, const nb::object& given) const;
  nb::object Results(std::vector<nb::object> outputs, bool is_dict) const;
  size_t Count(Role role) const;
  std::string Names(Role role) const;
  void RunCode(const std::vector<void*>& addresses);
  void RunValues(const std::vector<void*>& addresses);

  std::shared_ptr<Context> context_;
  std::unique_ptr<CommandLine> line_;
  std::unique_ptr<CodeGenerators> generators_;
  std::string engine_name_;
  LinkedModule linked_;
  EntrySignature signature_;
  std::unique_ptr<RunnableModel> model_;
  std::optional<ModelCall> call_;
  std::vector<Tensor> tensors_;
  std::mutex mutex_;

  explicit Callable(LinkedModule linked) : linked_(std::move(linked)) {}
};

}  // namespace tenon::python

#endif  // TENON_PYTHON_SRC_CALLABLE_H_
