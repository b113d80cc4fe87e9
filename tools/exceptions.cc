#include "tools/exceptions.h"

#include <signal.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

namespace tenon {

bool WriteInHandler(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void WriteToStderr(std::string_view text) { WriteInHandler(STDERR_FILENO, text); }

namespace {

const char* program_name = "tenon";

// This file uses no memory, as none may be left.

[[noreturn]] void End(std::string_view message) {
  WriteToStderr(program_name);
  WriteToStderr(": error: ");
  WriteToStderr(message);
  WriteToStderr("\n");
  _exit(1);
}

void OnTerminate() {
  const std::exception_ptr exception = std::current_exception();
  if (exception == nullptr) End("the program ended without a reason");
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    End("out of memory");
  } catch (const std::length_error&) {
    End("out of memory");  // a container would be larger than the address space
  } catch (const std::exception& error) {
    End(error.what());
  } catch (...) {
    End("unknown exception");
  }
}

void OnBusError(int) {
  End("a mapped file became shorter, or cannot be read any more, while it was in use");
}

}  // namespace

void EndOnExceptions(const char* program) {
  program_name = program;
  std::set_terminate(OnTerminate);
  struct sigaction action = {};
  action.sa_handler = OnBusError;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace tenon
