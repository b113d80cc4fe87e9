#ifndef TENON_COMPILE_RUN_GIVEN_FUNCTIONS_H_
#define TENON_COMPILE_RUN_GIVEN_FUNCTIONS_H_

#include <string>

namespace tenon {

/// The address of the function `symbol` if the shared object `handle` (of dlopen) defines it, or a
/// library that the object was linked with. Null if there is none, or if the definition belongs to
/// the system or to this program: nobody gave these functions to the model.
void* FindGivenFunction(void* handle, const std::string& symbol);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_GIVEN_FUNCTIONS_H_
