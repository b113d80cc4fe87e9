#include <gtest/gtest.h>

#include "tests/unit/byoc/text_claims.h"

namespace tenon {
namespace {

TEST(NetworkClaims, AreWhatTheBodiesCompute) {
  ClaimCounts sum;
  for (const char* name : {"recognise_ops_networks.py", "recognise_ops_topi.py"}) {
    const ClaimCounts counts =
        CheckClaimsOf(std::filesystem::path(TENON_SOURCE_DIR) / "tests/lit/byoc" / name, INT64_MAX);
    sum.all += counts.all;
    sum.unknown += counts.unknown;
  }
  EXPECT_GE(sum.all, 69);
  EXPECT_LE(sum.unknown * 20, sum.all) << "more than one in twenty operators is unknown";
}

}  // namespace
}  // namespace tenon
