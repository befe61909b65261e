#include "sinew/base/error.h"
#include "sinew/build/figure.h"
#include "sinew/build/muscle_ends.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/pipeline/contract.h"
#include "sinew/pipeline/solve_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

TEST(ContractJob, ActivationsAreNumbersRampsTablesOrKeys) {
    EXPECT_DOUBLE_EQ(parse_activation("0.6", "x").to, 0.6);
    const ActivationPlan ramp = parse_activation("0.2..0.9", "x");
    EXPECT_EQ(ramp.kind, ActivationPlan::Kind::Ramp);
    EXPECT_DOUBLE_EQ(ramp.from, 0.2);
    EXPECT_DOUBLE_EQ(ramp.to, 0.9);
    EXPECT_FALSE(parse_activation("keys-hill", "x").is_linear);
    EXPECT_THROW(parse_activation("1.5", "x"), InputError);
    EXPECT_THROW(parse_activation("-1..0", "x"), InputError);
    EXPECT_THROW(parse_activation("much", "x"), InputError);
}

TEST(ContractJob, ExamplesAreRead) {
    const ContractJob arm =
        read_contract_job(std::filesystem::path(SINEW_EXAMPLES) / "contract_arm.json");
    EXPECT_EQ(arm.activation.kind, ActivationPlan::Kind::KeyFrames);
    EXPECT_EQ(arm.keys.coordinates.times.size(), 4u);
    EXPECT_NEAR(arm.keys.coordinates.at(1, 0), 75.0 * 3.14159265 / 180.0, 1e-6);
    EXPECT_DOUBLE_EQ(arm.duration, 1.0);
    EXPECT_TRUE(
        read_contract_job(std::filesystem::path(SINEW_EXAMPLES) / "contract_torus.json").is_torus);
}

TEST(ContractJob, UnknownKeysAndKeysOutOfOrderAreRefused) {
    const support::TemporaryFolder folder;
    const auto refuses = [&](const char* json) {
        write_file_bytes(folder / "a.json", json);
        EXPECT_THROW(read_contract_job(folder / "a.json"), InputError) << json;
    };
    refuses(R"({"version": 1, "musles": ["biceps"]})");
    refuses(R"({"version": 2})");
    refuses(R"({"version": 1, "activation": 3})");
    refuses(R"({"version": 1, "body": "b.sinew", "muscles": ["biceps"], "keys": [
                {"time": 1, "pose": {"a": 1}}, {"time": 0.5, "pose": {"a": 2}}]})");
}

// Total force = Fmax (a f(lambda) + passive(lambda) / peak), fibres and tendon in one line.
TEST(Contract, StretchCurvesFollowTheFibresAndTheActivation) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "a.json", R"({"version": 1, "curves": [0, 1], "tets": 400})");
    const ContractJob job = read_contract_job(folder / "a.json");
    const StretchCurves curves = run_stretch_curves(job);
    ASSERT_EQ(curves.muscles.size(), 2u);
    const FibreCurve fibre = muscle_constants().fibre;
    for (std::size_t i = 0; i < curves.length.size(); ++i) {
        const MuscleState& relaxed = curves.muscles[0][i];
        const MuscleState& active = curves.muscles[1][i];
        const auto predicted = [&](const MuscleState& m, double a) {
            return curves.greatest_force * fibre.at(m.mean_fibre_stretch, a).tension /
                   fibre.peak_stress;
        };
        EXPECT_GT(active.force, relaxed.force) << curves.length[i];
        // Far out the exponential of a mean stretch is no longer the mean of the exponentials.
        if (curves.length[i] < 1.1 * curves.rest_length) {
            EXPECT_NEAR(active.force, predicted(active, 1.0), 0.1 * curves.greatest_force);
            EXPECT_NEAR(relaxed.force, predicted(relaxed, 0.0), 0.1 * curves.greatest_force);
        }
        EXPECT_LT(std::abs(active.volume_change), 0.01);
    }
    write_stretch_curves(folder.path(), curves);
    EXPECT_TRUE(std::filesystem::exists(folder / "stretch_force.svg"));
    EXPECT_EQ(read_motion_table(folder / "stretch_force.sto").columns.size(), 8u);
    write_file_bytes(folder / "b.json", R"({"version": 1, "curves": [2]})");
    EXPECT_THROW(read_contract_job(folder / "b.json"), InputError);
}

TEST(Contract, BenchMuscleShortensFillsAndWritesItsMeasures) {
    ContractJob job;
    job.is_static = true;
    job.static_frames = 3;
    job.scene.tets = 1500;
    job.activation = parse_activation("0..1", "x");
    job.simulator.gravity = Vec3::Zero();
    int seen = 0;
    const ContractRun run = run_contraction(job, {}, [&](int, const MuscleSimulator&) { ++seen; });
    ASSERT_EQ(run.frames.size(), 3u);
    EXPECT_EQ(seen, 3);
    EXPECT_TRUE(run.is_finite);
    EXPECT_LT(run.largest_volume_change, 0.01);
    EXPECT_NEAR(run.frames[1].muscles[0].activation, 0.5, 1e-12);
    EXPECT_GT(run.frames[2].muscles[0].force, 1.8 * run.frames[1].muscles[0].force);
    const support::TemporaryFolder folder;
    write_contraction_plots(folder.path(), run, true);
    write_contraction_glb(folder / "m.glb", run);
    for (const char* file : {"force.png", "length.png", "volume.png", "measures.sto", "m.glb"}) {
        EXPECT_GT(std::filesystem::file_size(folder / file), 100u) << file;
    }
}

TEST(KeyFrames, PoseGoesThroughTheKeysAndStandsStillAtTheEnds) {
    Skeleton skeleton;
    skeleton.segments.resize(2);
    skeleton.joints = {{.name = "root", .child = 0, .type = JointType::Fixed},
                       {.name = "elbow", .parent = 0, .child = 1, .type = JointType::Hinge}};
    skeleton.joints[1].motions[0] = "flexion";
    KeyFrames keys;
    keys.coordinates.columns = {"elbow_flexion"};
    keys.coordinates.times = {0.0, 1.0, 2.0};
    keys.coordinates.values = {0.0, 1.0, 0.5};
    const auto at = [&](double t) { return pose_at(skeleton, keys, t).coordinates.at(0); };
    EXPECT_DOUBLE_EQ(at(0.0), 0.0);
    EXPECT_NEAR(at(1.0), 1.0, 1e-12);
    EXPECT_NEAR(at(5.0), 0.5, 1e-12);
    EXPECT_NEAR((at(1e-4) - at(0.0)) / 1e-4, 0.0, 1e-3);
    EXPECT_NEAR((at(1.0001) - at(0.9999)) / 2e-4, 0.25, 1e-3);
    keys.coordinates.columns = {"elbow_twist"};
    EXPECT_THROW(pose_at(skeleton, keys, 0.0), InputError);
}

// Sheets of the soleus cross when they are given long edges, so it is filled from a level set,
// whose cells do not grow: the number of tetrahedra must follow the edges asked for all the same.
TEST(Contract, TetrahedraOfASheetFollowTheEdgesAskedFor) {
    const Template figure =
        build_figure(read_figure(data_folder() / "figure"), {.skin_cell = 0.02});
    const auto soleus = std::find_if(figure.muscles.begin(), figure.muscles.end(),
                                     [](const Muscle& m) { return m.name == "soleus_l"; });
    ASSERT_NE(soleus, figure.muscles.end());
    MuscleShape shape{.mesh = soleus->mesh};
    shape.share = muscle_shares(*soleus, figure.bones);
    shape.tendon = muscle_tendon(*soleus, shape.share);
    // 4000 tetrahedra of this volume have edges of 9.7 mm.
    const MuscleVolume coarse = fill_muscle(shape, {.edge = 0.0097, .least_edge = 0.0013});
    EXPECT_LT(coarse.mesh.tets.rows(), 6000);
    EXPECT_GT(coarse.mesh.tets.rows(), 1500);
}

// lambda = J^(-1/3) |F a0|; stress and force by the curves of the volumetric muscle.
TEST(Contract, BodyFibresAreMeasuredFromTheState) {
    Body body;
    body.tets = support::cube_of_tets(1);
    const auto tets = static_cast<std::size_t>(body.tets.tets.rows());
    body.materials = tissue_materials();
    body.muscles.resize(2);
    const auto muscle = static_cast<Index>(Tissue::Muscle);
    ASSERT_EQ(body.materials[static_cast<std::size_t>(muscle)].tissue, Tissue::Muscle);
    body.fibres.direction = Points(static_cast<Eigen::Index>(tets), 3);
    for (std::size_t t = 0; t < tets; ++t) {
        body.shares.start.push_back(static_cast<Index>(t + 1));
        body.shares.material.push_back(muscle);
        body.shares.part.push_back(0);
        body.shares.fraction.push_back(1.0);
        body.fibres.start.push_back(static_cast<Index>(t + 1));
        body.fibres.muscle.push_back(0);
        body.fibres.direction.row(static_cast<Eigen::Index>(t)) = Vec3::UnitY().transpose();
    }
    Points x = body.tets.points;
    const double lambda = 0.8;
    x.col(1) *= lambda;
    x.col(0) /= std::sqrt(lambda);
    x.col(2) /= std::sqrt(lambda);
    const std::vector<BodyFibres> now = measure_body_fibres(body, x, std::vector{0.5, 0.7});
    const FibreCurve fibre = muscle_constants().fibre;
    EXPECT_NEAR(now[0].stretch, lambda, 1e-9);
    EXPECT_NEAR(now[0].tension, 0.5 * FibreCurve::active_shape(lambda), 1e-9);
    EXPECT_NEAR(now[0].max_stress, lambda * fibre.at(lambda, 0.5).tension, 1e-3);
    // Nothing of the other muscle is in the tetrahedra.
    EXPECT_DOUBLE_EQ(now[1].stretch, 1.0);
    EXPECT_DOUBLE_EQ(now[1].tension, 0.7);
}

TEST(SolveScene, ConstantsOfMuscleMayBeGivenOtherwise) {
    const auto material = [](const char* more) {
        return parse_solve_scene(fmt::format(R"({{"version": 1, "mesh": "c.mesh",
                                    "materials": [{{"law": "tendon", "fibre": [0, 2, 0]{}}}]}})",
                                             more),
                                 "t.json", ".")
            .materials[0]
            .muscle;
    };
    EXPECT_DOUBLE_EQ(material("").fibre.passive_exponent,
                     tendon_constants().fibre.passive_exponent);
    const MuscleConstants given = material(R"(, "K": 1e5, "toe": 0, "passive_stress": 1e6)");
    EXPECT_DOUBLE_EQ(given.matrix.K, 1e5);
    EXPECT_DOUBLE_EQ(given.matrix.A, tendon_constants().matrix.A);
    EXPECT_DOUBLE_EQ(given.fibre.toe, 0.0);
    EXPECT_DOUBLE_EQ(given.fibre.passive_stress, 1e6);
    EXPECT_THROW(material(R"(, "K": -1)"), InputError);
    EXPECT_THROW(material(R"(, "activation": 0.5)"), InputError);
}

// A relaxed bar of muscle pulled along its fibres must give what the law says.
TEST(SolveScene, MuscleLawIsKnown) {
    const SolveScene scene = parse_solve_scene(
        R"({"version": 1, "mesh": "c.mesh",
            "materials": [{"law": "muscle", "fibre": [0, 2, 0], "activation": 0.5}],
            "fixed": [{"box": [[-1, -1, -1], [2, 0.0001, 2]]}],
            "prescribed": [{"box": [[-1, 0.9999, -1], [2, 2, 2]], "displacement": [0, 0.05, 0]}]})",
        "t.json", ".");
    const SolveResult result = solve_scene(scene, support::cube_of_tets(2));
    EXPECT_TRUE(result.is_converged);
    EXPECT_EQ(result.inverted_tets, 0);
}

}  // namespace
}  // namespace sinew
