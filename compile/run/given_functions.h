#ifndef TENON_COMPILE_RUN_GIVEN_FUNCTIONS_H_
#define TENON_COMPILE_RUN_GIVEN_FUNCTIONS_H_

#include <string>

namespace tenon {

/// The address of the function `symbol` in the shared object `handle` (of dlopen) or in a library
/// that the object was linked with. Null if none of them defines it. The system's libraries and
/// this program do not count, because the user did not give their functions to the model.
void* FindGivenFunction(void* handle, const std::string& symbol);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_GIVEN_FUNCTIONS_H_
