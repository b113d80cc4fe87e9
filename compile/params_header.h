#ifndef TENON_COMPILE_PARAMS_HEADER_H_
#define TENON_COMPILE_PARAMS_HEADER_H_

#include "absl/status/statusor.h"
#include "lowering/emitted_file.h"
#include "lowering/entry_abi.h"

namespace tenon {

/// `<prefix>_params.h`: a function that sets the members of the inputs' struct from the bytes of
/// `<prefix>.params.safetensors`. `params` is that file; only its header is made. An error if the
/// struct lacks a member for a tensor of the file.
absl::StatusOr<EmittedFile> ParamsHeader(const EntryAbi& abi, const EmittedFile& params);

}  // namespace tenon

#endif  // TENON_COMPILE_PARAMS_HEADER_H_
