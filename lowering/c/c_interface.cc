// The header of a model, which people read: structs of tensors and pools, macros of sizes, and
// comments with types. Its names are taken before all others, so that new code never renames it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/analysis/constant_section.h"
#include "ir/attributes.h"
#include "ir/tensor_scales.h"
#include "lowering/big_endian.h"
#include "lowering/c/c_internal.h"
#include "support/check.h"

namespace tenon::c_lowering {

InterfaceEmitter::InterfaceEmitter(ModuleState& state, const Function& entry, EmittedC& result)
    : state_(state), entry_(entry), result_(result) {
  // Reserves the names of the interface, so that functions and data of the module get other names.
  for (const std::string_view suffix : OwnSuffixes())
    state.globals.Reserve(state.prefix + std::string(suffix));
  CollectParams();
}

InterfaceEmitter::PoolParam InterfaceEmitter::MakePool(const PoolArg& arg) {
  const EmitCOptions& options = state_.options;
  PoolParam pool;
  pool.field = SanitizeName(arg.pool.name);
  if (IsReservedWord(pool.field) || IsMacroOf(state_.prefix, pool.field)) pool.field += "_v";
  pool.bytes = arg.size_bytes;
  pool.is_constant = arg.pool.is_constant;
  pool.is_internal = arg.pool.is_internal;
  pool.alignment = std::max(
      arg.alignment, pool.is_constant ? options.constant_alignment : options.workspace_alignment);
  pool.section = arg.pool.section;
  if (pool.is_constant && pool.is_internal && !arg.pool.header.empty()) {
    pool.header = arg.pool.header;
    pool.object = arg.pool.name;
    if (pool.field != arg.pool.name || !IsHeaderName(pool.header)) {
      state_.Error(entry_.func->range,
                   fmt::format("pool `{}` cannot be declared by the header `{}` of C",
                               arg.pool.name, pool.header));
    }
  } else if (pool.is_internal) {
    pool.object = ConstantName(state_, fmt::format("{}_{}", state_.prefix, pool.field));
  }
  if (!IsSectionName(pool.section)) {
    state_.Error(entry_.func->range,
                 fmt::format("the section of pool `{}` cannot be written in C", arg.pool.name));
  }
  if (const std::string error = SectionError(arg.pool); !error.empty())
    state_.Error(entry_.func->range, error);
  for (const PoolParam& other : pools_) {
    if (other.field != pool.field) continue;
    state_.Error(entry_.func->range,
                 fmt::format("two pools of the entry have the name `{}` in C", pool.field));
  }
  if (pool.section.empty())
    pool.section = pool.is_constant ? options.constant_section : options.workspace_section;
  return pool;
}

void InterfaceEmitter::CollectParams() {
  model_ = ReadModelEntry(entry_, state_.effects.Of(entry_), [&](std::string message) {
    state_.Error(entry_.func->range, std::move(message));
  });
  for (const PoolArg& arg : signature_.pools) {
    const PoolParam& pool = pools_.emplace_back(MakePool(arg));
    if (pool.is_internal) continue;
    if (pool.is_constant) {
      const absl::StatusOr<std::vector<BlobPart>> parts = PartsOf(arg);
      state_.is_little_endian |= parts.ok() && !IsSameInBigEndian(*parts);
    }
    result_.abi.pools.push_back({pool.field, pool.is_constant, pool.bytes, pool.alignment,
                                 arg.pool.base_address % pool.alignment, pool.section});
  }
  AddTensors();
}

/// `<PREFIX>_X_SIZE`, with a numeric suffix if another macro of the header has that name: tensors
/// `x` and `X` are distinct in C, but their macros are not.
std::string InterfaceEmitter::SizeMacro(const std::string& field) {
  const std::string prefix = MacroName(state_.prefix);
  if (macros_.empty()) {
    macros_ = {prefix + "_WORKSPACE_SIZE", prefix + "_CONSTANTS_SIZE"};
    for (const PoolParam& pool : pools_) macros_.insert(PoolMacro(pool) + "_SIZE");
  }
  const std::string base = fmt::format("{}_{}_SIZE", prefix, MacroName(field));
  std::string macro = base;
  for (int n = 1; !macros_.insert(macro).second; ++n) macro = fmt::format("{}_{}", base, n);
  return macro;
}

std::string InterfaceEmitter::PoolMacro(const PoolParam& pool) const {
  return fmt::format("{}_{}_{}_POOL", MacroName(state_.prefix), MacroName(pool.field),
                     pool.is_constant ? "CONSTANT" : "WORKSPACE");
}

/// Names the tensors, which are fields of their structs.
void InterfaceEmitter::AddTensors() {
  NameScope fields;
  for (const EntryTensor& entry : signature_.tensors) {
    Tensor& tensor = tensors_.emplace_back(Tensor{entry, {}, {}, {}});
    if (tensor.is_scalar) tensor.scalar = CType(tensor.dtype);
    std::string wanted = SanitizeName(tensor.name);
    if (IsMacroOf(state_.prefix, wanted)) wanted += "_v";
    tensor.field = fields.Unique(wanted);
    if (tensor.field != wanted && !IsReservedWord(wanted)) {
      state_.Error(entry_.func->range,
                   fmt::format("two tensors of the entry have the name `{}` in C", wanted));
    }
    tensor.macro = SizeMacro(tensor.field);
    (tensor.is_output ? result_.abi.outputs : result_.abi.inputs)
        .push_back({tensor.field, tensor.size_bytes, tensor.place.has_value()});
  }
}

void InterfaceEmitter::AddConstantPool(size_t index) {
  TENON_CHECK(index < pools_.size() && pools_.size() == signature_.pools.size());
  const PoolArg& arg = signature_.pools[index];
  Blob blob;
  blob.name = pools_[index].object;
  blob.size_bytes = std::max<int64_t>(arg.size_bytes, 0);
  blob.alignment = pools_[index].alignment;
  blob.section = arg.pool.section;
  blob.comment =
      fmt::format("Constants of {} bytes: pool `{}`.", blob.size_bytes, pools_[index].field);
  absl::StatusOr<std::vector<BlobPart>> parts = PartsOf(arg);
  if (!parts.ok()) return state_.Error(entry_.func->range, std::string(parts.status().message()));
  blob.parts = *std::move(parts);
  pools_[index].blob = static_cast<int>(state_.blobs.size());
  AddBlob(state_, std::move(blob), entry_.func->range, fmt::format("pool `{}`", arg.pool.name));
}

void InterfaceEmitter::AddCheckedPools(const std::vector<const Function*>& order) {
  AddConstantPools();
  std::vector<ConstantPoolMap::Pool> pools;
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (pools_[i].blob < 0) continue;
    pools.push_back({signature_.pool_params[i], static_cast<size_t>(pools_[i].blob),
                     &signature_.pools[i].pool});
  }
  state_.constant_pools = std::make_unique<const ConstantPoolMap>(state_, entry_, pools, order);
}

void InterfaceEmitter::AddConstantPools() {
  for (size_t i = 0; i < pools_.size(); ++i) {
    const PoolParam& pool = pools_[i];
    if (pool.is_internal && pool.is_constant && pool.header.empty()) AddConstantPool(i);
  }
}

std::set<std::string> InterfaceEmitter::PoolHeaders() const {
  std::set<std::string> headers;
  for (const PoolParam& pool : pools_) {
    if (!pool.header.empty()) headers.insert(pool.header);
  }
  return headers;
}

std::string InterfaceEmitter::Pools() {
  std::string out;
  for (const PoolParam& pool : pools_) {
    if (!pool.is_internal || pool.is_constant) continue;
    out += fmt::format("/* Scratch memory of {} bytes: pool `{}`. */\n", pool.bytes, pool.field);
    out += fmt::format("static tenon_uint8 {}[{}] TENON_SECTION(\"{}\") TENON_ALIGNED({});\n\n",
                       pool.object, std::max<int64_t>(pool.bytes, 1), pool.section, pool.alignment);
  }
  return out;
}

namespace {

/// Comments on libraries and on external functions.
std::string LinkComments(const RuntimeNeeds& needs, std::string note) {
  std::string out;
  if (!needs.math.empty()) {
    out += fmt::format(
        "/* Link with -lm. Functions of the C library that the code may call:\n * {}. */\n\n",
        fmt::join(needs.math, ", "));
  }
  if (!note.empty()) {
    // Keeps the name of a library from ending the comment.
    for (size_t at = 0; (at = note.find("*/", at)) != std::string::npos;) note.insert(at + 1, " ");
    out += fmt::format("/* External functions: {}. */\n\n", note);
  }
  return out;
}

/// The bytes of a constant pool as lines of a macro.
std::string PoolData(const PoolArg& arg) {
  // An initializer list has at least one element.
  std::vector<uint8_t> bytes(static_cast<size_t>(std::max<int64_t>(arg.size_bytes, 1)));
  for (const PooledConstant& constant : arg.pool.constants) {
    if (constant.data == nullptr || !constant.data->has_bytes()) continue;
    const std::span<const uint8_t> data = *constant.data->Bytes();
    if (constant.byte_offset < 0 ||
        constant.byte_offset + static_cast<int64_t>(data.size()) > arg.size_bytes)
      continue;
    std::copy(data.begin(), data.end(), bytes.begin() + constant.byte_offset);
  }
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % 16 == 0) out += " \\\n   ";
    out += fmt::format(" 0x{:02x},", bytes[i]);
  }
  return out;
}

}  // namespace

std::string InterfaceEmitter::ConstantsInterface() const {
  int64_t alignment = 1;
  for (const Blob& blob : state_.blobs) alignment = std::max(alignment, blob.alignment);
  return fmt::format(
      "/* The address of the constants must be a multiple of this. */\n"
      "#define {1}_CONSTANTS_FILE_ALIGNMENT {2}\n"
      "/* Hands over the constants: the bytes of {0}_constants.safetensors. They must not move or\n"
      " * change while the model is in use. The function checks size, alignment and hashes, once. "
      "It\n"
      " * returns 0, or a negative number of tenon_constants.h, and then the model does not run. "
      "Call\n"
      " * it before the first run, from one thread. */\n"
      "int32_t {0}_set_constants(const void* bytes, size_t size);\n"
      "/* The same for a file, which {0}_constants_host.c maps on hosts. Without a call, the first "
      "run\n"
      " * opens {0}_constants.safetensors. */\n"
      "int32_t {0}_open_constants(const char* path);\n\n",
      state_.prefix, MacroName(state_.prefix), alignment);
}

std::string InterfaceEmitter::PoolMacros() const {
  const std::string macro = MacroName(state_.prefix);
  int64_t workspace = 0;
  int64_t constants = 0;
  for (const PoolParam& pool : pools_) {
    // A pool that is defined elsewhere does not belong to this model alone.
    if (pool.header.empty()) (pool.is_constant ? constants : workspace) += pool.bytes;
  }
  for (const ConstantBlock& block : state_.constants.blocks()) constants += block.size_bytes();
  for (const Loaded& loaded : loaded_) {
    if (loaded.blob >= 0) constants += state_.blobs[static_cast<size_t>(loaded.blob)].size_bytes;
  }
  std::string out = fmt::format(
      "/* Bytes of scratch memory and of constants of the code that belongs to this header. They\n"
      " * depend on the options. */\n"
      "#define {0}_WORKSPACE_SIZE {1}\n"
      "#define {0}_CONSTANTS_SIZE {2}\n",
      macro, workspace, constants);
  for (size_t i = 0; i < pools_.size(); ++i) {
    const PoolParam& pool = pools_[i];
    if (pool.is_internal) continue;
    const std::string name = PoolMacro(pool);
    out += fmt::format("#define {}_SIZE {}\n", name, pool.bytes);
    out += fmt::format("#define {}_ALIGNMENT {}\n", name, pool.alignment);
    const int64_t beside = signature_.pools[i].pool.base_address % pool.alignment;
    if (beside > 0)
      out +=
          fmt::format("/* Its address must be {} plus a multiple of this alignment. */\n", beside);
    if (pool.is_constant)
      out += fmt::format("#define {}_DATA{}\n", name, PoolData(signature_.pools[i]));
  }
  return out;
}

/// `int8[1, 49, 10, 1]`, or `one int32_t` for a number.
std::string InterfaceEmitter::TypeText(const Tensor& tensor) {
  if (!tensor.scalar.empty()) return fmt::format("one {}", tensor.scalar);
  if (!tensor.has_shape) return "of no constant shape";
  return fmt::format("{}[{}]", tensor.dtype.element().ToString(), fmt::join(tensor.shape, ", "));
}

/// `<PREFIX>_X_SIZE` and `<PREFIX>_X_ALIGNMENT`; of a quantised tensor also `<PREFIX>_X_SCALE` and
/// `<PREFIX>_X_ZERO_POINT`.
std::string InterfaceEmitter::TensorMacros(const Tensor& tensor) const {
  constexpr std::string_view kSize = "_SIZE";
  const size_t at = tensor.macro.rfind(kSize);
  TENON_CHECK(at != std::string::npos);
  const auto named = [&](std::string_view what) {
    return std::string(tensor.macro).replace(at, kSize.size(), what);
  };
  const std::string size =
      fmt::format("#define {} {}\n#define {} {}\n", tensor.macro, tensor.size_bytes,
                  named("_ALIGNMENT"), tensor.dtype.element_bytes());
  const std::optional<TensorScale> scale = ReadTensorScale(*entry_.func, tensor.name);
  if (!scale) return size;
  return size + fmt::format(
                    "/* Its integers stand for the numbers _SCALE * (integer - _ZERO_POINT). */\n"
                    "#define {} {}\n#define {} {}\n",
                    named("_SCALE"), FloatLiteral(double{scale->scale}, DataType::Float(32)),
                    named("_ZERO_POINT"),
                    scale->zero_point < 0 ? fmt::format("({})", scale->zero_point)
                                          : std::to_string(scale->zero_point));
}

std::string InterfaceEmitter::Header() {
  const std::string macro = MacroName(state_.prefix);
  const bool has_file = result_.constant_storage == ConstantStorage::kFile;
  std::string out = fmt::format(
      "#ifndef {0}_H_\n#define {0}_H_\n\n{1}#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      macro, has_file ? "#include <stddef.h>\n" : "");
  out += LinkComments(result_.needs, state_.options.link_note);
  const std::vector<std::string_view> states = DeclaredStates(*entry_.func);
  for (const bool output : {false, true}) {
    for (const Tensor& tensor : tensors_) {
      if (tensor.is_output != output) continue;
      out += fmt::format("/* Bytes of {} `{}`, {}. */\n", output ? "output" : "input", tensor.field,
                         TypeText(tensor));
      out += TensorMacros(tensor);
      if (std::find(states.begin(), states.end(), tensor.name) == states.end()) continue;
      out +=
          "/* The model keeps its state there from run to run: pass zeros before the first run, "
          "and the\n"
          " * same memory for each run. */\n";
    }
  }
  const auto structure = [&](std::string_view what, const auto& fields) {
    if (fields.empty()) return;
    out += fmt::format("\nstruct {}_{} {{\n", state_.prefix, what);
    for (const auto& field : fields) out += fmt::format("  void* {};\n", field.name);
    out += "};\n";
  };
  structure(entry_struct::kInputs, result_.abi.inputs);
  structure(entry_struct::kOutputs, result_.abi.outputs);
  structure(entry_struct::kPools, result_.abi.pools);
  for (const bool outputs : {false, true}) {
    if (!result_.abi.MapsAny(outputs)) continue;
    out += fmt::format(
        "\n/* Returns the addresses of the {} in the workspace{}; {} */\n"
        "{};\n",
        entry_struct::OfTensors(outputs),
        result_.abi.MapsAll(outputs) ? "" : " (NULL: in memory of the caller)",
        outputs ? "valid until the next run, or until others use the workspace."
                : "fill them before each run.",
        EntryDeclaration(result_.abi,
                         outputs ? entry_function::kMapOutputs : entry_function::kMapInputs));
  }
  out += fmt::format(
      "{}\n/* Runs the model once. Returns 0, or a negative number when it failed. */\n"
      "{};\n\n",
      InitHeader(), EntryDeclaration(result_.abi, entry_function::kRun));
  if (has_file) out += ConstantsInterface();
  out += PoolMacros();
  out += fmt::format("\n#ifdef __cplusplus\n}}  /* extern \"C\" */\n#endif\n\n#endif /* {}_H_ */\n",
                     macro);
  return out;
}

}  // namespace tenon::c_lowering
