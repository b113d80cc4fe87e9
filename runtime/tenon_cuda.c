/* Runs programs of the code generator `cuda`. Nothing is linked: the driver, cuBLASLt and NVRTC are
 * opened when a program needs them, and tenon_cuda_libraries.h declares the few functions that are
 * used.
 *
 * C99 with dlopen and POSIX threads.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "tenon_cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tenon_cuda_libraries.h"

/* A program on the device. */
typedef struct instance {
  struct instance* next;
  const tenon_cuda_program* program;
  int is_ready;
  int failed; /* the first error of a run; all later runs return it */
  cu_stream stream;
  cu_memory memory[3]; /* by the memory of a place */
  cu_module module;
  cu_graph_exec graph;
  cu_event events[2];
  tenon_cuda_facts facts;
} instance;

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
/* Shared by all programs of this library, under the lock. */
static struct {
  void* driver_library;
  void* cublaslt_library;
  driver_functions driver;
  cublaslt_functions cublaslt;
  int device;
  int capability;
  cu_context context;
  lt_handle handle;
  instance* instances;
  /* A thread that opens the device for the first run, and what it opened. The others read `early`
   * after they have joined it. */
  int is_opening;
  pthread_t opener;
  struct {
    cu_context context;
    lt_handle handle;
    double seconds;
    cu_result result;
  } early;
  char message[512];
} g;

const char* tenon_external_message(void);
const char* tenon_external_message(void) { return g.message; }

static int Fail(int result, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(g.message, sizeof(g.message), format, args);
  va_end(args);
  return result;
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Opens the first library of a list of names, which ends with 0, and finds its functions. */
static void* OpenLibrary(const char* const* names, const symbol_row* rows, int count, void* table) {
  void* library = 0;
  for (; library == 0 && *names != 0; ++names) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  if (library == 0) return 0;
  for (int i = 0; i < count; ++i) {
    void* address = dlsym(library, rows[i].name);
    if (address == 0) {
      Fail(0, "the library has no function `%s`", rows[i].name);
      dlclose(library);
      return 0;
    }
    memcpy((char*)table + rows[i].offset, &address, sizeof(address));
  }
  return library;
}

/* Fails with the driver's name of an error. */
static int DriverError(cu_result result, const char* what) {
  const char* name = 0;
  if (g.driver.error_name(result, &name) != 0 || name == 0) name = "an unknown error";
  return Fail(result, "%s: the driver of CUDA returns %s (%d)", what, name, result);
}
#define TRY(call, what)                                          \
  do {                                                           \
    const int try_result = (call);                               \
    if (try_result != 0) return DriverError(try_result, (what)); \
  } while (0)
#define TRY_LT(call, what)                                                              \
  do {                                                                                  \
    const int try_result = (call);                                                      \
    if (try_result != 0) return Fail(1, "%s: cuBLASLt returns %d", (what), try_result); \
  } while (0)

static int OpenDriver(void) {
  static const char* const kNames[] = {"libcuda.so.1", 0};
  if (g.driver_library != 0) return 0;
  g.message[0] = 0;
  g.driver_library = OpenLibrary(kNames, kDriverSymbols, COUNT(kDriverSymbols), &g.driver);
  if (g.driver_library != 0) return 0;
  if (g.message[0] == 0)
    return Fail(1,
                "there is no driver of CUDA: libcuda.so.1, which comes with NVIDIA's driver, "
                "cannot be opened");
  return Fail(1, "the driver of CUDA is too old: libcuda.so.1 lacks a function of CUDA 12");
}

static int OpenCublaslt(void) {
  static const char* const kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                       "/usr/local/cuda/lib64/libcublasLt.so.13",
                                       "/usr/local/cuda/lib64/libcublasLt.so.12", 0};
  if (g.cublaslt_library != 0) return 0;
  g.cublaslt_library = OpenLibrary(kNames, kCublasltSymbols, COUNT(kCublasltSymbols), &g.cublaslt);
  if (g.cublaslt_library != 0) return 0;
  return Fail(1,
              "products of matrices need cuBLASLt: neither libcublasLt.so.13 nor "
              "libcublasLt.so.12 can be opened");
}

static int FindDevice(const tenon_cuda_program* program) {
  int count = 0;
  int major = 0;
  int minor = 0;
  if (OpenDriver() != 0) return 1;
  TRY(g.driver.init(0), "starting the driver");
  TRY(g.driver.device_count(&count), "counting GPUs");
  if (count == 0) return Fail(1, "there is no GPU: the driver of CUDA has 0 devices");
  TRY(g.driver.device_get(&g.device, 0), "finding the GPU");
  TRY(g.driver.device_attribute(&major, CU_MAJOR, g.device), "asking the GPU");
  TRY(g.driver.device_attribute(&minor, CU_MINOR, g.device), "asking the GPU");
  g.capability = 10 * major + minor;
  if (g.capability < program->least_capability)
    return Fail(1, "the GPU has the compute capability %d.%d; the program needs %d.%d or more",
                major, minor, program->least_capability / 10, program->least_capability % 10);
  if (program->product_count > 0 && OpenCublaslt() != 0) return 1;
  return 0;
}

/* Opens the context, and starts cuBLASLt if `with_products` is not null. That takes more than 0.1
 * s, which the caller of init can use to read and check constants. */
static void* OpenEarly(void* with_products) {
  const double start = Now();
  cu_context opened = 0;
  g.early.result = g.driver.context_retain(&opened, g.device);
  if (g.early.result != 0) return 0;
  g.early.result = g.driver.context_push(opened);
  if (g.early.result != 0) {
    g.driver.context_release(g.device);
    return 0;
  }
  if (with_products != 0 && g.cublaslt.create(&g.early.handle) != 0) g.early.handle = 0;
  g.driver.context_pop(&opened);
  g.early.context = opened;
  g.early.seconds = Now() - start;
  return 0;
}

static void StartOpening(const tenon_cuda_program* program) {
  if (g.is_opening || g.context != 0) return;
  memset(&g.early, 0, sizeof(g.early));
  g.is_opening = pthread_create(&g.opener, 0, OpenEarly,
                                program->product_count > 0 ? (void*)&g.early : 0) == 0;
}

/* Waits for the thread, and takes what it opened. */
static int FinishOpening(void) {
  if (!g.is_opening) return 0;
  pthread_join(g.opener, 0);
  g.is_opening = 0;
  g.context = g.early.context;
  g.handle = g.early.handle;
  TRY(g.early.result, "opening the GPU");
  return 0;
}

/* The instance of a state. */
static instance* InstanceOf(void* state) {
  instance* found;
  memcpy(&found, state, sizeof(found));
  return found;
}

int32_t tenon_cuda_init(const tenon_cuda_program* program, void* state, int64_t bytes) {
  instance* made;
  int result;
  if (bytes < (int64_t)sizeof(instance*)) return TENON_EXTERNAL_UNAVAILABLE;
  pthread_mutex_lock(&g_lock);
  result = FindDevice(program);
  made = result == 0 ? (instance*)calloc(1, sizeof(instance)) : 0;
  if (result == 0 && made == 0) result = Fail(1, "there is not enough memory");
  if (made != 0) {
    made->program = program;
    made->next = g.instances;
    g.instances = made;
    StartOpening(program);
  }
  memcpy(state, &made, sizeof(made));
  pthread_mutex_unlock(&g_lock);
  return result == 0 ? TENON_EXTERNAL_OK : TENON_EXTERNAL_UNAVAILABLE;
}

/* The payload: "TENONCU1", the number of images, then for each its kind, architecture, offset and
 * size. */
typedef struct image_row {
  uint64_t kind; /* 1: a cubin, 2: PTX, 3: source */
  uint64_t architecture;
  uint64_t offset;
  uint64_t bytes;
} image_row;

/* The best image for the GPU: a cubin of its major version, the newest PTX, or source. */
static int FindImage(const tenon_payload_call* call, image_row* best) {
  uint64_t count = 0;
  int score = -1;
  if (call->payload_bytes < 16 || memcmp(call->payload, "TENONCU1", 8) != 0)
    return Fail(1, "the payload of `%s` has no kernels", call->symbol);
  memcpy(&count, (const char*)call->payload + 8, 8);
  for (uint64_t i = 0; i < count; ++i) {
    image_row row;
    int value = -1;
    int architecture;
    memcpy(&row, (const char*)call->payload + 16 + i * sizeof(row), sizeof(row));
    architecture = (int)row.architecture;
    if (row.kind == 1 && architecture / 10 == g.capability / 10 && architecture <= g.capability)
      value = 2000 + architecture;
    if (row.kind == 2 && architecture <= g.capability) value = 1000 + architecture;
    if (row.kind == 3) value = 0;
    if (value <= score) continue;
    score = value;
    *best = row;
  }
  if (score >= 0) return 0;
  return Fail(1,
              "`%s` has no kernels for the compute capability %d.%d; compile it with "
              "TENON_CUDA_ARCH=%d",
              call->symbol, g.capability / 10, g.capability % 10, g.capability);
}

/* Compiles source to a cubin, which the caller frees. */
static char* CompileSource(const char* source) {
  static const char* const kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                       "/usr/local/cuda/lib64/libnvrtc.so.13",
                                       "/usr/local/cuda/lib64/libnvrtc.so.12", 0};
  nvrtc_functions nvrtc;
  rtc_program program = 0;
  char architecture[32];
  const char* options[3];
  size_t bytes = 0;
  char* cubin = 0;
  int result;
  if (OpenLibrary(kNames, kNvrtcSymbols, COUNT(kNvrtcSymbols), &nvrtc) == 0) {
    Fail(0,
         "the kernels are source, and there is no compiler for it: neither libnvrtc.so.13 nor "
         "libnvrtc.so.12 can be opened");
    return 0;
  }
  snprintf(architecture, sizeof(architecture), "-arch=sm_%d", g.capability);
  options[0] = architecture;
  options[1] = "-std=c++17";
  options[2] = "-fmad=false";
  result = nvrtc.create(&program, source, "kernels.cu", 0, 0, 0);
  if (result == 0) result = nvrtc.compile(program, 3, options);
  if (result == 0) result = nvrtc.cubin_size(program, &bytes);
  if (result == 0) cubin = (char*)malloc(bytes);
  if (cubin != 0) result = nvrtc.cubin(program, cubin);
  if (result != 0 || cubin == 0) Fail(0, "compiling the kernels: NVRTC returns %d", result);
  nvrtc.destroy(&program);
  if (result == 0) return cubin;
  free(cubin);
  return 0;
}

static int LoadModule(instance* it, const tenon_payload_call* call) {
  image_row image = {0, 0, 0, 0};
  const char* data;
  char* made = 0;
  int result;
  if (FindImage(call, &image) != 0) return 1;
  data = (const char*)call->payload + image.offset;
  if (image.kind == 3) {
    made = CompileSource(data);
    if (made == 0) return 1;
    data = made;
  }
  result = g.driver.module_load(&it->module, data);
  free(made);
  TRY(result, "loading kernels");
  return 0;
}

static cu_memory AddressOf(const instance* it, tenon_cuda_place place) {
  return place.memory == TENON_CUDA_NONE ? 0 : it->memory[place.memory] + (cu_memory)place.offset;
}

/* Copies weights from memory as it is. Registering the pages of a mapped file would make the copy
 * faster by less than 0.1 s for 600 MB, but may wait for ever where the system moves pages. */
static int Upload(instance* it, const tenon_payload_call* call) {
  const tenon_cuda_program* program = it->program;
  const double start = Now();
  int result = 0;
  for (int i = 0; result == 0 && i < program->weight_count; ++i) {
    const tenon_cuda_copy* copy = &program->weights[i];
    const char* from =
        copy->argument < 0 ? (const char*)call->payload : (const char*)call->args[copy->argument];
    result = g.driver.copy_in(it->memory[TENON_CUDA_WEIGHTS] + (cu_memory)copy->to,
                              from + copy->from, (size_t)copy->bytes, it->stream);
  }
  if (result == 0) result = g.driver.stream_wait(it->stream);
  it->facts.upload_seconds = Now() - start;
  TRY(result, "copying weights to the GPU");
  return 0;
}

static int LtType(int type) {
  static const int kTypes[] = {0, 2, 14, 3, 10};
  return kTypes[type];
}

/* The layout of a matrix as cuBLASLt sees it: by columns, so with rows and columns exchanged. */
static int MakeLayout(const tenon_cuda_matrix* matrix, int64_t rows, int64_t columns, int batches,
                      lt_layout* layout) {
  const int64_t width = matrix->is_transposed ? rows : columns;
  const int64_t height = matrix->is_transposed ? columns : rows;
  const int32_t count = batches;
  TRY_LT(g.cublaslt.layout_create(layout, LtType(matrix->type), (uint64_t)width, (uint64_t)height,
                                  matrix->leading),
         "describing a matrix");
  if (batches == 1) return 0;
  TRY_LT(g.cublaslt.layout_set(*layout, LT_BATCH_COUNT, &count, sizeof(count)),
         "describing a matrix");
  TRY_LT(g.cublaslt.layout_set(*layout, LT_BATCH_STEP, &matrix->batch_step,
                               sizeof(matrix->batch_step)),
         "describing a matrix");
  return 0;
}

static int SetEpilogue(const instance* it, const tenon_cuda_product* product, lt_desc desc) {
  const cu_memory bias = AddressOf(it, product->bias);
  int32_t epilogue = 0;
  if ((product->operations & TENON_CUDA_BIAS) != 0) epilogue |= LT_EPILOGUE_BIAS;
  if ((product->operations & TENON_CUDA_RELU) != 0) epilogue |= LT_EPILOGUE_RELU;
  if ((product->operations & TENON_CUDA_GELU_TANH) != 0) epilogue |= LT_EPILOGUE_GELU;
  if (epilogue == 0) epilogue = LT_EPILOGUE_DEFAULT;
  TRY_LT(g.cublaslt.desc_set(desc, LT_EPILOGUE, &epilogue, sizeof(epilogue)), "a product");
  if ((product->operations & TENON_CUDA_BIAS) == 0) return 0;
  TRY_LT(g.cublaslt.desc_set(desc, LT_BIAS_POINTER, &bias, sizeof(bias)), "a product");
  return 0;
}

/* A product while it is captured. */
typedef struct product_plan {
  lt_desc desc;
  lt_layout a, b, d;
} product_plan;

static int DescribeProduct(const instance* it, const tenon_cuda_product* product,
                           product_plan* plan) {
  const int is_integer = product->d.type == TENON_CUDA_I32;
  /* d' = b' a', where ' is the matrix by columns. */
  const int32_t first = product->b.is_transposed ? LT_OP_T : LT_OP_N;
  const int32_t second = product->a.is_transposed ? LT_OP_T : LT_OP_N;
  TRY_LT(g.cublaslt.desc_create(&plan->desc, is_integer ? LT_COMPUTE_I32 : LT_COMPUTE_F32,
                                is_integer ? 10 : 0),
         "describing a product");
  TRY_LT(g.cublaslt.desc_set(plan->desc, LT_TRANS_A, &first, sizeof(first)), "a product");
  TRY_LT(g.cublaslt.desc_set(plan->desc, LT_TRANS_B, &second, sizeof(second)), "a product");
  if (SetEpilogue(it, product, plan->desc) != 0) return 1;
  if (MakeLayout(&product->a, product->m, product->k, product->batches, &plan->a) != 0) return 1;
  if (MakeLayout(&product->b, product->k, product->n, product->batches, &plan->b) != 0) return 1;
  return MakeLayout(&product->d, product->m, product->n, product->batches, &plan->d);
}

/* Tells how well the addresses of matrices are aligned; otherwise kernels would expect 256 bytes.
 */
static int SetAlignments(lt_preference preference, const cu_memory addresses[4]) {
  for (int i = 0; i < 4; ++i) {
    const uint32_t lowest = (uint32_t)(addresses[i] & (0 - addresses[i]) & 0xff);
    const uint32_t alignment = lowest == 0 ? 256 : lowest;
    TRY_LT(g.cublaslt.preference_set(preference, LT_LEAST_ALIGNMENT + i, &alignment,
                                     sizeof(alignment)),
           "describing a product");
  }
  return 0;
}

static int EnqueueProduct(const instance* it, const tenon_cuda_product* product,
                          const product_plan* plan) {
  const int is_integer = product->d.type == TENON_CUDA_I32;
  const int has_other = product->other.memory != TENON_CUDA_NONE;
  const float factor = product->alpha;
  const float other_factor = has_other ? 1.0f : 0.0f;
  const int32_t integer_factor = 1;
  const int32_t integer_other = has_other;
  const cu_memory d = AddressOf(it, product->d.place);
  const cu_memory c = has_other ? AddressOf(it, product->other) : d;
  const cu_memory addresses[4] = {AddressOf(it, product->b.place), AddressOf(it, product->a.place),
                                  c, d};
  lt_preference preference = 0;
  lt_heuristic found;
  int count = 0;
  int result;
  TRY_LT(g.cublaslt.preference_create(&preference), "describing a product");
  memset(&found, 0, sizeof(found));
  result = SetAlignments(preference, addresses);
  if (result == 0)
    result = g.cublaslt.heuristic(g.handle, plan->desc, plan->b, plan->a, plan->d, plan->d,
                                  preference, 1, &found, &count);
  g.cublaslt.preference_destroy(preference);
  if (result != 0 || count == 0)
    return Fail(1, "cuBLASLt cannot compute a product of %lld x %lld x %lld (%d)",
                (long long)product->m, (long long)product->n, (long long)product->k, result);
  TRY_LT(g.cublaslt.multiply(
             g.handle, plan->desc, is_integer ? (const void*)&integer_factor : (const void*)&factor,
             (const void*)(uintptr_t)addresses[0], plan->b, (const void*)(uintptr_t)addresses[1],
             plan->a, is_integer ? (const void*)&integer_other : (const void*)&other_factor,
             (const void*)(uintptr_t)c, plan->d, (void*)(uintptr_t)d, plan->d, &found.algorithm, 0,
             0, it->stream),
         "starting a product");
  return 0;
}

static int CaptureProduct(const instance* it, const tenon_cuda_product* product) {
  product_plan plan = {0, 0, 0, 0};
  int result = DescribeProduct(it, product, &plan);
  if (result == 0) result = EnqueueProduct(it, product, &plan);
  if (plan.d != 0) g.cublaslt.layout_destroy(plan.d);
  if (plan.b != 0) g.cublaslt.layout_destroy(plan.b);
  if (plan.a != 0) g.cublaslt.layout_destroy(plan.a);
  if (plan.desc != 0) g.cublaslt.desc_destroy(plan.desc);
  return result;
}

static int CaptureLaunch(const instance* it, const tenon_cuda_launch* launch) {
  cu_memory operands[TENON_CUDA_ARGS] = {0};
  void* params[1];
  cu_function function = 0;
  cu_launch_config config;
  cu_attribute attribute;
  memset(&config, 0, sizeof(config));
  memset(&attribute, 0, sizeof(attribute));
  for (int i = 0; i < launch->arg_count; ++i)
    operands[i] = AddressOf(it, it->program->args[launch->args + i]);
  params[0] = operands;
  TRY(g.driver.module_function(&function, it->module, launch->kernel), launch->kernel);
  config.grid[0] = (unsigned)launch->blocks;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.block[0] = (unsigned)launch->threads;
  config.stream = it->stream;
  /* Kernels begin with a wait for the one before them, so they may start early. */
  attribute.id = CU_DEPENDENT_LAUNCH;
  attribute.value.value = 1;
  config.attributes = &attribute;
  config.attribute_count = g.capability >= 90 ? 1 : 0;
  TRY(g.driver.launch(&config, function, params, 0), launch->kernel);
  return 0;
}

static int CaptureSteps(const instance* it) {
  const tenon_cuda_program* program = it->program;
  for (int i = 0; i < program->step_count; ++i) {
    const int step = program->steps[i];
    const int result = step >= 0 ? CaptureLaunch(it, &program->launches[step])
                                 : CaptureProduct(it, &program->products[-1 - step]);
    if (result != 0) return result;
  }
  return 0;
}

static int MakeGraph(instance* it) {
  cu_graph graph = 0;
  int result;
  int ended;
  TRY(g.driver.capture_begin(it->stream, CU_CAPTURE_THREAD), "capturing the graph");
  result = CaptureSteps(it);
  ended = g.driver.capture_end(it->stream, &graph);
  if (result == 0 && ended != 0) result = DriverError(ended, "capturing the graph");
  if (result == 0) {
    result = g.driver.graph_instantiate(&it->graph, graph, 0);
    if (result != 0) DriverError(result, "making the graph");
  }
  if (graph != 0) g.driver.graph_destroy(graph);
  if (result != 0) return result;
  TRY(g.driver.graph_upload(it->graph, it->stream), "uploading the graph");
  return 0;
}

static int Allocate(instance* it, int which, int64_t bytes) {
  int result;
  if (bytes == 0) return 0;
  result = g.driver.memory_allocate(&it->memory[which], (size_t)bytes);
  if (result != 0) {
    it->memory[which] = 0;
    DriverError(result, "allocating memory of the GPU");
    return Fail(result, "there are not %lld bytes of free memory on the GPU (%d)", (long long)bytes,
                result);
  }
  it->facts.device_bytes += bytes;
  return 0;
}

/* The context of the device, which other users of the driver in this process share. */
static int OpenContext(instance* it) {
  const int is_early = g.is_opening;
  const int result = FinishOpening();
  const double start = Now();
  if (result != 0) return result;
  if (is_early) it->facts.context_seconds += g.early.seconds;
  if (g.context == 0) TRY(g.driver.context_retain(&g.context, g.device), "opening the GPU");
  TRY(g.driver.context_push(g.context), "opening the GPU");
  if (g.handle == 0 && it->program->product_count > 0) {
    const int started = g.cublaslt.create(&g.handle);
    if (started != 0) {
      g.handle = 0;
      g.driver.context_pop(&g.context);
      return Fail(1, "starting cuBLASLt: it returns %d", started);
    }
  }
  it->facts.context_seconds += Now() - start;
  return 0;
}

static int Prepare(instance* it, const tenon_payload_call* call) {
  const tenon_cuda_program* program = it->program;
  double start = Now();
  TRY(g.driver.stream_create(&it->stream, CU_NON_BLOCKING), "making a stream");
  for (int i = 0; i < 2; ++i) TRY(g.driver.event_create(&it->events[i], 0), "making an event");
  if (Allocate(it, TENON_CUDA_PLAN, program->plan_bytes) != 0) return 1;
  if (Allocate(it, TENON_CUDA_WEIGHTS, program->weight_bytes) != 0) return 1;
  if (Upload(it, call) != 0) return 1;
  if (program->step_count > program->product_count && LoadModule(it, call) != 0) return 1;
  if (program->step_count > 0 && MakeGraph(it) != 0) return 1;
  TRY(g.driver.stream_wait(it->stream), "preparing the first run");
  it->facts.prepare_seconds = Now() - start - it->facts.upload_seconds;
  it->is_ready = 1;
  return 0;
}

/* Frees what an instance has on the device. Errors do not matter: after the end of the driver, all
 * is free. */
static void Discard(instance* it) {
  if (it->graph != 0) g.driver.graph_exec_destroy(it->graph);
  if (it->module != 0) g.driver.module_unload(it->module);
  for (int i = 0; i < 3; ++i) {
    if (it->memory[i] != 0) g.driver.memory_free(it->memory[i]);
    it->memory[i] = 0;
  }
  for (int i = 0; i < 2; ++i) {
    if (it->events[i] != 0) g.driver.event_destroy(it->events[i]);
    it->events[i] = 0;
  }
  if (it->stream != 0) g.driver.stream_destroy(it->stream);
  it->graph = 0;
  it->module = 0;
  it->stream = 0;
  it->is_ready = 0;
  memset(&it->facts, 0, sizeof(it->facts));
}

static int RunGraph(instance* it, const tenon_payload_call* call) {
  const tenon_cuda_program* program = it->program;
  for (int i = 0; i < program->input_count; ++i) {
    const tenon_cuda_copy* copy = &program->inputs[i];
    TRY(g.driver.copy_in(it->memory[TENON_CUDA_PLAN] + (cu_memory)copy->to,
                         (const char*)call->args[copy->argument] + copy->from, (size_t)copy->bytes,
                         it->stream),
        "copying an input");
  }
  TRY(g.driver.event_record(it->events[0], it->stream), "running");
  if (it->graph != 0) TRY(g.driver.graph_launch(it->graph, it->stream), "starting the graph");
  TRY(g.driver.event_record(it->events[1], it->stream), "running");
  for (int i = 0; i < program->output_count; ++i) {
    const tenon_cuda_copy* copy = &program->outputs[i];
    TRY(g.driver.copy_out((char*)call->args[copy->argument] + copy->from,
                          it->memory[TENON_CUDA_PLAN] + (cu_memory)copy->to, (size_t)copy->bytes,
                          it->stream),
        "copying an output");
  }
  TRY(g.driver.stream_wait(it->stream), "running");
  return 0;
}

static int RunLocked(instance* it, const tenon_payload_call* call) {
  float milliseconds = 0;
  int result = OpenContext(it);
  if (result != 0) return result;
  if (!it->is_ready) {
    result = Prepare(it, call);
    if (result != 0) Discard(it);
  }
  if (result == 0) {
    result = RunGraph(it, call);
    if (result != 0) it->failed = result;
  }
  if (result == 0 && g.driver.event_milliseconds(&milliseconds, it->events[0], it->events[1]) == 0)
    it->facts.graph_seconds = 1e-3 * (double)milliseconds;
  g.driver.context_pop(&g.context);
  return result;
}

int32_t tenon_cuda_run(const tenon_cuda_program* program, const tenon_payload_call* call) {
  instance* it = InstanceOf(call->state);
  int result;
  if (it == 0 || it->program != program) return TENON_EXTERNAL_UNAVAILABLE;
  pthread_mutex_lock(&g_lock);
  result = it->failed != 0 ? it->failed : RunLocked(it, call);
  pthread_mutex_unlock(&g_lock);
  return result;
}

static void ReleaseDevice(void) {
  FinishOpening();
  if (g.context == 0 || g.driver.context_push(g.context) != 0) return;
  for (instance* it = g.instances; it != 0; it = it->next) Discard(it);
  if (g.handle != 0) g.cublaslt.destroy(g.handle);
  g.handle = 0;
  g.driver.context_pop(&g.context);
  g.driver.context_release(g.device);
  g.context = 0;
}

int32_t tenon_cuda_fini(void* state, int64_t bytes) {
  instance* it = bytes < (int64_t)sizeof(instance*) ? 0 : InstanceOf(state);
  instance** place = &g.instances;
  pthread_mutex_lock(&g_lock);
  while (*place != 0 && *place != it) place = &(*place)->next;
  if (it != 0 && *place == it) {
    if (it->next == 0 && place == &g.instances) {
      ReleaseDevice();
    } else if (g.context != 0 && g.driver.context_push(g.context) == 0) {
      Discard(it);
      g.driver.context_pop(&g.context);
    }
    *place = it->next;
    free(it);
    memset(state, 0, sizeof(it));
  }
  pthread_mutex_unlock(&g_lock);
  return 0;
}

void tenon_cuda_release(void) {
  pthread_mutex_lock(&g_lock);
  ReleaseDevice();
  pthread_mutex_unlock(&g_lock);
}

__attribute__((destructor)) static void OnUnload(void) {
  ReleaseDevice();
  while (g.instances != 0) {
    instance* next = g.instances->next;
    free(g.instances);
    g.instances = next;
  }
}

int32_t tenon_cuda_get_facts(const char* symbol, tenon_cuda_facts* facts) {
  int found = 0;
  pthread_mutex_lock(&g_lock);
  for (instance* it = g.instances; it != 0 && !found; it = it->next) {
    if (strcmp(it->program->symbol, symbol) != 0 || !it->is_ready) continue;
    *facts = it->facts;
    found = 1;
  }
  pthread_mutex_unlock(&g_lock);
  return found;
}
