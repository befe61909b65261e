#include "sinew/base/error.h"
#include "sinew/base/fields.h"

#include <gtest/gtest.h>

#include <limits>

namespace sinew {

namespace {

struct Options {
    int passes = 10;
    double step = 0.5;
    bool is_closed = false;
};

template <class O, class V>
requires std::is_same_v<std::remove_const_t<O>, Options>
void visit_fields(O& o, V&& v) {
    v(o.passes, Field{.name = "passes", .help = "how often", .min = 0, .max = 100});
    v(o.step, Field{.name = "step", .help = "share", .unit = "m", .max = 1, .above = 0});
    v(o.is_closed, Field{.name = "is_closed", .help = "ends joined"});
}

}  // namespace

TEST(Fields, DefaultsAreInsideTheirRanges) {
    EXPECT_NO_THROW(check_ranges(Options{}, "options"));
}

TEST(Fields, OutOfRangeNamesTheField) {
    try {
        check_ranges(Options{.step = 0.0}, "smooth");
        FAIL() << "0 is outside (0, 1]";
    } catch (const InputError& e) {
        EXPECT_EQ(e.parts().where, "smooth, step");
        EXPECT_EQ(e.parts().needs, "above 0 m and at most 1 m");
    }
    EXPECT_THROW(check_ranges(Options{.passes = 101}, "smooth"), InputError);
    EXPECT_THROW(check_ranges(Options{.step = std::numeric_limits<double>::quiet_NaN()}, "s"),
                 InputError);
}

}  // namespace sinew
