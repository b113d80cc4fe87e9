// The header of a model, which people read: structs of tensors and pools, macros of sizes, and
// comments with types.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "ir/attributes.h"
#include "ir/tensor_scales.h"
#include "lowering/entry/c_names.h"
#include "lowering/entry/c_text.h"
#include "lowering/entry/model_interface.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Comments on libraries and on external functions.
std::string LinkComments(const std::vector<std::string>& math, std::string note) {
  std::string out;
  if (!math.empty()) {
    out += fmt::format(
        "/* Link with -lm. Functions of the C library that the code may call:\n * {}. */\n\n",
        fmt::join(math, ", "));
  }
  if (!note.empty()) {
    // Keeps the name of a library from ending the comment.
    for (size_t at = 0; (at = note.find("*/", at)) != std::string::npos;) note.insert(at + 1, " ");
    out += fmt::format("/* External functions: {}. */\n\n", note);
  }
  return out;
}

/// Whether the table of status codes has a code.
constexpr bool IsStatus(int32_t code) {
#define TENON_STATUS(value, name, from, meaning) \
  if (code == (value)) return true;
#include "lowering/entry/status_codes.def"
  return false;
}
static_assert(IsStatus(kStatusNotLoaded) && IsStatus(kStatusDamagedConstant));

/// The words of `text` in lines of a comment.
std::string CommentLines(std::string_view text) {
  constexpr size_t kColumns = 98;
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > kColumns) {
      out += "\n *";
      column = 2;
    }
    out += column > 0 ? " " : "";
    out += text.substr(0, end);
    column += 1 + end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The macro by which a program knows the model in its image.
std::string HashMacro(const Provenance& provenance, std::string_view macro) {
  if (provenance.model.hash.empty()) return {};
  return fmt::format(
      "/* XXH3 of the model's file, and of the files with its data. */\n"
      "#define {}_MODEL_HASH \"{}\"\n\n",
      macro, provenance.model.hash);
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

/// `struct <prefix>_<name>* <name>`
std::string StructParam(const EntryAbi& abi, std::string_view name) {
  return fmt::format("struct {0}_{1}* {1}", abi.prefix, name);
}

}  // namespace

std::string ProvenanceComment(const Provenance& provenance) {
  constexpr size_t kMost = 4000;
  if (provenance.program.empty()) return "/* Made by Tenon. */\n";
  std::string text = fmt::format("/* Made by {}", CommentText(provenance.program, kMost));
  if (!provenance.model.file.empty())
    text += fmt::format(" from {}", CommentText(provenance.model.file, kMost));
  if (!provenance.model.hash.empty()) text += fmt::format(", {}", provenance.model.hash);
  text += provenance.options.empty()
              ? ", with the default options"
              : fmt::format(", with {}", CommentText(provenance.options, kMost));
  return CommentLines(text + ". */") + "\n";
}

std::string_view MappedStruct(std::string_view role) {
  return role == entry_function::kMapInputs    ? entry_struct::kInputs
         : role == entry_function::kMapOutputs ? entry_struct::kOutputs
                                               : "";
}

std::string EntryDeclaration(const EntryAbi& abi, std::string_view role) {
  std::vector<std::string> params;
  std::string_view mapped = MappedStruct(role);
  const bool feeds = role == entry_function::kFeedRows;
  if (feeds) params = {"const void* rows", "int32_t count"};
  if (role == entry_function::kRun || feeds) {
    for (const bool is_output : {false, true}) {
      if (!abi.MapsAll(is_output) && (is_output || !feeds))
        params.push_back(StructParam(abi, entry_struct::OfTensors(is_output)));
    }
  }
  if (!abi.pools.empty() && role != entry_function::kBeginRows)
    params.push_back(StructParam(abi, entry_struct::kPools));
  const std::string result =
      mapped.empty() ? "int32_t" : fmt::format("struct {}_{}", abi.prefix, mapped);
  return CSignature(fmt::format("{} {}_{}", result, abi.prefix, role), params);
}

/// The functions that hand over a file of constants.
std::string ModelInterface::FileText(int64_t alignment, bool replaceable) const {
  const std::string replaced = fmt::format(
      "/* Between two runs, the constants may be replaced by those of a later training, which\n"
      " * `tenon compile --update-of={}_update.json` makes. */\n",
      prefix_);
  return (replaceable ? replaced : "") +
         fmt::format(
             "/* The address of the constants must be a multiple of this. */\n"
             "#define {1}_CONSTANTS_FILE_ALIGNMENT {2}\n"
             "/* Hands over the constants: the bytes of {0}_constants.safetensors. They must not "
             "move or\n"
             " * change while the model is in use. The function checks size, alignment and hashes, "
             "once. "
             "It\n"
             " * returns 0, or a negative number of tenon_constants.h, and then the model does not "
             "run. "
             "Call\n"
             " * it before the first run, from one thread. */\n"
             "int32_t {0}_set_constants(const void* bytes, size_t size);\n"
             "/* The same for a file, which {0}_constants_host.c maps on hosts. Without a call, "
             "the first "
             "run\n"
             " * opens {0}_constants.safetensors. */\n"
             "int32_t {0}_open_constants(const char* path);\n\n",
             prefix_, MacroName(prefix_), alignment);
}

/// The function that returns scales.
std::string ModelInterface::QuantizationText() const {
  if (Scales().empty()) return {};
  return fmt::format(
      "/* The scale and the zero point of a tensor, whose number is a macro _QUANTIZATION: its\n"
      " * integers stand for the numbers scale * (integer - zero_point). They are in the file of\n"
      " * constants, and change with it. A tensor without a scale has the scale 0. Returns 0, or "
      "a\n"
      " * negative number of tenon_constants.h, and then sets nothing. */\n"
      "int32_t {}_quantization(uint32_t tensor, float* scale, int32_t* zero_point);\n\n",
      prefix_);
}

std::vector<InterfaceScale> ModelInterface::Scales() const {
  std::vector<InterfaceScale> scales;
  if (!options_.dynamic_scales) return scales;
  for (const InterfaceTensor& tensor : tensors_) {
    const std::optional<TensorScale> scale = ReadTensorScale(*entry_.func, tensor.name);
    scales.push_back({tensor.name, scale ? scale->scale : 0, scale ? scale->zero_point : 0});
  }
  return scales;
}

std::string ModelInterface::PoolMacros(int64_t constant_bytes) const {
  int64_t workspace = 0;
  int64_t constants = constant_bytes;
  for (const InterfacePool& pool : pools_) {
    // A pool that is defined elsewhere does not belong to this model alone.
    if (pool.header.empty()) (pool.is_constant ? constants : workspace) += pool.bytes;
  }
  std::string out = fmt::format(
      "/* Bytes of scratch memory and of constants of the code that belongs to this header. They\n"
      " * depend on the options. */\n"
      "#define {0}_WORKSPACE_SIZE {1}\n"
      "#define {0}_CONSTANTS_SIZE {2}\n",
      MacroName(prefix_), workspace, constants);
  for (size_t i = 0; i < pools_.size(); ++i) {
    const InterfacePool& pool = pools_[i];
    if (pool.is_internal) continue;
    const std::string name = PoolMacro(pool);
    out += fmt::format("#define {}_SIZE {}\n", name, pool.bytes);
    out += fmt::format("#define {}_ALIGNMENT {}\n", name, pool.alignment);
    const int64_t beside = signature().pools[i].pool.base_address % pool.alignment;
    if (beside > 0)
      out +=
          fmt::format("/* Its address must be {} plus a multiple of this alignment. */\n", beside);
    if (pool.is_constant)
      out += fmt::format("#define {}_DATA{}\n", name, PoolData(signature().pools[i]));
  }
  return out;
}

/// `int8[1, 49, 10, 1]`, or `one int32_t` for a number.
std::string ModelInterface::TypeText(const InterfaceTensor& tensor) {
  if (!tensor.scalar.empty()) return fmt::format("one {}", tensor.scalar);
  if (!tensor.has_shape) return "of no constant shape";
  return fmt::format("{}[{}]", tensor.dtype.element().ToString(), fmt::join(tensor.shape, ", "));
}

/// The macro of a tensor that ends with `what` in place of `_SIZE`.
std::string ModelInterface::MacroOf(const InterfaceTensor& tensor, std::string_view what) {
  constexpr std::string_view kSize = "_SIZE";
  const size_t at = tensor.macro.rfind(kSize);
  TENON_CHECK(at != std::string::npos);
  return std::string(tensor.macro).replace(at, kSize.size(), what);
}

/// `<PREFIX>_X_SIZE` and `<PREFIX>_X_ALIGNMENT`; of a quantised tensor also `<PREFIX>_X_SCALE` and
/// `<PREFIX>_X_ZERO_POINT`.
std::string ModelInterface::TensorMacros(const InterfaceTensor& tensor) const {
  const auto named = [&](std::string_view what) { return MacroOf(tensor, what); };
  const std::string size =
      fmt::format("#define {} {}\n#define {} {}\n", tensor.macro, tensor.size_bytes,
                  named("_ALIGNMENT"), tensor.dtype.element_bytes());
  const std::optional<TensorScale> scale = ReadTensorScale(*entry_.func, tensor.name);
  if (!scale) return size;
  if (options_.dynamic_scales) {
    return size + fmt::format("#define {} {}\n", named("_QUANTIZATION"), &tensor - tensors_.data());
  }
  return size + fmt::format(
                    "/* A real number is _SCALE * (integer - _ZERO_POINT). */\n"
                    "#define {} {}\n#define {} {}\n",
                    named("_SCALE"), FloatLiteral(double{scale->scale}, DataType::Float(32)),
                    named("_ZERO_POINT"),
                    scale->zero_point < 0 ? fmt::format("({})", scale->zero_point)
                                          : std::to_string(scale->zero_point));
}

/// Sizes and types of the inputs, then of the outputs.
std::string ModelInterface::TensorsText() const {
  const std::vector<std::string_view> states = DeclaredStates(*entry_.func);
  std::string out;
  for (const bool output : {false, true}) {
    for (const InterfaceTensor& tensor : tensors_) {
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
  return out;
}

std::string ModelInterface::StructsText() const {
  std::string out;
  const auto structure = [&](std::string_view what, const auto& fields) {
    if (fields.empty()) return;
    out += fmt::format("\nstruct {}_{} {{\n", prefix_, what);
    for (const auto& field : fields) out += fmt::format("  void* {};\n", field.name);
    out += "};\n";
  };
  structure(entry_struct::kInputs, abi_.inputs);
  structure(entry_struct::kOutputs, abi_.outputs);
  structure(entry_struct::kPools, abi_.pools);
  return out;
}

/// The functions that return the addresses of tensors in the workspace.
std::string ModelInterface::MapsText() const {
  std::string out;
  for (const bool outputs : {false, true}) {
    if (!abi_.MapsAny(outputs)) continue;
    out += fmt::format(
        "\n/* Returns the addresses of the {} in the workspace{}; {} */\n"
        "{};\n",
        entry_struct::OfTensors(outputs),
        abi_.MapsAll(outputs) ? "" : " (NULL: in memory of the caller)",
        outputs ? "valid until the next run, or until others use the workspace."
                : "fill them before each run.",
        EntryDeclaration(abi_, outputs ? entry_function::kMapOutputs : entry_function::kMapInputs));
  }
  return out;
}

/// The function that loads constants or initialises external functions.
std::string ModelInterface::InitText() const {
  if (model_.loads.empty()) {
    if (model_.inits.empty()) return {};
    return fmt::format(
               "\n/* Initialises external functions once, in the first thread that calls it. "
               "Without "
               "a\n"
               " * call, the first run does it. Returns 0, or the status of a function that "
               "failed. "
               "*/\n"
               "{};\n",
               EntryDeclaration(abi_, entry_function::kInit)) +
           FiniText();
  }
  const std::string macro = MacroName(prefix_);
  int64_t bytes = 0;
  int64_t stored = 0;
  for (const PlacedLoad& load : model_.loads) {
    bytes += load.constant.size_bytes;
    stored += load.constant.stored->size_bytes();
  }
  return fmt::format(
             "\n/* Brings {} bytes of constants into RAM, from {} stored bytes. {}\n"
             " * Call it again if the memory was lost. Returns 0, or an error below. */\n"
             "{};\n"
             "/* The run function was called before {}_init. */\n"
             "#define {}_ERROR_NOT_LOADED ({})\n"
             "/* The stored bytes of a constant cannot be decompressed. */\n"
             "#define {}_ERROR_DAMAGED_CONSTANT ({})\n",
             bytes, stored,
             abi_.needs_init ? "Call it before the first run."
                             : "The first run does it, unless the program did.",
             EntryDeclaration(abi_, entry_function::kInit), prefix_, macro, kStatusNotLoaded, macro,
             kStatusDamagedConstant) +
         FiniText();
}

/// The function that ends external functions.
std::string ModelInterface::FiniText() const {
  if (!model_.HasFini()) return {};
  return fmt::format(
      "\n/* Frees what external functions have outside of the model's memory. No thread may run "
      "the\n"
      " * model meanwhile; the next run initialises them again. Returns 0, or the status of a\n"
      " * function that failed. */\n"
      "{};\n",
      EntryDeclaration(abi_, entry_function::kFini));
}

/// The functions that take rows of the input.
std::string ModelInterface::FeedText() const {
  if (!model_.feed) return {};
  const auto input = std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& tensor) {
    return !tensor.is_output && static_cast<int64_t>(tensor.param) == model_.feed->param;
  });
  TENON_CHECK(input != tensors_.end());
  const std::string rows = MacroOf(*input, "_ROWS");
  const std::string bytes = MacroOf(*input, "_ROW_SIZE");
  return fmt::format(
      "\n/* Takes the next `count` rows of `{0}`: {1} rows of {2} bytes in total, the first one "
      "first,\n"
      " * in one call or in several. The rows are needed only until the function returns. Each "
      "call\n"
      " * needs the same outputs{3}, and nothing else may use the workspace between the calls. "
      "Returns\n"
      " * the number of rows that are still to come. When this is 0, the outputs are complete, and "
      "the\n"
      " * next row is the first one again. Returns a negative number when it failed: after the "
      "error\n"
      " * below the rows before are still valid, and otherwise the next row is the first one. */\n"
      "{4};\n"
      "#define {5} {1}\n"
      "#define {6} {2}\n"
      "/* `count` is negative, or more than the rows that are still to come. No row was taken. */\n"
      "#define {7}_ERROR_TOO_MANY_ROWS ({8})\n"
      "/* Forgets the rows that were taken: the next row is the first one. Returns 0. */\n"
      "{9};\n",
      input->field, model_.feed->rows, model_.feed->row_bytes,
      abi_.pools.empty() ? "" : " and pools", EntryDeclaration(abi_, entry_function::kFeedRows),
      rows, bytes, MacroName(prefix_), kStatusTooManyRows,
      EntryDeclaration(abi_, entry_function::kBeginRows));
}

std::string ModelInterface::Header(const HeaderFacts& facts) const {
  const std::string macro = MacroName(prefix_);
  std::string out = fmt::format(
      "#ifndef {0}_H_\n#define {0}_H_\n\n{1}\n{2}#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      macro, ProvenanceComment(options_.provenance),
      facts.file_alignment ? "#include <stddef.h>\n" : "");
  // The hash would change the code with each training.
  if (!facts.replaceable) out += HashMacro(options_.provenance, macro);
  out += LinkComments(facts.math, options_.link_note);
  out += TensorsText() + StructsText() + MapsText();
  out += fmt::format(
      "{}\n/* Runs the model once. Returns 0, or another number when it failed. */\n"
      "{};\n\n",
      InitText(), EntryDeclaration(abi_, entry_function::kRun));
  if (model_.feed) out.insert(out.size() - 1, FeedText());
  if (facts.file_alignment)
    out += FileText(*facts.file_alignment, facts.replaceable) + QuantizationText();
  out += PoolMacros(facts.constant_bytes);
  out += fmt::format("\n#ifdef __cplusplus\n}}  /* extern \"C\" */\n#endif\n\n#endif /* {}_H_ */\n",
                     macro);
  return out;
}

}  // namespace tenon
