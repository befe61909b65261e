#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"

#include <gtest/gtest.h>

#include "bench/figure_atlas.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

FigureTable figure_table() {
    return read_figure(data_folder() / "figure");
}

TEST(FigureAgainstAtlas, VolumesOfMusclesAndBonesAgree) {
    SINEW_NEEDS_SHARED(path, "atlas");
    const bench::VolumesAgainstAtlas volumes = bench::compare_volumes(figure_table(), path);
    EXPECT_GT(volumes.muscles, 150u);
    EXPECT_LE(volumes.median_error, 0.01);
    EXPECT_EQ(volumes.within_tenth, 1.0);
    EXPECT_NEAR(volumes.muscle_ratio, 1.0, 0.01);
    EXPECT_NEAR(volumes.bone_ratio, 1.0, 0.01);
    EXPECT_NEAR(volumes.skull_ratio, 1.0, 0.05);
}

TEST(FigureAgainstAtlas, SkinLiesWithinAMillimetreAndAHalfOnAverage) {
    SINEW_NEEDS_SHARED(path, "atlas");
    const bench::SkinAgainstAtlas skin = bench::compare_skin(figure_table(), path, 0.005);
    EXPECT_LE(skin.mean, 0.0015);
    EXPECT_LE(skin.most, 0.004);
    EXPECT_NEAR(skin.volume_ratio, 1.0, 0.05);
}

TEST(FigureAgainstAtlas, JointCentresLieWithinFiveMillimetres) {
    SINEW_NEEDS_SHARED(path, "atlas");
    const std::vector<bench::JointAgainstAtlas> joints =
        bench::compare_joints(figure_table(), path);
    EXPECT_GT(joints.size(), 85u);
    for (const bench::JointAgainstAtlas& joint : joints) {
        EXPECT_LE(joint.distance, 0.005) << joint.name << " by its " << joint.method;
    }
}

}  // namespace
}  // namespace sinew
