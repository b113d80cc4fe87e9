/* The functions of NVIDIA's libraries that tenon_cuda.c calls: the driver, cuBLASLt and NVRTC. They
 * are opened when a program needs them, so no header of CUDA is needed. Only tenon_cuda.c includes
 * this.
 */
#ifndef TENON_RUNTIME_TENON_CUDA_LIBRARIES_H_
#define TENON_RUNTIME_TENON_CUDA_LIBRARIES_H_

#include <stddef.h>

/* The driver (cuda.h). */
typedef int cu_result;
typedef unsigned long long cu_memory;
typedef struct cu_context_s* cu_context;
typedef struct cu_stream_s* cu_stream;
typedef struct cu_module_s* cu_module;
typedef struct cu_function_s* cu_function;
typedef struct cu_graph_s* cu_graph;
typedef struct cu_graph_exec_s* cu_graph_exec;
typedef struct cu_event_s* cu_event;
typedef struct cu_attribute {
  int id;
  int pad;
  union {
    char pad[64];
    int value;
  } value;
} cu_attribute;
typedef struct cu_launch_config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  cu_stream stream;
  cu_attribute* attributes;
  unsigned attribute_count;
} cu_launch_config;
enum {
  CU_MAJOR = 75,
  CU_MINOR = 76,
  CU_NON_BLOCKING = 1,
  CU_CAPTURE_THREAD = 1,
  CU_DEPENDENT_LAUNCH = 6
};

/* Name in this file, symbol, result, parameters. */
#define DRIVER(F)                                                                     \
  F(init, cuInit, (unsigned))                                                         \
  F(device_count, cuDeviceGetCount, (int*))                                           \
  F(device_get, cuDeviceGet, (int*, int))                                             \
  F(device_attribute, cuDeviceGetAttribute, (int*, int, int))                         \
  F(error_name, cuGetErrorName, (cu_result, const char**))                            \
  F(context_retain, cuDevicePrimaryCtxRetain, (cu_context*, int))                     \
  F(context_release, cuDevicePrimaryCtxRelease_v2, (int))                             \
  F(context_push, cuCtxPushCurrent_v2, (cu_context))                                  \
  F(context_pop, cuCtxPopCurrent_v2, (cu_context*))                                   \
  F(memory_allocate, cuMemAlloc_v2, (cu_memory*, size_t))                             \
  F(memory_free, cuMemFree_v2, (cu_memory))                                           \
  F(copy_in, cuMemcpyHtoDAsync_v2, (cu_memory, const void*, size_t, cu_stream))       \
  F(copy_out, cuMemcpyDtoHAsync_v2, (void*, cu_memory, size_t, cu_stream))            \
  F(stream_create, cuStreamCreate, (cu_stream*, unsigned))                            \
  F(stream_destroy, cuStreamDestroy_v2, (cu_stream))                                  \
  F(stream_wait, cuStreamSynchronize, (cu_stream))                                    \
  F(capture_begin, cuStreamBeginCapture_v2, (cu_stream, int))                         \
  F(capture_end, cuStreamEndCapture, (cu_stream, cu_graph*))                          \
  F(graph_instantiate, cuGraphInstantiateWithFlags,                                   \
    (cu_graph_exec*, cu_graph, unsigned long long))                                   \
  F(graph_upload, cuGraphUpload, (cu_graph_exec, cu_stream))                          \
  F(graph_launch, cuGraphLaunch, (cu_graph_exec, cu_stream))                          \
  F(graph_exec_destroy, cuGraphExecDestroy, (cu_graph_exec))                          \
  F(graph_destroy, cuGraphDestroy, (cu_graph))                                        \
  F(module_load, cuModuleLoadData, (cu_module*, const void*))                         \
  F(module_unload, cuModuleUnload, (cu_module))                                       \
  F(module_function, cuModuleGetFunction, (cu_function*, cu_module, const char*))     \
  F(launch, cuLaunchKernelEx, (const cu_launch_config*, cu_function, void**, void**)) \
  F(event_create, cuEventCreate, (cu_event*, unsigned))                               \
  F(event_destroy, cuEventDestroy_v2, (cu_event))                                     \
  F(event_record, cuEventRecord, (cu_event, cu_stream))                               \
  F(event_milliseconds, cuEventElapsedTime, (float*, cu_event, cu_event))

/* cuBLASLt (cublasLt.h), of CUDA 12 and 13. */
typedef struct lt_handle_s* lt_handle;
typedef struct lt_desc_s* lt_desc;
typedef struct lt_layout_s* lt_layout;
typedef struct lt_preference_s* lt_preference;
typedef struct lt_algorithm {
  uint64_t data[8];
} lt_algorithm;
typedef struct lt_heuristic {
  lt_algorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
} lt_heuristic;
enum {
  LT_COMPUTE_F32 = 68,
  LT_COMPUTE_I32 = 72,
  LT_TRANS_A = 3,
  LT_TRANS_B = 4,
  LT_EPILOGUE = 7,
  LT_BIAS_POINTER = 8,
  LT_LEAST_ALIGNMENT = 5, /* of the first matrix; those of the others follow */
  LT_BATCH_COUNT = 5,
  LT_BATCH_STEP = 6,
  LT_OP_N = 0,
  LT_OP_T = 1,
  LT_EPILOGUE_DEFAULT = 1,
  LT_EPILOGUE_RELU = 2,
  LT_EPILOGUE_BIAS = 4,
  LT_EPILOGUE_GELU = 32
};
#define CUBLASLT(F)                                                                                \
  F(create, cublasLtCreate, (lt_handle*))                                                          \
  F(destroy, cublasLtDestroy, (lt_handle))                                                         \
  F(desc_create, cublasLtMatmulDescCreate, (lt_desc*, int, int))                                   \
  F(desc_destroy, cublasLtMatmulDescDestroy, (lt_desc))                                            \
  F(desc_set, cublasLtMatmulDescSetAttribute, (lt_desc, int, const void*, size_t))                 \
  F(layout_create, cublasLtMatrixLayoutCreate, (lt_layout*, int, uint64_t, uint64_t, int64_t))     \
  F(layout_destroy, cublasLtMatrixLayoutDestroy, (lt_layout))                                      \
  F(layout_set, cublasLtMatrixLayoutSetAttribute, (lt_layout, int, const void*, size_t))           \
  F(preference_create, cublasLtMatmulPreferenceCreate, (lt_preference*))                           \
  F(preference_destroy, cublasLtMatmulPreferenceDestroy, (lt_preference))                          \
  F(preference_set, cublasLtMatmulPreferenceSetAttribute,                                          \
    (lt_preference, int, const void*, size_t))                                                     \
  F(heuristic, cublasLtMatmulAlgoGetHeuristic,                                                     \
    (lt_handle, lt_desc, lt_layout, lt_layout, lt_layout, lt_layout, lt_preference, int,           \
     lt_heuristic*, int*))                                                                         \
  F(multiply, cublasLtMatmul,                                                                      \
    (lt_handle, lt_desc, const void*, const void*, lt_layout, const void*, lt_layout, const void*, \
     const void*, lt_layout, void*, lt_layout, const lt_algorithm*, void*, size_t, cu_stream))

/* NVRTC, for programs whose kernels are source. */
typedef struct rtc_program_s* rtc_program;
#define NVRTC(F)                                                                           \
  F(create, nvrtcCreateProgram,                                                            \
    (rtc_program*, const char*, const char*, int, const char* const*, const char* const*)) \
  F(destroy, nvrtcDestroyProgram, (rtc_program*))                                          \
  F(compile, nvrtcCompileProgram, (rtc_program, int, const char* const*))                  \
  F(cubin_size, nvrtcGetCUBINSize, (rtc_program, size_t*))                                 \
  F(cubin, nvrtcGetCUBIN, (rtc_program, char*))

#define MEMBER(name, symbol, params) int(*name) params;
#define SYMBOL(name, symbol, params) {#symbol, offsetof(LIBRARY, name)},
#define COUNT(...) (int)(sizeof(__VA_ARGS__) / sizeof((__VA_ARGS__)[0]))

typedef struct driver_functions {
  DRIVER(MEMBER)
} driver_functions;
typedef struct cublaslt_functions {
  CUBLASLT(MEMBER)
} cublaslt_functions;
typedef struct nvrtc_functions {
  NVRTC(MEMBER)
} nvrtc_functions;
typedef struct symbol_row {
  const char* name;
  size_t offset;
} symbol_row;
#define LIBRARY driver_functions
static const symbol_row kDriverSymbols[] = {DRIVER(SYMBOL)};
#undef LIBRARY
#define LIBRARY cublaslt_functions
static const symbol_row kCublasltSymbols[] = {CUBLASLT(SYMBOL)};
#undef LIBRARY
#define LIBRARY nvrtc_functions
static const symbol_row kNvrtcSymbols[] = {NVRTC(SYMBOL)};
#undef LIBRARY

#endif /* TENON_RUNTIME_TENON_CUDA_LIBRARIES_H_ */
