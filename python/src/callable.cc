#include "python/src/callable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ir/attributes.h"
#include "tools/backends.h"

namespace tenon::python {

namespace {

/// True if two blocks of memory have bytes in common.
bool Overlap(const ArrayMemory& a, const ArrayMemory& b) {
  const auto* const a_begin = static_cast<const char*>(a.data());
  const auto* const b_begin = static_cast<const char*>(b.data());
  return a_begin < b_begin + b.size() && b_begin < a_begin + a.size();
}

}  // namespace

std::unique_ptr<Callable> Callable::Load(const ModuleHandle& handle,
                                         const std::vector<std::string>& words,
                                         const nb::list& given) {
  std::unique_ptr<CommandLine> line = ReadOptions(words);
  std::unique_ptr<CodeGenerators> generators = GeneratorsOf(given);
  RunCommand& command = line->commands().run;
  if (generators != nullptr) command.compile.run.generators = generators.get();
  const Engine* const engine = FindEngine(command.engine);
  if (engine == nullptr) RaiseNoEngine(command.engine);
  Diagnostics diagnostics;
  std::unique_ptr<Callable> result;
  {
    const nb::gil_scoped_release release;
    std::optional<LinkedModule> linked = LinkModule(handle.module, command.compile, diagnostics);
    std::optional<ByocReport> externals;
    if (linked && PrepareForEngine(command, linked->module, externals, diagnostics)) {
      result.reset(new Callable(*std::move(linked)));
      std::optional<EntrySignature> signature =
          ReadEntrySignature(result->linked_.module, diagnostics);
      if (signature) {
        result->signature_ = *std::move(signature);
        result->model_ = engine->load(result->linked_.module, result->signature_,
                                      EngineOptionsOf(command), diagnostics);
      }
    }
  }
  if (result == nullptr || result->model_ == nullptr || diagnostics.has_errors())
    Raise(handle.context->sources(), diagnostics);
  result->context_ = handle.context;
  result->line_ = std::move(line);
  result->generators_ = std::move(generators);
  result->engine_name_ = result->line_->commands().run.engine;
  result->AddTensors();
  if (!result->OpenCode(diagnostics)) Raise(handle.context->sources(), diagnostics);
  result->Reset();
  return result;
}

void Callable::AddTensors() {
  const PrimFunc& entry = *signature_.entry->func;
  const std::vector<std::string_view> states = DeclaredStates(entry);
  const nb::object array_maker = nb::module_::import_("tenon_compiler.tensors").attr("array_maker");
  for (const EntryTensor& tensor : signature_.tensors) {
    Tensor added{.slot = TensorSlot(tensor), .info = TensorInfoOf(tensor, entry)};
    const Constant* const constant = linked_.Find(tensor.name);
    if (constant != nullptr) {
      const absl::StatusOr<std::span<const uint8_t>> bytes = constant->Bytes();
      RaiseUnlessOk(bytes.status());
      added.first.assign(bytes->begin(), bytes->end());
    }
    if (!tensor.is_output) {
      added.role = constant != nullptr ? Role::kFixed : Role::kInput;
    } else if (std::find(states.begin(), states.end(), tensor.name) != states.end()) {
      added.role = Role::kState;
      added.first.resize(static_cast<size_t>(tensor.size_bytes));
    } else {
      added.role = Role::kOutput;
      const std::string dtype = NpyDtype(tensor.dtype);
      added.make = array_maker(TextOf(dtype), added.info.attr("shape"));
    }
    tensors_.push_back(std::move(added));
  }
}

bool Callable::OpenCode(Diagnostics& diagnostics) {
  if (model_->CanOpen()) {
    call_ = model_->Open(diagnostics);
    if (!call_) return false;
  }
  size_t fields[2] = {};
  for (Tensor& tensor : tensors_) {
    const bool is_output = tensor.role == Role::kOutput || tensor.role == Role::kState;
    const size_t field = fields[is_output ? 1 : 0]++;
    if (call_) {
      if (field >= call_->mapped(is_output).size()) {
        diagnostics.Error(DiagnosticKind::kRun, {},
                          "the compiled code does not have the inputs and outputs of the module");
        return false;
      }
      tensor.mapped = call_->mapped(is_output)[field];
    }
    if (tensor.role == Role::kInput || tensor.role == Role::kOutput || tensor.mapped != nullptr)
      continue;
    tensor.memory = AlignedBytes::Of(tensor.slot.size_bytes, tensor.first);
    if (tensor.memory.data() != nullptr) continue;
    diagnostics.Error(DiagnosticKind::kRun, {}, "there is not enough memory for the tensors");
    return false;
  }
  return true;
}

void Callable::Reset() {
  const nb::gil_scoped_release release;
  const std::lock_guard lock(mutex_);
  for (const Tensor& tensor : tensors_) {
    if (tensor.role != Role::kState && tensor.role != Role::kFixed) continue;
    void* const bytes = tensor.mapped != nullptr ? tensor.mapped : tensor.memory.data();
    std::memcpy(bytes, tensor.first.data(), tensor.first.size());
  }
}

size_t Callable::Count(Role role) const {
  return static_cast<size_t>(std::count_if(tensors_.begin(), tensors_.end(),
                                           [&](const Tensor& t) { return t.role == role; }));
}

std::string Callable::Names(Role role) const {
  std::string names;
  for (const Tensor& tensor : tensors_) {
    if (tensor.role == role) names += (names.empty() ? "`" : ", `") + tensor.slot.name + "`";
  }
  return names.empty() ? "none" : names;
}

std::vector<nb::object> Callable::Gather(Role role, const nb::object& given) const {
  const std::string_view what = role == Role::kInput ? "input" : "output";
  std::vector<nb::object> objects;
  const size_t count = Count(role);
  if (nb::isinstance<nb::dict>(given)) {
    const auto dict = nb::borrow<nb::dict>(given);
    for (const Tensor& tensor : tensors_) {
      if (tensor.role != role) continue;
      if (!dict.contains(tensor.slot.name.c_str()))
        Raise(fmt::format("{} `{}` has no array; the model has {}", what, tensor.slot.name,
                          Names(role)));
      objects.push_back(dict[tensor.slot.name.c_str()]);
    }
    if (nb::len(dict) != count)
      Raise(fmt::format("expected {} {}{} ({}), found {}", count, what, count == 1 ? "" : "s",
                        Names(role), nb::len(dict)));
    return objects;
  }
  if (nb::isinstance<nb::tuple>(given) || nb::isinstance<nb::list>(given)) {
    for (const nb::handle object : given) objects.push_back(nb::borrow(object));
  } else {
    objects.push_back(given);
  }
  if (objects.size() != count)
    Raise(fmt::format("expected {} {}{} ({}), found {}", count, what, count == 1 ? "" : "s",
                      Names(role), objects.size()));
  return objects;
}

nb::object Callable::Results(std::vector<nb::object> outputs, bool is_dict) const {
  if (is_dict) {
    nb::dict dict;
    size_t next = 0;
    for (const Tensor& tensor : tensors_) {
      if (tensor.role == Role::kOutput) dict[tensor.slot.name.c_str()] = outputs[next++];
    }
    return dict;
  }
  if (outputs.size() == 1) return outputs[0];
  nb::list list;
  for (const nb::object& output : outputs) list.append(output);
  return nb::tuple(list);
}

nb::object Callable::Call(const nb::args& args, const nb::object& out) {
  const bool is_dict = args.size() == 1 && nb::isinstance<nb::dict>(args[0]);
  const bool is_list = args.size() == 1 && Count(Role::kInput) != 1 &&
                       (nb::isinstance<nb::tuple>(args[0]) || nb::isinstance<nb::list>(args[0]));
  const std::vector<nb::object> inputs =
      Gather(Role::kInput, is_dict || is_list ? nb::object(args[0]) : nb::object(args));
  std::vector<nb::object> outputs;
  if (!out.is_none()) outputs = Gather(Role::kOutput, out);
  std::vector<ArrayMemory> memory(tensors_.size());
  std::vector<void*> addresses;
  addresses.reserve(tensors_.size());
  size_t next_input = 0;
  size_t next_output = 0;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const Tensor& tensor = tensors_[i];
    if (tensor.role == Role::kFixed || tensor.role == Role::kState) {
      addresses.push_back(tensor.mapped != nullptr ? tensor.mapped : tensor.memory.data());
      continue;
    }
    ArrayMemory& array = memory[i];
    if (tensor.role == Role::kInput) {
      array.TakeInput(inputs[next_input++], tensor.slot);
    } else if (out.is_none()) {
      outputs.push_back(tensor.make());
      array.TakeNewOutput(outputs.back());
    } else {
      array.TakeOutput(outputs[next_output++], tensor.slot);
      for (size_t other = 0; other < i; ++other) {
        if (Overlap(memory[other], array))
          Raise(
              fmt::format("the array for the output `{}` shares memory with another array of the "
                          "call",
                          tensor.slot.name));
      }
    }
    addresses.push_back(array.data());
  }
  call_ ? RunCode(addresses) : RunValues(addresses);
  return Results(std::move(outputs), is_dict);
}

void Callable::RunCode(const std::vector<void*>& addresses) {
  int32_t status = 0;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    absl::InlinedVector<void*, 8> fields[2];
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      const bool is_output = tensor.role == Role::kOutput || tensor.role == Role::kState;
      if (tensor.mapped != nullptr && (tensor.role == Role::kInput || tensor.role == Role::kFixed))
        std::memmove(tensor.mapped,
                     tensor.role == Role::kFixed ? tensor.first.data() : addresses[i],
                     static_cast<size_t>(tensor.slot.size_bytes));
      fields[is_output ? 1 : 0].push_back(tensor.mapped != nullptr ? tensor.mapped : addresses[i]);
    }
    status = call_->Run(fields[0], fields[1]);
    for (size_t i = 0; status == 0 && i < addresses.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      if (tensor.mapped != nullptr && tensor.role == Role::kOutput)
        std::memcpy(addresses[i], tensor.mapped, static_cast<size_t>(tensor.slot.size_bytes));
    }
  }
  if (status != 0) Raise(fmt::format("the model returned the status {}", status));
}

void Callable::RunValues(const std::vector<void*>& addresses) {
  Diagnostics diagnostics;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    TensorValues values;
    for (size_t i = 0; i < addresses.size(); ++i) {
      std::string& value = values.emplace_back();
      if (tensors_[i].role != Role::kOutput)
        value.assign(static_cast<const char*>(addresses[i]),
                     static_cast<size_t>(tensors_[i].slot.size_bytes));
    }
    Runs runs;
    const bool ok = model_->Run(values, runs, diagnostics);
    for (size_t i = 0; ok && i < addresses.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      if (tensor.role == Role::kOutput || tensor.role == Role::kState)
        std::memcpy(addresses[i], values[i].data(),
                    std::min(values[i].size(), static_cast<size_t>(tensor.slot.size_bytes)));
    }
  }
  if (diagnostics.has_errors()) Raise(context_->sources(), diagnostics);
}

nb::list Callable::InfoOf(const std::string& role) const {
  const Role wanted = role == "inputs"    ? Role::kInput
                      : role == "outputs" ? Role::kOutput
                                          : Role::kState;
  nb::list list;
  for (const Tensor& tensor : tensors_) {
    if (tensor.role == wanted) list.append(tensor.info);
  }
  return list;
}

}  // namespace tenon::python
