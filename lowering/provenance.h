#ifndef TENON_LOWERING_PROVENANCE_H_
#define TENON_LOWERING_PROVENANCE_H_

#include <string>

namespace tenon {

/// The model from which code is generated.
struct ModelOrigin {
  /// The name of its file, without folders.
  std::string file;
  /// HashToString (support/hash.h) of the bytes of the file, followed by those of the files with
  /// its data, in the order of their names. Empty if unknown.
  std::string hash;
};

/// The origin of generated files, for their comments. Nothing depends on the machine or the time,
/// so the same input gives the same bytes. Members may be empty.
struct Provenance {
  /// `Tenon 0.1.0 (commit 1a2b3c4d)`.
  std::string program;
  ModelOrigin model;
  /// The options that shape the code, as on a command line.
  std::string options;
};

}  // namespace tenon

#endif  // TENON_LOWERING_PROVENANCE_H_
