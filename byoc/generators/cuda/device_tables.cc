// The tables of a program as C. They contain all decisions, which the run-time only executes.

#include <fmt/format.h>

#include "byoc/generators/cuda/device_function.h"
#include "lowering/entry/c_text.h"

namespace tenon {

namespace {

std::string PlaceText(const DevicePlace& place) {
  switch (place.memory) {
    case DevicePlace::Memory::kPlan:
      return fmt::format("{{TENON_CUDA_PLAN, INT64_C({})}}", place.offset);
    case DevicePlace::Memory::kWeights:
      return fmt::format("{{TENON_CUDA_WEIGHTS, INT64_C({})}}", place.offset);
    case DevicePlace::Memory::kNone:
      break;
  }
  return "{TENON_CUDA_NONE, 0}";
}

std::string_view TypeText(ProductType type) {
  static constexpr std::string_view kNames[] = {
      "TENON_CUDA_F32", "TENON_CUDA_F16", "TENON_CUDA_BF16", "TENON_CUDA_I8", "TENON_CUDA_I32"};
  return kNames[static_cast<size_t>(type)];
}

std::string MatrixText(const ProductMatrix& matrix, const DevicePlace& place) {
  return fmt::format("{{{}, {}, {}, {}, {}}}", PlaceText(place), matrix.leading, matrix.batch_step,
                     matrix.is_transposed ? 1 : 0, TypeText(matrix.type));
}

std::string ProductText(const DeviceProduct& product) {
  const ProductCall& call = product.call;
  return fmt::format("  {{{}, {}, {}, {}, {}, {},\n   {},\n   {},\n   {},\n   {}, {}}},\n", call.m,
                     call.n, call.k, call.batches, call.operations,
                     FloatLiteral(static_cast<double>(call.alpha), DataType::Float(32)),
                     MatrixText(call.a, product.a), MatrixText(call.b, product.b),
                     MatrixText(call.d, product.d), PlaceText(product.bias),
                     PlaceText(product.other));
}

/// A table, and its name for the program: 0 for an empty one.
class TableText {
 public:
  TableText(std::string& all, std::string_view symbol) : all_(all), symbol_(symbol) {}

  std::string Add(std::string_view type, std::string_view name, const std::string& rows) {
    if (rows.empty()) return "0";
    std::string full = fmt::format("{}_{}", symbol_, name);
    all_ += fmt::format("static const {} {}[] = {{\n{}}};\n", type, full, rows);
    return full;
  }

 private:
  std::string& all_;
  std::string symbol_;
};

std::string CopyRows(const std::vector<DeviceCopy>& copies, int64_t tables_offset) {
  std::string rows;
  for (const DeviceCopy& copy : copies)
    rows += fmt::format("  {{{}, INT64_C({}), INT64_C({}), INT64_C({})}},\n", copy.argument,
                        copy.from + (copy.argument < 0 ? tables_offset : 0), copy.to, copy.bytes);
  return rows;
}

std::string ProgramName(std::string_view symbol) { return fmt::format("{}_device", symbol); }

std::string ProgramText(const DeviceFunction& function, int64_t tables_offset,
                        int least_capability) {
  std::string text;
  TableText tables(text, function.symbol);
  std::string args;
  std::string launches;
  size_t count = 0;
  for (const DeviceLaunch& launch : function.launches) {
    launches += fmt::format("  {{\"{}\", {}, {}, {}, {}}},\n", launch.kernel, launch.blocks,
                            launch.threads, count, launch.args.size());
    count += launch.args.size();
    for (const DevicePlace& place : launch.args) args += fmt::format("  {},\n", PlaceText(place));
  }
  std::string products;
  for (const DeviceProduct& product : function.products) products += ProductText(product);
  std::string steps;
  for (size_t i = 0; i < function.steps.size(); ++i)
    steps += fmt::format("{}{},{}", i % 16 == 0 ? "  " : " ", function.steps[i],
                         i % 16 == 15 || i + 1 == function.steps.size() ? "\n" : "");
  const std::string step_name = tables.Add("int32_t", "steps", steps);
  const std::string launch_name = tables.Add("tenon_cuda_launch", "launches", launches);
  const std::string product_name = tables.Add("tenon_cuda_product", "products", products);
  const std::string arg_name = tables.Add("tenon_cuda_place", "args", args);
  const std::string weights =
      tables.Add("tenon_cuda_copy", "weights", CopyRows(function.weights, tables_offset));
  const std::string inputs = tables.Add("tenon_cuda_copy", "inputs", CopyRows(function.inputs, 0));
  const std::string outputs =
      tables.Add("tenon_cuda_copy", "outputs", CopyRows(function.outputs, 0));
  text += fmt::format(
      "static const tenon_cuda_program {} = {{\n"
      "  \"{}\",\n"
      "  {}, {},\n"
      "  {},\n"
      "  {}, {},\n"
      "  {},\n"
      "  {}, {},\n"
      "  {}, {},\n"
      "  {}, {},\n"
      "  INT64_C({}), INT64_C({}), {}}};\n\n",
      ProgramName(function.symbol), function.symbol, step_name, function.steps.size(), launch_name,
      product_name, function.products.size(), arg_name, weights, function.weights.size(), inputs,
      function.inputs.size(), outputs, function.outputs.size(), function.plan_bytes,
      function.weight_bytes, least_capability);
  return text;
}

}  // namespace

std::string DeviceInitName(std::string_view symbol) { return fmt::format("{}_init", symbol); }
std::string DeviceFiniName(std::string_view symbol) { return fmt::format("{}_fini", symbol); }

std::string DeviceTables(const std::vector<DeviceFunction>& functions, std::string_view run,
                         int64_t tables_offset, int least_capability) {
  std::string text =
      "/* Made by Tenon: programs for an NVIDIA GPU. tenon_cuda.h explains the tables. */\n\n"
      "#include <string.h>\n\n#include \"tenon_cuda.h\"\n\n";
  for (const DeviceFunction& function : functions)
    text += ProgramText(function, tables_offset, least_capability);
  std::string calls;
  for (const DeviceFunction& function : functions) {
    text += fmt::format(
        "int32_t {0}(void* state, int64_t bytes);\n"
        "int32_t {0}(void* state, int64_t bytes) {{\n"
        "  return tenon_cuda_init(&{1}, state, bytes);\n"
        "}}\n"
        "int32_t {2}(void* state, int64_t bytes);\n"
        "int32_t {2}(void* state, int64_t bytes) {{\n"
        "  return tenon_cuda_fini(state, bytes);\n"
        "}}\n\n",
        DeviceInitName(function.symbol), ProgramName(function.symbol),
        DeviceFiniName(function.symbol));
    calls +=
        fmt::format("  if (strcmp(call->symbol, \"{}\") == 0) return tenon_cuda_run(&{}, call);\n",
                    function.symbol, ProgramName(function.symbol));
  }
  return text + fmt::format(
                    "int32_t {0}(const tenon_payload_call* call);\n"
                    "int32_t {0}(const tenon_payload_call* call) {{\n"
                    "{1}"
                    "  return TENON_EXTERNAL_UNAVAILABLE;\n"
                    "}}\n",
                    run, calls);
}

}  // namespace tenon
