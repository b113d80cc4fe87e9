#include "frontends/tflite/options.h"

#include <fmt/format.h>

namespace tenon::tflite {

namespace {

using enum OptionType;

/// The schema's numbers of types.
constexpr int8_t kInt32Type = 2;
constexpr int8_t kInt64Type = 4;

constexpr OptionField kConv2d[] = {{0, kPadding, "padding"},   {1, kInt, "stride_w"},
                                   {2, kInt, "stride_h"},      {3, kActivation, "activation"},
                                   {4, kInt, "dilation_w", 1}, {5, kInt, "dilation_h", 1},
                                   {6, kSumType, "sums"}};
constexpr OptionField kDepthwise[] = {{0, kPadding, "padding"},   {1, kInt, "stride_w"},
                                      {2, kInt, "stride_h"},      {4, kActivation, "activation"},
                                      {5, kInt, "dilation_w", 1}, {6, kInt, "dilation_h", 1}};
constexpr OptionField kPool[] = {{0, kPadding, "padding"}, {1, kInt, "stride_w"},
                                 {2, kInt, "stride_h"},    {3, kInt, "filter_w"},
                                 {4, kInt, "filter_h"},    {5, kActivation, "activation"}};
constexpr OptionField kFullyConnected[] = {{0, kActivation, "activation"},
                                           {1, kByte, "weights_format"},
                                           {2, kBool, "keep_num_dims"},
                                           {3, kBool, "asymmetric_quantize_inputs"},
                                           {4, kSumType, "sums"}};
constexpr OptionField kSoftmax[] = {{0, kFloat, "beta"}};
constexpr OptionField kSum[] = {{0, kActivation, "activation"}, {1, kBool, "pot_scale_int16", 1}};
constexpr OptionField kActivated[] = {{0, kActivation, "activation"}};
constexpr OptionField kConcatenation[] = {{0, kInt, "axis"}, {1, kActivation, "activation"}};
constexpr OptionField kStridedSlice[] = {{0, kInt, "begin_mask"},       {1, kInt, "end_mask"},
                                         {2, kInt, "ellipsis_mask"},    {3, kInt, "new_axis_mask"},
                                         {4, kInt, "shrink_axis_mask"}, {5, kBool, "offset"}};
constexpr OptionField kTransposeConv[] = {{0, kPadding, "padding"},
                                          {1, kInt, "stride_w"},
                                          {2, kInt, "stride_h"},
                                          {3, kActivation, "activation"},
                                          {4, kSumType, "sums"}};
constexpr OptionField kReshape[] = {{0, kInts, "new_shape"}};
constexpr OptionField kSqueeze[] = {{0, kInts, "axes"}};
constexpr OptionField kIndices[] = {{0, kIndexType, "output_type"}};
constexpr OptionField kReducer[] = {{0, kBool, "keep_dims"}};
constexpr OptionField kPack[] = {{1, kInt, "axis"}};
constexpr OptionField kLeakyRelu[] = {{0, kFloat, "alpha"}};
constexpr OptionField kLstm[] = {{0, kActivation, "activation"},
                                 {1, kFloat, "cell_clip"},
                                 {2, kFloat, "proj_clip"},
                                 {3, kByte, "kernel_type"},
                                 {4, kBool, "asymmetric_quantize_inputs"}};
constexpr OptionField kSequenceLstm[] = {{0, kActivation, "activation"},
                                         {1, kFloat, "cell_clip"},
                                         {2, kFloat, "proj_clip"},
                                         {3, kBool, "time_major"},
                                         {4, kBool, "asymmetric_quantize_inputs"},
                                         {5, kBool, "diagonal_recurrent"}};
constexpr OptionField kRnn[] = {{0, kActivation, "activation"},
                                {1, kBool, "asymmetric_quantize_inputs"}};
constexpr OptionField kSequenceRnn[] = {{0, kBool, "time_major"},
                                        {1, kActivation, "activation"},
                                        {2, kBool, "asymmetric_quantize_inputs"}};
constexpr OptionField kSvdf[] = {
    {0, kInt, "rank"}, {1, kActivation, "activation"}, {2, kBool, "asymmetric_quantize_inputs"}};
constexpr OptionField kResizeNearest[] = {{0, kBool, "align_corners"},
                                          {1, kBool, "half_pixel_centers"}};

constexpr OptionField kResizeBilinear[] = {{2, kBool, "align_corners"},
                                           {3, kBool, "half_pixel_centers"}};
constexpr OptionField kBlock[] = {{0, kInt, "block_size"}};
constexpr OptionField kGather[] = {{0, kInt, "axis"}, {1, kInt, "batch_dims"}};
constexpr OptionField kOneHot[] = {{0, kInt, "axis"}};
constexpr OptionField kMirrorPad[] = {{0, kByte, "mode"}};
constexpr OptionField kBatchMatmul[] = {
    {0, kBool, "adj_x"}, {1, kBool, "adj_y"}, {2, kBool, "asymmetric_quantize_inputs"}};
constexpr OptionField kCumsum[] = {{0, kBool, "exclusive"}, {1, kBool, "reverse"}};
constexpr OptionField kGelu[] = {{0, kBool, "approximate"}};
constexpr OptionField kIf[] = {{0, kSubgraph, "then"}, {1, kSubgraph, "else"}};
constexpr OptionField kWhile[] = {{0, kSubgraph, "condition"}, {1, kSubgraph, "body"}};
constexpr OptionField kCallOnce[] = {{0, kSubgraph, "graph"}};
constexpr OptionField kComposite[] = {{1, kSubgraph, "graph"}};
constexpr OptionField kVarHandle[] = {{0, kText, "container"}, {1, kText, "shared_name"}};

constexpr OperatorRow kRows[] = {
    {0, "add", kSum, 11},
    {1, "average_pool_2d", kPool, 5},
    {2, "concatenation", kConcatenation, 10},
    {3, "conv_2d", kConv2d, 1},
    {4, "depthwise_conv_2d", kDepthwise, 2},
    {5, "depth_to_space", kBlock, 94},
    {6, "dequantize", {}},
    {7, "embedding_lookup", {}},
    {8, "floor", {}},
    {9, "fully_connected", kFullyConnected, 8},
    {11, "l2_normalization", kActivated, 12},
    {14, "logistic", {}},
    {16, "lstm", kLstm, 14},
    {17, "max_pool_2d", kPool, 5},
    {18, "mul", kActivated, 21},
    {19, "relu", {}, 0, "relu"},
    {20, "relu", {}, 0, "relu_n1_to_1"},
    {21, "relu", {}, 0, "relu6"},
    {22, "reshape", kReshape, 17},
    {23, "resize_bilinear", kResizeBilinear, 15},
    {24, "rnn", kRnn, 7},
    {25, "softmax", kSoftmax, 9},
    {26, "space_to_depth", kBlock, 19},
    {27, "svdf", kSvdf, 6},
    {28, "tanh", {}},
    {34, "pad", {}},
    {35, "rnn", kSequenceRnn, 31},
    {36, "gather", kGather, 23},
    {37, "batch_to_space_nd", {}},
    {38, "space_to_batch_nd", {}},
    {39, "transpose", {}},
    {40, "mean", kReducer, 27},
    {41, "sub", kSum, 28},
    {42, "div", kActivated, 29},
    {43, "squeeze", kSqueeze, 30},
    {44, "unidirectional_sequence_lstm", kSequenceLstm, 71},
    {45, "strided_slice", kStridedSlice, 32},
    {47, "exp", {}},
    {48, "topk_v2", {}},
    {49, "split", {}},
    {50, "log_softmax", {}},
    {53, "cast", {}},
    {54, "prelu", {}},
    {55, "maximum", {}},
    {56, "arg_max", kIndices, 40},
    {57, "minimum", {}},
    {58, "less", {}},
    {59, "neg", {}},
    {60, "pad", {}},
    {61, "greater", {}},
    {62, "greater_equal", {}},
    {63, "less_equal", {}},
    {64, "select", {}},
    {65, "slice", {}},
    {66, "sin", {}},
    {67, "transpose_conv", kTransposeConv, 49},
    {69, "tile", {}},
    {70, "expand_dims", {}},
    {71, "equal", {}},
    {72, "not_equal", {}},
    {73, "log", {}},
    {74, "sum", kReducer, 27},
    {75, "sqrt", {}},
    {76, "rsqrt", {}},
    {77, "shape", kIndices, 55},
    {78, "pow", {}},
    {79, "arg_min", kIndices, 57},
    {81, "reduce_prod", kReducer, 27},
    {82, "reduce_max", kReducer, 27},
    {83, "pack", kPack, 59},
    {84, "logical_or", {}},
    {85, "one_hot", kOneHot, 61},
    {86, "logical_and", {}},
    {87, "logical_not", {}},
    {88, "unpack", kPack, 64},
    {89, "reduce_min", kReducer, 27},
    {90, "floor_div", {}},
    {91, "reduce_any", kReducer, 27},
    {92, "square", {}},
    {93, "zeros_like", {}},
    {94, "fill", {}},
    {95, "floor_mod", {}},
    {97, "resize_nearest_neighbor", kResizeNearest, 74},
    {98, "leaky_relu", kLeakyRelu, 75},
    {99, "squared_difference", {}},
    {100, "mirror_pad", kMirrorPad, 77},
    {101, "abs", {}},
    {102, "split", {}},
    {104, "ceil", {}},
    {105, "reverse_v2", {}},
    {106, "add_n", {}},
    {107, "gather_nd", {}},
    {108, "cos", {}},
    {110, "rank", {}},
    {111, "elu", {}},
    {114, "quantize", {}},
    {116, "round", {}},
    {117, "hard_swish", {}},
    {118, "if", kIf, 92},
    {119, "while", kWhile, 93},
    {123, "select_v2", {}},
    {126, "batch_matmul", kBatchMatmul, 101},
    {128, "cumsum", kCumsum, 102},
    {129, "call_once", kCallOnce, 103},
    {130, "broadcast_to", {}},
    {140, "reduce_all", kReducer, 27},
    {142, "var_handle", kVarHandle, 111},
    {143, "read_variable", {}},
    {144, "assign_variable", {}},
    {150, "gelu", kGelu, 116},
    {152, "relu", {}, 0, "relu_0_to_1"},
    {158, "sign", {}},
    {206, "composite", kComposite, 21, {}, true},
};

/// By their codes.
constexpr std::string_view kOperatorNames[] = {"ADD",
                                               "AVERAGE_POOL_2D",
                                               "CONCATENATION",
                                               "CONV_2D",
                                               "DEPTHWISE_CONV_2D",
                                               "DEPTH_TO_SPACE",
                                               "DEQUANTIZE",
                                               "EMBEDDING_LOOKUP",
                                               "FLOOR",
                                               "FULLY_CONNECTED",
                                               "HASHTABLE_LOOKUP",
                                               "L2_NORMALIZATION",
                                               "L2_POOL_2D",
                                               "LOCAL_RESPONSE_NORMALIZATION",
                                               "LOGISTIC",
                                               "LSH_PROJECTION",
                                               "LSTM",
                                               "MAX_POOL_2D",
                                               "MUL",
                                               "RELU",
                                               "RELU_N1_TO_1",
                                               "RELU6",
                                               "RESHAPE",
                                               "RESIZE_BILINEAR",
                                               "RNN",
                                               "SOFTMAX",
                                               "SPACE_TO_DEPTH",
                                               "SVDF",
                                               "TANH",
                                               "CONCAT_EMBEDDINGS",
                                               "SKIP_GRAM",
                                               "CALL",
                                               "CUSTOM",
                                               "EMBEDDING_LOOKUP_SPARSE",
                                               "PAD",
                                               "UNIDIRECTIONAL_SEQUENCE_RNN",
                                               "GATHER",
                                               "BATCH_TO_SPACE_ND",
                                               "SPACE_TO_BATCH_ND",
                                               "TRANSPOSE",
                                               "MEAN",
                                               "SUB",
                                               "DIV",
                                               "SQUEEZE",
                                               "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                               "STRIDED_SLICE",
                                               "BIDIRECTIONAL_SEQUENCE_RNN",
                                               "EXP",
                                               "TOPK_V2",
                                               "SPLIT",
                                               "LOG_SOFTMAX",
                                               "DELEGATE",
                                               "BIDIRECTIONAL_SEQUENCE_LSTM",
                                               "CAST",
                                               "PRELU",
                                               "MAXIMUM",
                                               "ARG_MAX",
                                               "MINIMUM",
                                               "LESS",
                                               "NEG",
                                               "PADV2",
                                               "GREATER",
                                               "GREATER_EQUAL",
                                               "LESS_EQUAL",
                                               "SELECT",
                                               "SLICE",
                                               "SIN",
                                               "TRANSPOSE_CONV",
                                               "SPARSE_TO_DENSE",
                                               "TILE",
                                               "EXPAND_DIMS",
                                               "EQUAL",
                                               "NOT_EQUAL",
                                               "LOG",
                                               "SUM",
                                               "SQRT",
                                               "RSQRT",
                                               "SHAPE",
                                               "POW",
                                               "ARG_MIN",
                                               "FAKE_QUANT",
                                               "REDUCE_PROD",
                                               "REDUCE_MAX",
                                               "PACK",
                                               "LOGICAL_OR",
                                               "ONE_HOT",
                                               "LOGICAL_AND",
                                               "LOGICAL_NOT",
                                               "UNPACK",
                                               "REDUCE_MIN",
                                               "FLOOR_DIV",
                                               "REDUCE_ANY",
                                               "SQUARE",
                                               "ZEROS_LIKE",
                                               "FILL",
                                               "FLOOR_MOD",
                                               "RANGE",
                                               "RESIZE_NEAREST_NEIGHBOR",
                                               "LEAKY_RELU",
                                               "SQUARED_DIFFERENCE",
                                               "MIRROR_PAD",
                                               "ABS",
                                               "SPLIT_V",
                                               "UNIQUE",
                                               "CEIL",
                                               "REVERSE_V2",
                                               "ADD_N",
                                               "GATHER_ND",
                                               "COS",
                                               "WHERE",
                                               "RANK",
                                               "ELU",
                                               "REVERSE_SEQUENCE",
                                               "MATRIX_DIAG",
                                               "QUANTIZE",
                                               "MATRIX_SET_DIAG",
                                               "ROUND",
                                               "HARD_SWISH",
                                               "IF",
                                               "WHILE",
                                               "NON_MAX_SUPPRESSION_V4",
                                               "NON_MAX_SUPPRESSION_V5",
                                               "SCATTER_ND",
                                               "SELECT_V2",
                                               "DENSIFY",
                                               "SEGMENT_SUM",
                                               "BATCH_MATMUL",
                                               "PLACEHOLDER_FOR_GREATER_OP_CODES",
                                               "CUMSUM",
                                               "CALL_ONCE",
                                               "BROADCAST_TO",
                                               "RFFT2D",
                                               "CONV_3D",
                                               "IMAG",
                                               "REAL",
                                               "COMPLEX_ABS",
                                               "HASHTABLE",
                                               "HASHTABLE_FIND",
                                               "HASHTABLE_IMPORT",
                                               "HASHTABLE_SIZE",
                                               "REDUCE_ALL",
                                               "CONV_3D_TRANSPOSE",
                                               "VAR_HANDLE",
                                               "READ_VARIABLE",
                                               "ASSIGN_VARIABLE",
                                               "BROADCAST_ARGS",
                                               "RANDOM_STANDARD_NORMAL",
                                               "BUCKETIZE",
                                               "RANDOM_UNIFORM",
                                               "MULTINOMIAL",
                                               "GELU",
                                               "DYNAMIC_UPDATE_SLICE",
                                               "RELU_0_TO_1",
                                               "UNSORTED_SEGMENT_PROD",
                                               "UNSORTED_SEGMENT_MAX",
                                               "UNSORTED_SEGMENT_SUM",
                                               "ATAN2",
                                               "UNSORTED_SEGMENT_MIN",
                                               "SIGN",
                                               "BITCAST",
                                               "BITWISE_XOR",
                                               "RIGHT_SHIFT",
                                               "STABLEHLO_LOGISTIC",
                                               "STABLEHLO_ADD",
                                               "STABLEHLO_DIVIDE",
                                               "STABLEHLO_MULTIPLY",
                                               "STABLEHLO_MAXIMUM",
                                               "STABLEHLO_RESHAPE",
                                               "STABLEHLO_CLAMP",
                                               "STABLEHLO_CONCATENATE",
                                               "STABLEHLO_BROADCAST_IN_DIM",
                                               "STABLEHLO_CONVOLUTION",
                                               "STABLEHLO_SLICE",
                                               "STABLEHLO_CUSTOM_CALL",
                                               "STABLEHLO_REDUCE",
                                               "STABLEHLO_ABS",
                                               "STABLEHLO_AND",
                                               "STABLEHLO_COSINE",
                                               "STABLEHLO_EXPONENTIAL",
                                               "STABLEHLO_FLOOR",
                                               "STABLEHLO_LOG",
                                               "STABLEHLO_MINIMUM",
                                               "STABLEHLO_NEGATE",
                                               "STABLEHLO_OR",
                                               "STABLEHLO_POWER",
                                               "STABLEHLO_REMAINDER",
                                               "STABLEHLO_RSQRT",
                                               "STABLEHLO_SELECT",
                                               "STABLEHLO_SUBTRACT",
                                               "STABLEHLO_TANH",
                                               "STABLEHLO_SCATTER",
                                               "STABLEHLO_COMPARE",
                                               "STABLEHLO_CONVERT",
                                               "STABLEHLO_DYNAMIC_SLICE",
                                               "STABLEHLO_DYNAMIC_UPDATE_SLICE",
                                               "STABLEHLO_PAD",
                                               "STABLEHLO_IOTA",
                                               "STABLEHLO_DOT_GENERAL",
                                               "STABLEHLO_REDUCE_WINDOW",
                                               "STABLEHLO_SORT",
                                               "STABLEHLO_WHILE",
                                               "STABLEHLO_GATHER",
                                               "STABLEHLO_TRANSPOSE",
                                               "DILATE",
                                               "STABLEHLO_RNG_BIT_GENERATOR",
                                               "REDUCE_WINDOW",
                                               "STABLEHLO_COMPOSITE",
                                               "STABLEHLO_SHIFT_LEFT",
                                               "STABLEHLO_CBRT",
                                               "STABLEHLO_CASE"};

/// By their numbers.
constexpr std::string_view kTypeNames[] = {
    "FLOAT32",  "FLOAT16",  "INT32",     "UINT8",         "INT64",      "STRING",
    "BOOL",     "INT16",    "COMPLEX64", "INT8",          "FLOAT64",    "COMPLEX128",
    "UINT64",   "RESOURCE", "VARIANT",   "UINT32",        "UINT16",     "INT4",
    "BFLOAT16", "INT2",     "UINT4",     "FLOAT8_E4M3FN", "FLOAT8_E5M2"};

std::string ActivationName(int8_t code) {
  constexpr std::string_view kNames[] = {"none",  "relu", "relu_n1_to_1",
                                         "relu6", "tanh", "sign_bit"};
  if (code >= 0 && static_cast<size_t>(code) < std::size(kNames))
    return std::string(kNames[static_cast<size_t>(code)]);
  return fmt::format("activation {}", code);
}

std::string PaddingName(int8_t code) {
  constexpr std::string_view kNames[] = {"same", "valid"};
  if (code == 0 || code == 1) return std::string(kNames[code]);
  return fmt::format("padding {}", code);
}

/// The name of the type of indices: int32 or int64.
std::string IndexTypeName(int8_t code) {
  if (code == kInt32Type) return "int32";
  if (code == kInt64Type) return "int64";
  return fmt::format("type {}", code);
}

}  // namespace

std::span<const OperatorRow> AllOperators() { return kRows; }

const OperatorRow* FindOperator(int32_t code) {
  for (const OperatorRow& row : kRows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

std::string OperatorName(int32_t code) {
  if (code >= 0 && static_cast<size_t>(code) < std::size(kOperatorNames))
    return std::string(kOperatorNames[static_cast<size_t>(code)]);
  return fmt::format("operator {}", code);
}

std::string TypeName(int8_t type) {
  if (type >= 0 && static_cast<size_t>(type) < std::size(kTypeNames))
    return std::string(kTypeNames[static_cast<size_t>(type)]);
  return fmt::format("type {}", type);
}

graph::Attributes ReadOperatorOptions(const OperatorRow& row, const FlatTable& table) {
  graph::Attributes attributes;
  if (!row.activation.empty()) attributes.Set("activation", std::string(row.activation));
  for (const OptionField& field : row.options) {
    const auto otherwise = static_cast<int32_t>(field.otherwise);
    switch (field.type) {
      case kText:
        attributes.Set(field.name, std::string(table.Bytes(field.number, field.name)));
        break;
      case kInt:
      case kSubgraph:
        attributes.Set(field.name, int64_t{table.Scalar(field.number, field.name, otherwise)});
        break;
      case kBool:
        attributes.Set(field.name, int64_t{table.Scalar(field.number, field.name, otherwise != 0)});
        break;
      case kByte:
        attributes.Set(field.name, int64_t{table.Scalar<int8_t>(field.number, field.name,
                                                                static_cast<int8_t>(otherwise))});
        break;
      case kFloat:
        attributes.Set(field.name, double{table.Scalar(field.number, field.name,
                                                       static_cast<float>(field.otherwise))});
        break;
      case kPadding:
        attributes.Set(field.name, PaddingName(table.Scalar<int8_t>(field.number, field.name, 0)));
        break;
      case kInts:
        if (table.Has(field.number)) {
          const std::vector<int32_t> list = table.Scalars<int32_t>(field.number, field.name);
          attributes.Set(field.name, std::vector<int64_t>(list.begin(), list.end()));
        }
        break;
      case kIndexType:
        if (table.Has(field.number)) {
          attributes.Set(field.name,
                         IndexTypeName(table.Scalar<int8_t>(field.number, field.name, 0)));
        }
        break;
      case kSumType:
        // The type of biases, which is also the type of sums of int16 without a bias.
        if (table.Scalar<int8_t>(field.number, field.name, 0) == kInt32Type)
          attributes.Set(field.name, "int32");
        break;
      case kActivation:
        attributes.Set(field.name,
                       ActivationName(table.Scalar<int8_t>(field.number, field.name, 0)));
        break;
    }
  }
  return attributes;
}

}  // namespace tenon::tflite
