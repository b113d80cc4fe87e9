#include "compile/run/given_functions.h"

#include <dlfcn.h>

#include <string_view>

#include "compile/package/libraries.h"

namespace tenon {

void* FindGivenFunction(void* handle, const std::string& symbol) {
  void* const address = dlsym(handle, symbol.c_str());
  Dl_info found = {};
  Dl_info own = {};
  if (address == nullptr || dladdr(address, &found) == 0 || found.dli_fname == nullptr)
    return nullptr;
  if (dladdr(reinterpret_cast<const void*>(&FindGivenFunction), &own) != 0 &&
      own.dli_fbase == found.dli_fbase)
    return nullptr;
  const std::string_view path = found.dli_fname;
  return IsSystemLibrary(path.substr(path.rfind('/') + 1)) ? nullptr : address;
}

}  // namespace tenon
