#include "sinew/body/tissue_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/small_body.h"

namespace sinew {

TEST(TissueCells, FractionsAreThoseOfTheShares) {
    const Body body = support::small_body(2);
    const std::vector<Attribute> cells = tissue_cells(body);
    ASSERT_EQ(cells.size(), 5u);
    const auto tets = static_cast<std::size_t>(body.tets.tets.rows());
    for (const Attribute& a : cells) {
        EXPECT_EQ(a.count(), tets) << a.name;
    }
    for (std::size_t t = 0; t < tets; ++t) {
        double muscle = 0.0;
        double bone = 0.0;
        double first = 0.0;
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            const auto i = static_cast<std::size_t>(e);
            muscle += body.shares.material[i] == 1 || body.shares.material[i] == 4
                          ? body.shares.fraction[i]
                          : 0.0;
            bone += body.shares.material[i] == 3 ? body.shares.fraction[i] : 0.0;
            first = std::max(first, body.shares.fraction[i]);
        }
        EXPECT_DOUBLE_EQ(cells[2].values[t], muscle);
        EXPECT_DOUBLE_EQ(cells[3].values[t], bone);
        EXPECT_EQ(cells[1].values[t] >= 0.0, muscle > 0.0);
        const double length = std::hypot(cells[4].values[3 * t], cells[4].values[3 * t + 1],
                                         cells[4].values[3 * t + 2]);
        EXPECT_NEAR(length, muscle > 0.0 ? 1.0 : 0.0, 1e-9);
    }
}

}  // namespace sinew
