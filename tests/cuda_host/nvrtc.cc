// A stand-in for NVRTC, libnvrtc.so.13: the C++ compiler of the host makes a shared object of
// kernels. TENON_CUDA_HOST_CXX is the compiler and its flags (c++ -O1); a sanitizer is one of them.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace {

constexpr int kSuccess = 0;
constexpr int kCompilation = 6;

struct Program {
  std::string source;
  std::string object;
  std::string log;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const Program& Of(void* program) { return *static_cast<const Program*>(program); }

int CopyText(const std::string& text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return kSuccess;
}

}  // namespace

extern "C" {

int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source, {}, {}};
  return kSuccess;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return kSuccess;
}
int nvrtcCompileProgram(void* handle, int, const char* const*) {
  auto* const program = static_cast<Program*>(handle);
  const char* compiler = std::getenv("TENON_CUDA_HOST_CXX");
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = std::string(temporary == nullptr ? "/tmp" : temporary) + "/nvrtc_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return kCompilation;
  const std::string source = folder + "/kernels.cc";
  const std::string object = folder + "/kernels.so";
  const std::string log = folder + "/log";
  std::ofstream(source) << program->source;
  const std::string command =
      std::string(compiler == nullptr ? "c++ -O1" : compiler) +
      " -std=c++17 -shared -fPIC -ffp-contract=off -Wall -Wextra -Werror -Wno-unused-function "
      "-Wno-unused-variable -o " +
      object + " " + source + " -lm > " + log + " 2>&1";
  const int result = std::system(command.c_str());
  program->log = ReadFile(log);
  program->object = ReadFile(object);
  for (const std::string& path : {source, object, log}) unlink(path.c_str());
  rmdir(folder.c_str());
  return result == 0 ? kSuccess : kCompilation;
}
int nvrtcGetProgramLogSize(void* program, size_t* size) {
  *size = Of(program).log.size();
  return kSuccess;
}
int nvrtcGetProgramLog(void* program, char* text) { return CopyText(Of(program).log, text); }
int nvrtcGetCUBINSize(void* program, size_t* size) {
  *size = Of(program).object.size();
  return kSuccess;
}
int nvrtcGetCUBIN(void* program, char* text) { return CopyText(Of(program).object, text); }
// The driver of the stand-in has no compiler for PTX.
int nvrtcGetPTXSize(void*, size_t* size) {
  *size = 0;
  return kSuccess;
}
int nvrtcGetPTX(void*, char*) { return kSuccess; }

}  // extern "C"
