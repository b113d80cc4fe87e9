#ifndef TENON_BYOC_GENERATORS_BLAS_H_
#define TENON_BYOC_GENERATORS_BLAS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "byoc/code_generator.h"

namespace tenon {

struct BlasOptions {
  /// The folders of libraries. By default, the folders that linkers search on this machine.
  std::optional<std::vector<std::string>> folders = std::nullopt;
};

/// The generator `blas`: dense layers, products of matrices and 1x1 convolutions of float32 and
/// float64 as calls of CBLAS, in TIR. Operations after the sum, such as bias and relu, are loops
/// after the call. Constant weights of another layout become matrices at compile time.
///
/// The program is linked with the first of OpenBLAS, BLIS, CBLAS and BLAS that is installed; the
/// target `blas:NAME` uses -lNAME without a search. A missing library is the error missing-library.
std::unique_ptr<const CodeGenerator> BlasGenerator(BlasOptions options = {});

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_BLAS_H_
