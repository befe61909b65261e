#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/names.h"
#include "sinew/build/joint_tree.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/meshing/health.h"
#include "sinew/pipeline/atlas_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/shared_data.h"
#include "tests/support/small_atlas.h"

namespace sinew {
namespace {

using support::SmallAtlas;

Template read(const SmallAtlas& atlas, AtlasReport& report) {
    return read_atlas_template(atlas.path(), {}, {}, {}, report);
}

TEST(AtlasTemplate, ASmallAtlasBecomesATemplate) {
    const SmallAtlas atlas;
    AtlasReport report;
    const Template anatomy = read(atlas, report);
    EXPECT_EQ(anatomy.bones.size(), 3u);
    EXPECT_EQ(anatomy.muscles.size(), 2u);
    EXPECT_EQ(report.count_used(AtlasKind::Muscle), 2u);
    // Joints of the figure between bones that are there: femora hang on the sacrum by the hips.
    ASSERT_EQ(anatomy.skeleton.joints.size(), 3u);
    EXPECT_EQ(anatomy.skeleton.joints[1].name, "hip_l");
    // The manifest decides ends and belly; the other side is found, with what the figure knows.
    const Muscle& left = anatomy.muscles[0];
    EXPECT_EQ(left.origin, find_bone(anatomy.bones, "FMA16202", "t"));
    EXPECT_EQ(left.belly_end, 0.8);
    const Muscle& right = anatomy.muscles[1];
    EXPECT_EQ(right.group, "quadriceps");
    EXPECT_GT(right.fmax, 0.0);
    for (const char* word : {"vaslat_r", "R_Vastus_Lateralis", "vastus_lateralis_r", "VL-R",
                             "musculus vastus lateralis dexter", "right vastus lateralis"}) {
        EXPECT_EQ(find_muscles(anatomy.muscles, word, "t"), (std::vector<Index>{1})) << word;
    }
}

TEST(AtlasTemplate, PartsThatCannotBeUsedAreListed) {
    const SmallAtlas atlas;
    atlas.text("vastus_r.ply", "nonsense");
    atlas.write("femur_r.ply", support::box({-110, 450, -15}, {-80, 850, 15}));  // millimetres
    AtlasReport report;
    const Template anatomy = read(atlas, report);
    EXPECT_EQ(anatomy.bones.size(), 2u);
    EXPECT_EQ(anatomy.muscles.size(), 1u);
    EXPECT_NE(report.parts[3].reason.find("outside the skin"), std::string::npos);
    EXPECT_NE(report.parts[5].reason, "");
    EXPECT_EQ(report.count_used(AtlasKind::Bone), 2u);
}

TEST(AtlasTemplate, JointsOfTheManifestMustBeATree) {
    const SmallAtlas atlas;
    const auto joints = [&](const std::string& list) {
        atlas.manifest("{\"joints\": [" + list + "], \"parts\": " + SmallAtlas::parts() + "}");
    };
    const auto joint = [](const std::string& parent, const std::string& child) {
        return R"({"name": ")" + parent + "_" + child + R"(", "parent": ")" + parent +
               R"(", "child": ")" + child + R"(", "centre": [0, 0.85, 0], "type": "ball"})";
    };
    AtlasReport report;
    joints(joint("sacrum", "left femur") + "," + joint("FMA16202", "femur_r"));
    EXPECT_EQ(read(atlas, report).skeleton.segments.size(), 3u);
    joints(joint("sacrum", "femur_l") + "," + joint("femur_l", "sacrum"));
    EXPECT_THROW(read(atlas, report), InputError);
    joints(joint("sacrum", "femur_l") + "," + joint("femur_r", "femur_l"));
    EXPECT_THROW(read(atlas, report), InputError);
    joints(joint("sacrum", "femr_l"));
    try {
        read(atlas, report);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'femur_l'"), std::string::npos)
            << error.what();
    }
}

TEST(AtlasTemplate, WithoutUsableSkinOrBonesItIsRefused) {
    const SmallAtlas atlas;
    atlas.write("skin.ply", support::open_square(2));
    AtlasReport report;
    EXPECT_THROW(read(atlas, report), InputError);
    const SmallAtlas boneless;
    boneless.manifest(R"([{"name": "skin", "kind": "skin", "file": "skin.ply"}])");
    EXPECT_THROW(read(boneless, report), InputError);
}

TEST(AtlasTemplate, TheSameBytesForAnyNumberOfThreads) {
    const SmallAtlas atlas;
    AtlasReport report;
    const auto once = [&](int threads) {
        const ThreadLimit limit(threads);
        return read(atlas, report);
    };
    const Template one = once(1), two = once(2);
    for (std::size_t i = 0; i < one.muscles.size(); ++i) {
        EXPECT_EQ(one.muscles[i].mesh.points, two.muscles[i].mesh.points);
        EXPECT_EQ(one.muscles[i].mesh.point_data[1].values,
                  two.muscles[i].mesh.point_data[1].values);
    }
    for (std::size_t i = 0; i < one.skeleton.joints.size(); ++i) {
        EXPECT_EQ(one.skeleton.joints[i].centre, two.skeleton.joints[i].centre);
    }
}

void expect_nearly_whole(const AtlasReport& report) {
    for (const AtlasKind kind : {AtlasKind::Muscle, AtlasKind::Bone, AtlasKind::Cartilage}) {
        EXPECT_GE(static_cast<double>(report.count_used(kind)),
                  0.95 * static_cast<double>(report.count(kind)))
            << name_of(kind);
    }
    std::size_t crossing = 0;
    for (const AtlasPartReport& part : report.parts) {
        EXPECT_EQ(part.is_used, part.reason.empty()) << part.name;
        crossing += part.doubts.empty() ? 0 : 1;
    }
    EXPECT_LE(crossing, 40u) << "270 parts cross themselves in the files";
}

/// Volumes as the atlas's README gives them.
void expect_closed_and_full(const Template& anatomy) {
    double muscle = 0.0, bone = 0.0;
    for (const Muscle& part : anatomy.muscles) {
        EXPECT_TRUE(is_watertight(part.mesh)) << part.name;
        muscle += part.is_passive ? 0.0 : part.volume;
    }
    for (const Bone& part : anatomy.bones) {
        EXPECT_TRUE(is_watertight(part.mesh)) << part.name;
        bone += part.kind == BoneKind::Bone ? enclosed_volume(part.mesh) : 0.0;
    }
    EXPECT_NEAR(muscle, 19.8e-3, 0.02 * 19.8e-3);
    EXPECT_NEAR(bone, 5.25e-3, 0.02 * 5.25e-3);
}

/// The figure's joints were measured on this atlas; here they come from shapes alone.
void expect_joints_near_measured(const Skeleton& skeleton) {
    std::map<std::string, Vec3> measured;
    for (const BoneJoint& joint : joints_of(read_figure(data_folder() / "figure"))) {
        measured[joint.joint.name] = joint.joint.centre;
    }
    std::vector<double> distance;
    for (const Joint& joint : skeleton.joints) {
        if (measured.contains(joint.name)) {
            distance.push_back((measured.at(joint.name) - joint.centre).norm());
            EXPECT_LT(distance.back(), 0.012) << joint.name;
        }
    }
    ASSERT_GT(distance.size(), 120u);
    std::sort(distance.begin(), distance.end());
    EXPECT_LT(distance[distance.size() / 2], 0.002);
}

/// The atlas made by others. One test, because each runs in a process of its own.
TEST(SharedAtlas, IsUsedNearlyWholeAndSound) {
    SINEW_NEEDS_SHARED(path, "atlas");
    AtlasReport report;
    // Coarser than people would build it, for speed.
    const Template anatomy =
        read_atlas_template(path, {}, {.part_voxel = 0.0045, .skin_cell = 0.012}, {}, report);
    expect_nearly_whole(report);
    expect_closed_and_full(anatomy);

    const SurfaceHealth skin = check_health(anatomy.skin);
    EXPECT_TRUE(is_healthy(skin));
    EXPECT_EQ(skin.measures.components, 1);
    EXPECT_EQ(skin.measures.genus, 0);

    expect_joints_near_measured(anatomy.skeleton);
    for (const char* word :
         {"vastus_lateralis_r", "vaslat_r", "R_Vastus_Lateralis", "right vastus lateralis",
          "Musculus vastus lateralis dexter", "Vastus lateralis muscle.r"}) {
        const std::vector<Index> found = find_muscles(anatomy.muscles, word, "t");
        ASSERT_EQ(found.size(), 1u) << word;
        EXPECT_EQ(anatomy.muscles[static_cast<std::size_t>(found[0])].name, "vastus_lateralis_r");
    }
}

}  // namespace
}  // namespace sinew
