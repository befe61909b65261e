#include "sinew/base/units.h"
#include "sinew/body/girths.h"
#include "sinew/body/muscle_sizes.h"
#include "sinew/body/names.h"
#include "sinew/body/posable_joints.h"
#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/archive.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/intersections.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/published_muscles.h"
#include "sinew/pipeline/body_cache.h"
#include "sinew/pipeline/body_display.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/small_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

MakeBodyOptions preview_options() {
    MakeBodyOptions options;
    options.body.resolution = BodyResolution::Preview;
    options.cache = SINEW_TEST_CACHE;
    return options;
}

/// The preview of the built-in man, made once for all tests below, also where each runs in a
/// process of its own: the cache beside the test program keeps it until that program changes.
struct Preview {
    MakeBodyOptions options = preview_options();
    MadeBody made;
    BodyQuality quality;

    explicit Preview(MuscleSource muscles = MuscleSource::Auto) {
        options.muscles = muscles;
        made = make_body(options);
        quality = measure_quality(made.body, 20000);
    }
};

const Preview& preview() {
    static const Preview made;
    return made;
}

/// The same man with the muscles that were measured.
const Preview& specimen() {
    static const Preview made(MuscleSource::Specimen);
    return made;
}

}  // namespace

TEST(MakeBody, PreviewIsAWholeBodyOfTheRightSize) {
    const Body& body = preview().made.body;
    require_valid(body, "preview");
    EXPECT_NEAR(static_cast<double>(body.tets.points.rows()), 10000.0, 1500.0);
    EXPECT_GE(body.muscles.size(), 300u);
    EXPECT_GE(body.bones.size(), 200u);
    EXPECT_GT(body.attachments.bone.size(), body.bones.size());
    EXPECT_EQ(body.muscle_embeddings.size(), body.muscles.size());
    const BodySummary summary = summarise(body);
    EXPECT_GT(summary.mass, 55.0);
    EXPECT_LT(summary.mass, 85.0);
    EXPECT_GT(summary.body_fat, 0.05);
    EXPECT_LT(summary.body_fat, 0.35);
    double segments = 0.0;
    for (const Segment& segment : body.skeleton.segments) {
        segments += segment.mass;
    }
    EXPECT_NEAR(segments, summary.mass, 1e-6 * summary.mass);
}

// Muscles of people grow in the tetrahedra of the specimen, which lose some of their shape by it.
TEST(MakeBody, SkinAndEnvelopeAreNestedAndConform) {
    for (const Preview* made : {&specimen(), &preview()}) {
        const Body& body = made->made.body;
        const BodyQuality& q = made->quality;
        EXPECT_EQ(q.inverted, 0);
        EXPECT_EQ(q.skin_genus, 0);
        EXPECT_EQ(q.skin_intersections, 0);
        EXPECT_TRUE(q.is_envelope_inside);
        EXPECT_GT(q.least_fat, 1e-4);
        EXPECT_GT(q.smallest_dihedral, made == &specimen() ? 0.03 : 0.015);
        const TetHealth health = check_health(body.tets);
        EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
        EXPECT_EQ(boundary_triangles(body.tets.tets).rows(), body.skin.mesh.triangles.rows());
        EXPECT_NEAR(volume(body.tets), enclosed_volume(body.skin.mesh), 1e-9);
    }
}

// A part of the cuts of its triangles into round muscles is left, so that fat has one volume at
// every resolution (EnvelopeOptions::cut_share); they are deepest here.
TEST(MakeBody, Saito2015EnvelopeEnclosesMusclesAndBonesButForShallowCuts) {
    EXPECT_GE(specimen().quality.enclosed, 0.95);
    EXPECT_GE(preview().quality.enclosed, 0.93);
}

TEST(MakeBody, FractionsAddUpToTheMusclesVolumes) {
    EXPECT_LE(preview().quality.median_volume_error, 0.02);
    EXPECT_LE(preview().quality.worst_volume_error, 0.05);
}

// Hands and feet gain nothing by muscles of people, the rest of the body does: they are 16 % light.
TEST(MakeBody, DeLeva1996SegmentsWeighTheirShareWithinFifteenPercent) {
    for (const Preview* made : {&specimen(), &preview()}) {
        const std::vector<SegmentShare> shares = compare_segments(made->made.body);
        ASSERT_EQ(shares.size(), 8u);
        double total = 0.0;
        for (const SegmentShare& s : shares) {
            const bool is_small = made == &preview() && (s.name == "hand" || s.name == "foot");
            EXPECT_NEAR(s.share, s.published, (is_small ? 0.17 : 0.15) * s.published) << s.name;
            total += (s.name == "head" || s.name == "trunk" ? 1.0 : 2.0) * s.share;
        }
        EXPECT_NEAR(total, 1.0, 1e-9);
    }
}

// Means of young women: fat 21 to 33 % of the mass [Gallagher2000]; 25 of BMI is the upper
// end of normal weight. Shares of segments are compared with the women of [deLeva1996, table 4].
TEST(MakeBody, WomanWeighsAsPublished) {
    MakeBodyOptions options = preview_options();
    options.figure.sex = FigureSex::Female;
    const Body body = make_body(options).body;
    EXPECT_EQ(body.sex, Sex::Female);
    const BodySummary woman = summarise(body);
    EXPECT_NEAR(woman.stature, 1.62, 0.02);
    EXPECT_GT(woman.body_fat, 0.21);
    EXPECT_LT(woman.body_fat, 0.33);
    EXPECT_GT(woman.body_fat, summarise(preview().made.body).body_fat + 0.04);
    const double bmi = woman.mass / (woman.stature * woman.stature);
    EXPECT_GT(bmi, 18.5);
    EXPECT_LT(bmi, 26.0);
    const std::vector<SegmentShare> shares = compare_segments(body);
    ASSERT_EQ(shares.size(), 8u);
    for (const SegmentShare& s : shares) {
        EXPECT_NEAR(s.share, s.published, 0.15 * s.published) << s.name;
    }
}

// Leg muscles after [Handsfield2014] and all muscle after [Janssen2000], recomputed here from
// tetrahedra and fractions; a body that keeps its stature and, but for legs, its skin.
TEST(MakeBody, Handsfield2014LegMusclesOfPeopleGrowUnderTheSameSkin) {
    const Body& specimen = sinew::specimen().made.body;
    const Body& people = preview().made.body;
    EXPECT_TRUE(has_muscles_of_people(people));
    EXPECT_FALSE(has_muscles_of_people(specimen));
    const BodySummary now = summarise(people);
    EXPECT_EQ(now.stature, summarise(specimen).stature);
    std::map<std::string, double> belly;
    double muscle = 0.0;
    const Eigen::VectorXd volumes = tet_volumes(people.tets);
    EXPECT_GT(volumes.minCoeff(), 0.0);
    for (std::size_t t = 0; t + 1 < people.shares.start.size(); ++t) {
        for (Index e = people.shares.start[t]; e < people.shares.start[t + 1]; ++e) {
            const TissueMaterial& material = people.materials[at(people.shares.material[at(e)])];
            if (material.tissue == Tissue::Muscle) {
                const double volume =
                    people.shares.fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)];
                muscle += volume * material.density;
                belly[people.muscles[at(people.shares.part[at(e)])].name] += volume;
            }
        }
    }
    EXPECT_NEAR(muscle / now.mass, 0.384, 0.004);
    const double leg = 1e-6 * (47.0 * now.stature * now.mass + 1285.0);
    EXPECT_NEAR(belly["gluteus_maximus_l"] / (0.123 * leg - 25.4e-6), 1.0, 0.02);
    EXPECT_NEAR(belly["soleus_r"] / (0.0507 * leg + 78.2e-6), 1.0, 0.02);
    EXPECT_NEAR(belly["biceps_femoris_long_head_r"] / (0.0256 * leg + 24.3e-6), 1.0, 0.02);
    // Surfaces hold what tetrahedra hold; forces of cross-sections follow.
    const std::vector<double> held = muscle_volumes_in_tets(people);
    const std::vector<double> held_before = muscle_volumes_in_tets(specimen);
    for (std::size_t m = 0; m < held.size(); ++m) {
        if (held[m] > 2e-6) {
            const double ratio = people.muscles[m].volume / specimen.muscles[m].volume;
            EXPECT_NEAR(ratio / (held[m] / held_before[m]), 1.0, 0.01) << people.muscles[m].name;
        }
    }
    // Nothing crosses, and most of the skin is where it was.
    EXPECT_TRUE(find_self_intersections(people.skin.mesh).pairs.empty());
    const Eigen::VectorXd moved =
        (people.skin.mesh.points - specimen.skin.mesh.points).rowwise().norm();
    EXPECT_GT((moved.array() < 1e-4).cast<double>().mean(), 0.45);
    EXPECT_LT(moved.mean(), 1e-3);
    EXPECT_LT(moved.maxCoeff(), 0.02);
}

// The model of [Rajagopal2016] has the volumes of [Handsfield2014] for 1.70 m and 75.3 kg, fibres
// of [Ward2009] and 60 N/cm^2, as ours; its forces leave out the pennation. Forces as remembered,
// those of gastrocnemius and soleus compared with a public copy.
TEST(MakeBody, Rajagopal2016GreatestForcesOfPeoplesLegsAreNotCorrectedTwice) {
    const Body& body = preview().made.body;
    const BodySummary person = summarise(body);
    const std::vector<double> fmax = greatest_muscle_forces(body);
    const std::pair<const char*, double> known[] = {
        {"soleus", 6194.84},          {"gastrocnemius_medial_head", 3115.51},
        {"vastus_lateralis", 5148.8}, {"gastrocnemius_lateral_head", 1575.06},
        {"vastus_medialis", 2747.7},  {"rectus_femoris", 2191.7},
        {"semimembranosus", 2201.0},  {"biceps_femoris_long_head", 1313.2},
        {"semitendinosus", 591.0},    {"gluteus_maximus", 3336.0},
        {"iliacus", 1021.0},          {"tibialis_anterior", 1227.0}};
    const double leg = 47.0 * person.stature * person.mass + 1285.0;
    const double theirs = 47.0 * 1.70 * 75.3 + 1285.0;
    const double scale = leg / theirs / (person.stature / 1.70);
    for (const auto& [name, force] : known) {
        for (const char* side : {"_l", "_r"}) {
            const Index m = find_muscles(body.muscles, std::string(name) + side, "test").front();
            const double pennation = find_published_fibres(name)->pennation * kDegree;
            EXPECT_NEAR(fmax[at(m)] / std::cos(pennation) / (scale * force), 1.0, 0.12) << name;
        }
    }
    // What grows pulls alpha^2 as hard, in the same body.
    const GrowthResult grown = grow_person(body, {.muscles = {{"soleus", 1.2}, {"biceps", 1.2}}});
    const std::vector<double> after = greatest_muscle_forces(grown.body);
    for (const char* name : {"soleus_l", "biceps_brachii_long_head_r"}) {
        const Index m = find_muscles(body.muscles, name, "test").front();
        EXPECT_NEAR(after[at(m)] / fmax[at(m)], 1.44, 0.02) << name;
    }
    const Index m = find_muscles(body.muscles, "vastus_lateralis_l", "test").front();
    EXPECT_NEAR(after[at(m)] / fmax[at(m)], 1.0, 0.02);
}

// Ends of a muscle: vertices of its mesh within the first and last tenth of the way.
TEST(MakeBody, MusclesBeginAndEndAtTheirBones) {
    const Body& body = preview().made.body;
    int ends = 0;
    int near = 0;
    for (const Muscle& muscle : body.muscles) {
        const Attribute* share = find_attribute(muscle.mesh.point_data, "share");
        ASSERT_NE(share, nullptr) << muscle.name;
        for (const bool is_origin : {true, false}) {
            const Index bone = is_origin ? muscle.origin : muscle.insertion;
            if (bone < 0) {
                continue;
            }
            const SurfaceTree tree(body.bones[static_cast<std::size_t>(bone)].mesh);
            double least = 1.0;
            for (std::size_t i = 0; i < share->values.size(); ++i) {
                if (is_origin ? share->values[i] < 0.1 : share->values[i] > 0.9) {
                    const Vec3 x = point(muscle.mesh.points, static_cast<Eigen::Index>(i));
                    least = std::min(least, tree.closest_point(x).distance);
                }
            }
            ++ends;
            near += least < 0.01;
        }
    }
    EXPECT_GT(ends, 500);
    EXPECT_GE(near, 0.9 * ends) << near << " of " << ends;
}

// The abdominal wall lies between skin and viscera, on both sides of the navel.
TEST(MakeBody, AbdominalMusclesSurroundTheBelly) {
    const Body& body = preview().made.body;
    const BodySummary summary = summarise(body);
    for (const char* name : {"rectus_abdominis_l", "rectus_abdominis_r"}) {
        const auto found = std::find_if(body.muscles.begin(), body.muscles.end(),
                                        [&](const Muscle& m) { return m.name == name; });
        ASSERT_NE(found, body.muscles.end()) << name;
        const Points& points = found->mesh.points;
        // From the ribs to the pubis, in front of the spine.
        EXPECT_GT(points.col(1).maxCoeff() - points.col(1).minCoeff(), 0.15 * summary.stature);
        EXPECT_GT(points.col(2).mean(), 0.03);
        EXPECT_EQ(found->group, "abdomen");
    }
}

TEST(MakeBody, SecondBuildComesFromTheCacheWithTheSameBytes) {
    const MadeBody again = make_body(preview().options);
    EXPECT_TRUE(again.was_cached);
    EXPECT_EQ(archive_bytes(again.body), archive_bytes(preview().made.body));
}

TEST(BodyCache, DamagedFilesAreDropped) {
    const support::TemporaryFolder folder;
    const BodyCache cache(folder / "cache");
    const Body body = support::small_body(2);
    EXPECT_FALSE(cache.find("body", "key", {}).has_value());
    cache.keep("body", "key", body, {});
    ASSERT_TRUE(cache.find("body", "key", {}).has_value());
    EXPECT_FALSE(cache.find("body", "other", {}).has_value());
    const fs::path file = fs::path(folder / "cache") / "body-key.sinew";
    {
        std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
        damage.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
        damage << "damage";
    }
    EXPECT_FALSE(cache.find("body", "key", {}).has_value());
    EXPECT_FALSE(fs::exists(file));
}

TEST(BodyCache, ForgetsTheOldestBeyondItsLimit) {
    const support::TemporaryFolder folder;
    const Body body = support::small_body(2);
    const auto bytes = static_cast<double>(archive_bytes(body).size());
    const BodyCache cache(folder / "cache", 2.5 * bytes);
    const fs::path place = folder / "cache";
    for (const char* key : {"a", "b", "c"}) {
        cache.keep("body", key, body, {});
        // Times of files are coarse: make their order plain.
        for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
            fs::last_write_time(entry.path(), entry.last_write_time() - std::chrono::seconds(10));
        }
    }
    EXPECT_FALSE(cache.find("body", "a", {}).has_value());
    EXPECT_TRUE(cache.find("body", "b", {}).has_value());
    EXPECT_TRUE(cache.find("body", "c", {}).has_value());
}

TEST(BodyCache, WithoutAFolderNothingIsKept) {
    const BodyCache cache("");
    cache.keep("body", "key", support::small_body(2), {});
    EXPECT_FALSE(cache.find("body", "key", {}).has_value());
}

TEST(MakeBody, ATemplateSurvivesItsWayThroughTheCache) {
    Template anatomy;
    const Body small = support::small_body(2);
    anatomy.name = "box";
    anatomy.skin = small.skin.mesh;
    anatomy.bones = small.bones;
    anatomy.muscles = small.muscles;
    anatomy.skeleton = small.skeleton;
    const Template back = template_from_body(body_from_template(anatomy));
    EXPECT_EQ(back.skin.points, anatomy.skin.points);
    EXPECT_EQ(back.muscles.size(), anatomy.muscles.size());
    EXPECT_EQ(back.bones.back().aliases.front().name, "FMA8038");
}

TEST(MakeBody, PreviewMeasuresLikeAPerson) {
    const std::vector<std::pair<std::string, double>> measured = girths(preview().made.body);
    ASSERT_EQ(measured.size(), 10u);
    // Wide ranges of adults, m.
    const std::map<std::string, std::pair<double, double>> ranges = {
        {"neck", {0.3, 0.5}},      {"chest", {0.75, 1.3}},        {"waist", {0.6, 1.2}},
        {"hips", {0.75, 1.3}},     {"upper_arm_l", {0.22, 0.45}}, {"upper_arm_r", {0.22, 0.45}},
        {"thigh_l", {0.42, 0.75}}, {"thigh_r", {0.42, 0.75}},     {"calf_l", {0.28, 0.5}},
        {"calf_r", {0.28, 0.5}}};
    for (const auto& [name, girth] : measured) {
        EXPECT_GT(girth, ranges.at(name).first) << name;
        EXPECT_LT(girth, ranges.at(name).second) << name;
    }
}

TEST(MakeBody, PreviewBendsItsElbowWithoutLosingFlesh) {
    const Body& body = preview().made.body;
    const BodyDisplay display(body, {.skin_triangles = 20000});
    const auto rest = [&](DisplayLayer layer) { return display.mesh(layer).points; };
    BodyInMotion mover(body, display.meshes());
    const std::vector<PosableJoint> joints = posable_joints(body);
    EXPECT_GE(joints.size(), 15u);
    const Triangles& triangles = display.mesh(DisplayLayer::Skin).triangles;
    const double before = enclosed_volume(rest(DisplayLayer::Skin), triangles);
    for (int frame = 1; frame <= 40; ++frame) {
        mover.step(joint_motions(
            body.skeleton,
            pose_from_angles(body, joints, {{"elbow_l", {1.4 * frame / 40.0, 0.0, 0.0}}})));
    }
    for (const DisplayLayer layer :
         {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones}) {
        const Points now = mover.points(layer);
        ASSERT_TRUE(now.allFinite());
        const Eigen::VectorXd moved = (now - rest(layer)).rowwise().norm();
        EXPECT_GT(moved.maxCoeff(), 0.2);  // the hand
        // The other half of the body stays where it is.
        for (Eigen::Index i = 0; i < now.rows(); ++i) {
            if (rest(layer)(i, 0) < -0.1) {
                EXPECT_LT(moved[i], 0.01);
            }
        }
    }
    EXPECT_NEAR(enclosed_volume(mover.points(DisplayLayer::Skin), triangles) / before, 1.0, 0.05);
}

}  // namespace sinew
