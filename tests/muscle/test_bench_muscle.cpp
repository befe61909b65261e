#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/energy/pins.h"
#include "sinew/geometry/measure.h"
#include "sinew/muscle/bouncing_torus.h"
#include "sinew/muscle/muscle_contact_term.h"
#include "sinew/muscle/muscle_simulator.h"
#include "sinew/muscle/muscle_volume.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"
#include "tests/support/squeezed_block.h"

namespace sinew {
namespace {

Eigen::Isometry3d shift_y(double y) {
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.translation().y() = y;
    return T;
}

// F = Fmax f(lambda) a with Fmax = peak stress * PCSA, fibres as long as the belly.
TEST(MuscleSimulator, IsometricForceFollowsSectionCurveAndActivation) {
    MuscleScene scene = bench_scene({.rings = 24, .around = 2});
    const double fmax = scene.fmax[0];
    MuscleSimulator simulator(std::move(scene), {.gravity = Vec3::Zero()});
    simulator.settle();
    const MuscleState rest = simulator.states()[0];
    EXPECT_NEAR(rest.force, 0.0, 1e-6);
    EXPECT_NEAR(rest.length, 0.2, 1e-3);
    for (const double a : {0.3, 1.0}) {
        simulator.set_activation(std::vector{a});
        const NewtonReport report = simulator.settle();
        EXPECT_EQ(report.status, SolverStatus::Converged);
        const MuscleState s = simulator.states()[0];
        const double predicted = fmax * a * FibreCurve::active_shape(s.mean_fibre_stretch);
        EXPECT_NEAR(s.force, predicted, 0.05 * predicted) << a;
        EXPECT_LT(std::abs(s.volume_change), 0.01);
        // The total hides what single tetrahedra do.
        const TetMesh frame = simulator.frame();
        const Attribute* ratio = find_attribute(frame.tet_data, "volume_ratio");
        ASSERT_NE(ratio, nullptr);
        EXPECT_EQ(s.least_volume_ratio,
                  *std::min_element(ratio->values.begin(), ratio->values.end()));
        EXPECT_LT(s.least_volume_ratio, 1.0);
        // Tendons give way, so the belly shortens and swells.
        EXPECT_GT(s.mean_tendon_stretch, 1.01);
        EXPECT_LT(s.mean_fibre_stretch, 0.995);
        EXPECT_GT(s.belly_section, 1.002 * rest.belly_section);
    }
}

TEST(MuscleSimulator, StretchedRelaxedMusclePullsByItsPassiveFibres) {
    MuscleSimulator simulator(bench_scene({.rings = 24, .around = 2}), {.gravity = Vec3::Zero()});
    simulator.set_frames(std::vector{shift_y(0.02)});
    simulator.settle();
    const MuscleState s = simulator.states()[0];
    const FibreCurve f = muscle_constants().fibre;
    const double section = kPi * 0.0125 * 0.0125;
    EXPECT_NEAR(s.force, section * f.at(s.mean_fibre_stretch, 0.0).tension, 0.25 * s.force);
    EXPECT_GT(s.mean_fibre_stretch, 1.08);
    EXPECT_NEAR(s.length, 0.22, 1e-3);
}

// Plain tetrahedra refuse to bulge and push back forty times too hard; patches stay near what
// finer meshes give.
TEST(MuscleTets, PatchesUnlockWhatPlainTetrahedraLock) {
    const double plain = support::squeeze_force(4, 1);
    const double patches = support::squeeze_force(4, 8);
    const double fine = support::squeeze_force(7, 8);
    EXPECT_GT(plain, 10.0 * fine);
    EXPECT_NEAR(patches, fine, 0.3 * fine);
}

TEST(MuscleSimulator, ImplicitStepsAndNewtonComeToTheSameRest) {
    const BenchMuscle small{.rings = 12, .around = 1};
    MuscleSimulator at_rest(bench_scene(small), {.gravity = Vec3::Zero()});
    MuscleSimulator in_time(bench_scene(small), {.gravity = Vec3::Zero(), .damping = 20.0});
    at_rest.set_activation(std::vector{0.5});
    in_time.set_activation(std::vector{0.5});
    at_rest.settle();
    for (int i = 0; i < 60; ++i) {
        in_time.advance(1.0 / 60.0);
    }
    EXPECT_LT((at_rest.positions() - in_time.positions()).rowwise().norm().maxCoeff(), 2e-5);
}

// [Teran2003, section 4.3]: elastic forces explicit, viscosity implicit.
TEST(MuscleSimulator, ExplicitStepsComeToTheSameRestAsNewton) {
    const BenchMuscle small{.belly_length = 0.06, .tendon_length = 0.02, .rings = 6, .around = 1};
    MuscleSimulator at_rest(bench_scene(small), {.gravity = Vec3::Zero()});
    MuscleSimulator in_time(bench_scene(small), {.gravity = Vec3::Zero()});
    at_rest.set_activation(std::vector{0.5});
    in_time.set_activation(std::vector{0.5});
    at_rest.settle();
    const double step = 0.5 * in_time.stable_step();
    EXPECT_GT(step, 1e-7);
    in_time.advance_explicit(step, static_cast<int>(0.02 / step), 40.0);
    const Points moved = at_rest.positions() - at_rest.scene().volume.mesh.points;
    const double error = (at_rest.positions() - in_time.positions()).norm() / moved.norm();
    EXPECT_LT(error, 0.05);
    EXPECT_NEAR(in_time.velocities().norm(), 0.0, 0.05);
}

TEST(MuscleSimulator, RandomActivationsAndShakenEndsStayFinite) {
    MuscleSimulator simulator(bench_scene({.rings = 12, .around = 1}));
    Random random(Seed{8});
    for (int i = 0; i < 30; ++i) {
        simulator.set_activation(std::vector{random.uniform(0.0, 1.0)});
        simulator.set_frames(std::vector{shift_y(random.uniform(-0.01, 0.01))});
        simulator.advance(1.0 / 60.0);
        ASSERT_TRUE(simulator.positions().allFinite());
        ASSERT_LT(std::abs(simulator.states()[0].volume_change), 0.01);
    }
    EXPECT_NEAR(simulator.time(), 0.5, 1e-12);
    EXPECT_EQ(simulator.frame().tet_data.size(), 7u);
}

TEST(MuscleSimulator, MuscleLyingOnABoneStaysOutOfIt) {
    MuscleScene scene = bench_scene({.rings = 24, .around = 2});
    // A ball beside the belly, pressed into it by its frame.
    scene.obstacles.push_back({"ball", support::sphere(3, 0.01, Vec3(0.024, 0.1, 0.0)), 1});
    scene.frames = 2;
    MuscleSimulator simulator(std::move(scene), {.gravity = Vec3::Zero()});
    Eigen::Isometry3d push = Eigen::Isometry3d::Identity();
    for (int i = 1; i <= 4; ++i) {
        push.translation().x() = -0.0015 * i;
        simulator.set_frames(std::vector{Eigen::Isometry3d::Identity(), push});
        simulator.settle();
    }
    const Vec3 centre = push * Vec3(0.024, 0.1, 0.0);
    const double nearest =
        (simulator.positions().rowwise() - centre.transpose()).rowwise().norm().minCoeff();
    EXPECT_GT(nearest, 0.01 - 0.0006);
    EXPECT_LT(simulator.penetration(), 0.001);
}

// Where contacts had to be made stiffer they stay so: what lies at rest is at rest at once, and
// does not first sink back.
TEST(MuscleSimulator, ContactsMadeStifferStayStiffer) {
    MuscleScene scene = bench_scene({.rings = 24, .around = 2});
    scene.obstacles.push_back({"ball", support::sphere(3, 0.01, Vec3(0.024, 0.1, 0.0)), 1});
    scene.frames = 2;
    MuscleSimulator simulator(std::move(scene),
                              {.contact_stiffness = 200.0, .gravity = Vec3::Zero()});
    Eigen::Isometry3d push = Eigen::Isometry3d::Identity();
    push.translation().x() = -0.006;
    simulator.set_frames(std::vector{Eigen::Isometry3d::Identity(), push});
    simulator.set_activation(std::vector{1.0});
    simulator.settle();
    const Points found = simulator.positions();
    const NewtonReport again = simulator.settle();
    EXPECT_EQ(again.status, SolverStatus::Converged);
    EXPECT_LE(again.iterations, 6);
    EXPECT_LT((simulator.positions() - found).rowwise().norm().maxCoeff(), 2e-5);
}

// What overlaps at rest may stay so and is not counted; what comes in addition is.
TEST(MuscleSimulator, OverlapCountsOnlyWhatArises) {
    MuscleScene scene = bench_scene({.rings = 24, .around = 2});
    scene.obstacles.push_back({"ball", support::sphere(3, 0.01, Vec3(0.02, 0.1, 0.0)), 1});
    scene.frames = 2;
    MuscleSimulator simulator(std::move(scene), {.contact_stiffness = 0.0});
    EXPECT_DOUBLE_EQ(simulator.penetration(), 0.0);
    Eigen::Isometry3d push = Eigen::Isometry3d::Identity();
    push.translation().x() = -0.001;
    simulator.set_frames(std::vector{Eigen::Isometry3d::Identity(), push});
    const std::vector<MuscleOverlap> found = simulator.overlaps();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].bone, 0);
    EXPECT_EQ(found[0].muscle, 0);
    EXPECT_NEAR(found[0].depth, 0.001, 2e-4);
}

// A sharp crest: normals blended along it name the wrong side for points that lie beside it.
TEST(MuscleSimulator, MuscleBesideASharpCrestIsNotInsideIt) {
    MuscleScene scene = bench_scene({.rings = 24, .around = 2});
    // A roof whose ridge runs along the muscle, 4 mm away from its belly, leaning over.
    TriangleMesh roof;
    roof.points = Points(6, 3);
    roof.points << 0.0165, 0.05, 0.0, 0.05, 0.05, -0.06, 0.05, 0.05, 0.001, 0.0165, 0.15, 0.0, 0.05,
        0.15, -0.06, 0.05, 0.15, 0.001;
    roof.triangles = Triangles(8, 3);
    roof.triangles << 0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1, 0, 2, 5, 0, 5, 3, 1, 4, 5, 1, 5, 2;
    if (enclosed_volume(roof.points, roof.triangles) < 0.0) {
        roof.triangles.col(1).swap(roof.triangles.col(2));
    }
    scene.obstacles.push_back({"roof", roof, 1});
    scene.frames = 2;
    MuscleSimulator simulator(std::move(scene));
    for (const double x : {0.0, -0.001, -0.002, -0.003}) {
        Eigen::Isometry3d move = Eigen::Isometry3d::Identity();
        move.translation().x() = x;
        simulator.set_frames(std::vector{Eigen::Isometry3d::Identity(), move});
        EXPECT_DOUBLE_EQ(simulator.penetration(), 0.0) << x;
    }
}

MuscleScene two_muscles() {
    const MuscleVolume one = bench_muscle({.rings = 16, .around = 1});
    MuscleVolume other = one;
    other.mesh.points.col(0).array() += 0.0256;
    MuscleScene scene;
    scene.volume = join_muscles(std::vector{one, other}, scene.first_vertex);
    scene.names = {"lower", "upper"};
    scene.origin_frame = scene.insertion_frame = {-1, -1};
    scene.fmax = {100.0, 100.0};
    return scene;
}

// Two muscles side by side, one falling on the other: both must find their place together.
TEST(MuscleSimulator, MusclesThatTouchComeToRest) {
    MuscleSimulator simulator(two_muscles(), {.gravity = Vec3(-9.8, 0.0, 0.0)});
    for (const double a : {0.0, 0.5}) {
        simulator.set_activation(std::vector{a, a});
        const NewtonReport report = simulator.settle();
        EXPECT_EQ(report.status, SolverStatus::Converged) << a;
        EXPECT_LE(report.residual.back(), MuscleSimulator::kStatics.tolerance) << a;
        EXPECT_LT(simulator.penetration(), 5e-4) << a;
    }
}

// Contacts go along while statics look for their rest: what was found is one, for a second search
// with new contacts hardly moves it.
TEST(MuscleSimulator, RestIsOneForContactsFoundAnew) {
    MuscleSimulator simulator(two_muscles(), {.gravity = Vec3(-9.8, 0.0, 0.0)});
    for (const double a : {0.0, 0.3, 1.0}) {
        simulator.set_activation(std::vector{a, a});
        simulator.settle();
        const Points found = simulator.positions();
        const double force = simulator.states()[0].force;
        const NewtonReport again = simulator.settle();
        EXPECT_EQ(again.status, SolverStatus::Converged) << a;
        EXPECT_LT((simulator.positions() - found).rowwise().norm().maxCoeff(), 2e-4) << a;
        EXPECT_NEAR(simulator.states()[0].force / force, 1.0, 2e-3) << a;
    }
}

// dE/dx by central differences where no nearest triangle changes; planes that are held keep value
// and gradient.
TEST(MuscleContactTerm, GradientIsTheDerivativeOfTheEnergy) {
    const MuscleScene scene = two_muscles();
    const MuscleSimulatorOptions options;
    const MuscleContacts contacts(scene, options);
    Points x = scene.volume.mesh.points;
    // The upper one pressed 1 mm further into the lower one, askew, so that no vertex lies on an
    // edge of a triangle.
    for (Index v = scene.first_vertex[1]; v < x.rows(); ++v) {
        x.row(v) += Vec3(-0.0016, 0.00137, 0.00071).transpose();
    }
    MuscleContactTerm term(contacts, {}, x);
    EXPECT_GT(term.value(x), 0.0);
    Points gradient = Points::Zero(x.rows(), 3);
    term.add_gradient(x, gradient);
    EXPECT_LT(gradient.colwise().sum().norm(), 1e-9 * gradient.norm());  // actio = reactio
    Random random(Seed{7});
    int tried = 0;
    for (int k = 0; k < 6; ++k) {
        Points d(x.rows(), 3);
        for (Eigen::Index i = 0; i < d.size(); ++i) {
            d.data()[i] = random.uniform(-1.0, 1.0);
        }
        constexpr double kStep = 1e-8;
        const double slope =
            (term.value(x + kStep * d) - term.value(x - kStep * d)) / (2.0 * kStep);
        EXPECT_NEAR(slope, gradient.cwiseProduct(d).sum(), 1e-5 * gradient.norm() * d.norm());
        tried += std::abs(slope) > 1e-6;
    }
    EXPECT_GT(tried, 3);
    const double value = term.value(x);
    term.hold(x);
    Points held = Points::Zero(x.rows(), 3);
    term.add_gradient(x, held);
    EXPECT_DOUBLE_EQ(term.value(x), value);
    EXPECT_EQ(held, gradient);
    term.set_stiffening(4.0);
    EXPECT_NEAR(term.value(x), 4.0 * value, 1e-12 * value);
}

// A pair without room in the pattern is held by more than its Hessian, never by less:
// d^T H d >= d^T (dg/dx) d.
TEST(MuscleContactTerm, HessianIsTheDerivativeOfTheGradientOrMore) {
    const MuscleScene scene = two_muscles();
    const MuscleContacts contacts(scene, MuscleSimulatorOptions());
    Points x = scene.volume.mesh.points;
    for (Index v = scene.first_vertex[1]; v < x.rows(); ++v) {
        x.row(v) += Vec3(-0.0016, 0.00137, 0.00071).transpose();
    }
    Points far = scene.volume.mesh.points;
    for (Index v = scene.first_vertex[1]; v < far.rows(); ++v) {
        far(v, 0) += 0.02;
    }
    for (const bool has_room : {true, false}) {
        MuscleContactTerm term(contacts, {}, has_room ? x : far);
        EXPECT_EQ(term.stranger_fraction(x) > 0.0, !has_room);
        term.hold(x);  // planes: without the turning of normals the Hessian is exact
        BlockPattern pattern(x.rows());
        const MuscleTets tets(scene.volume, muscle_constants(), tendon_constants());
        tets.add_pattern(pattern);
        term.add_pattern(pattern);
        BlockHessian H(pattern);
        term.add_hessian(x, Tangent::Exact, H);
        Random random(Seed{3});
        Points d(x.rows(), 3);
        for (Eigen::Index i = 0; i < d.size(); ++i) {
            d.data()[i] = random.uniform(-1.0, 1.0);
        }
        constexpr double kStep = 1e-8;
        Points ahead = Points::Zero(x.rows(), 3);
        Points behind = Points::Zero(x.rows(), 3);
        term.add_gradient(x + kStep * d, ahead);
        term.add_gradient(x - kStep * d, behind);
        const Points slope = (ahead - behind) / (2.0 * kStep);
        if (has_room) {
            EXPECT_LT((H.times(d) - slope).norm(), 1e-5 * slope.norm());
        } else {
            EXPECT_GT(d.cwiseProduct(H.times(d) - slope).sum(), 0.0);
        }
    }
}

// Vertices that slide onto the next triangles find room there; so do, after room was made anew,
// those that go back.
TEST(MuscleContactTerm, ContactsThatSlideALittleKeepTheirRoom) {
    const MuscleScene scene = two_muscles();
    const MuscleContacts contacts(scene, MuscleSimulatorOptions());
    const auto moved = [&](const Vec3& by) {
        Points x = scene.volume.mesh.points;
        for (Index v = scene.first_vertex[1]; v < x.rows(); ++v) {
            x.row(v) += by.transpose();
        }
        return x;
    };
    const Points x = moved(Vec3(-0.0016, 0.00137, 0.00071));
    const Points slid = moved(Vec3(-0.0016, 0.00237, 0.00071));
    const Points far = moved(Vec3(-0.0016, 0.03137, 0.00071));
    MuscleContactTerm term(contacts, {}, x);
    ASSERT_GT(term.value(slid), 0.0);
    EXPECT_LT(term.stranger_fraction(slid), 0.02);
    EXPECT_GT(term.stranger_fraction(far), 0.2);
    term.make_room(far);
    EXPECT_EQ(term.stranger_fraction(far), 0.0);
    EXPECT_EQ(term.stranger_fraction(x), 0.0);
    term.make_room(far);
    EXPECT_GT(term.stranger_fraction(x), 0.2);
}

TEST(MuscleSimulator, ScenesThatDoNotFitAreRefused) {
    MuscleScene scene = bench_scene({.rings = 6, .around = 1});
    scene.insertion_frame = {3};
    EXPECT_THROW(MuscleSimulator{scene}, InputError);
    scene.insertion_frame = {0};
    MuscleSimulator simulator(scene);
    EXPECT_THROW(simulator.set_activation(std::vector{0.1, 0.2}), InputError);
    EXPECT_THROW(simulator.set_activation(std::vector{1.2}), InputError);
}

// [Teran2003, section 4.4]
TEST(BouncingTorus, FallsTouchesAndRisesAgain) {
    const TorusOptions options{.around = 14, .across = 1, .duration = 0.5, .rate = 30.0};
    const TetMesh mesh = torus_tets(options);
    EXPECT_GT(tet_volumes(mesh).minCoeff(), 0.0);
    EXPECT_TRUE(is_watertight(boundary_triangles(mesh.tets)));
    const TorusRun run = bounce_torus(options);
    EXPECT_LT(run.step, run.stable_step);
    // Free fall until it touches: y = h - g t^2 / 2.
    const double fallen = options.height - run.frames[2].col(1).mean();
    EXPECT_NEAR(fallen, 0.5 * 9.80665 * run.times[2] * run.times[2], 2e-4);
    EXPECT_GT(run.highest_rebound, 0.08);
    EXPECT_LT(run.highest_rebound, options.height);
    EXPECT_GT(run.lowest_point, -0.01);
    EXPECT_NEAR(volume(run.frames.back(), mesh.tets) / volume(mesh), 1.0, 0.1);
}

}  // namespace
}  // namespace sinew
