#include "sinew/base/random.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/osim.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/wrapping.h"

#include <numbers>

#include "tests/support/shared_data.h"

namespace sinew {
namespace {

// Two bodies on hinges about z, 0.3 m apart.
MusculoskeletalModel two_links() {
    MusculoskeletalModel model;
    model.bodies = {{.name = "upper", .mass = 2.0, .com = Vec3(0, -0.15, 0)},
                    {.name = "lower", .mass = 1.0, .com = Vec3(0, -0.1, 0)}};
    for (RigidBody& body : model.bodies) {
        body.inertia = Vec3(0.02, 0.002, 0.02).asDiagonal();
    }
    for (Index b = 0; b < 2; ++b) {
        ModelJoint joint{.name = b == 0 ? "shoulder" : "elbow",
                         .kind = JointKind::Hinge,
                         .parent = b - 1,
                         .child = b};
        joint.parent_frame.position = b == 0 ? Vec3(0, 1, 0) : Vec3(0, -0.3, 0);
        joint.axes = standard_axes(JointKind::Hinge, b);
        model.joints.push_back(joint);
        model.coordinates.push_back({.name = joint.name, .joint = b, .low = -2.0, .high = 2.0});
    }
    return model;
}

PathPoint point_on(Index body, const Vec3& p) {
    PathPoint point;
    point.anchors = {{body, p, 1.0}};
    return point;
}

MuscleUnit muscle(std::string name, std::vector<PathPoint> points) {
    MuscleUnit unit{.name = std::move(name), .points = std::move(points)};
    unit.fmax = 100.0;
    unit.fibre = 0.1;
    unit.tendon = 0.1;
    return unit;
}

// Largest difference between dl/dq and central differences of fourth order.
double jacobian_error(const MusculoskeletalModel& model, const std::vector<double>& q) {
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const PathState state = paths.evaluate(tree.place(q));
    std::vector<double> dense(q.size());
    double worst = 0.0;
    const double h = 1e-4;
    for (std::size_t c = 0; c < q.size(); ++c) {
        std::array<PathState, 4> at;
        const std::array<double, 4> steps = {-2 * h, -h, h, 2 * h};
        for (std::size_t k = 0; k < 4; ++k) {
            std::vector<double> moved = q;
            moved[c] += steps[k];
            at[k] = paths.evaluate(tree.place(moved));
        }
        for (std::size_t m = 0; m < paths.muscle_count(); ++m) {
            paths.scatter(state, m, dense);
            const double slope =
                (at[0].length[m] - 8 * at[1].length[m] + 8 * at[2].length[m] - at[3].length[m]) /
                (12 * h);
            worst = std::max(worst, std::abs(slope - dense[c]));
        }
    }
    return worst;
}

std::vector<double> random_pose(const MusculoskeletalModel& model, Random& random, double range) {
    std::vector<double> q;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const Coordinate& k = model.coordinates[c];
        const double low = std::max(k.low, -range);
        const double high = std::min(k.high, range);
        q.push_back(random.uniform(low, high));
    }
    return q;
}

TEST(MusclePaths, AStraightMuscleOverAHingeObeysTheLawOfCosines) {
    MusculoskeletalModel model = two_links();
    const double a = 0.2;
    const double b = 0.05;
    model.muscles = {
        muscle("brachialis", {point_on(0, Vec3(0, -0.3 + a, 0)), point_on(1, Vec3(0, -b, 0))})};
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    for (const double angle : {0.1, 0.7, 1.5, 2.0}) {
        const PathState state = paths.evaluate(tree.place(std::vector<double>{0.4, angle}));
        const double l = std::sqrt(a * a + b * b + 2 * a * b * std::cos(angle));
        EXPECT_NEAR(state.length[0], l, 1e-15);
        ASSERT_EQ(paths.coordinates(0).size(), 1U);
        EXPECT_EQ(paths.coordinates(0)[0], 1);
        EXPECT_NEAR(state.jacobian[0], -a * b * std::sin(angle) / l, 1e-15);
    }
}

TEST(MusclePaths, Ryu2021Eq2BlendedAndMovingAndConditionalPointsHaveExactDerivatives) {
    MusculoskeletalModel model = two_links();
    PathPoint blended;
    blended.anchors = {{0, Vec3(0.03, -0.29, 0.01), 0.6}, {1, Vec3(0.03, 0.01, 0.01), 0.4}};
    PathPoint moving = point_on(0, Vec3(0.02, -0.28, 0.0));
    moving.moving[0] = {1,
                        {.kind = ScalarFunction::Kind::SimmSpline,
                         .x = {-2, -1, 0, 1, 2},
                         .y = {0.03, 0.02, 0.03, 0.05, 0.04}}};
    PathPoint sometimes = point_on(1, Vec3(0.04, 0.02, 0.0));
    sometimes.condition = 1;
    sometimes.low = 0.5;
    sometimes.high = 1.5;
    model.muscles = {
        muscle("blended",
               {point_on(-1, Vec3(0.02, 1.05, 0)), blended, point_on(1, Vec3(0.01, -0.1, 0))}),
        muscle("moving",
               {point_on(0, Vec3(0.02, -0.1, 0)), moving, point_on(1, Vec3(0.01, -0.1, 0))}),
        muscle("conditional",
               {point_on(0, Vec3(0.02, -0.1, 0)), sometimes, point_on(1, Vec3(0.01, -0.1, 0))})};
    EXPECT_LT(jacobian_error(model, {0.3, 0.9}), 1e-11);
    EXPECT_LT(jacobian_error(model, {-0.3, -0.4}), 1e-11);
}

WrapObject surface(WrapKind kind, const Vec3& size, Index body) {
    WrapObject wrap{.name = "surface", .body = body, .kind = kind, .size = size};
    wrap.placement.position = Vec3(0.0, -0.3, 0.0);
    wrap.placement.rotation = rotation_from_xyz(Vec3(0.2, 0.1, 0.3));
    return wrap;
}

struct WrapCase {
    std::string name;
    WrapObject wrap;
};

std::vector<WrapCase> wrap_cases() {
    std::vector<WrapCase> cases = {
        {"cylinder", surface(WrapKind::Cylinder, Vec3(0.02, 1.0, 1.0), 0)},
        {"sphere", surface(WrapKind::Sphere, Vec3(0.02, 1.0, 1.0), 0)},
        {"ellipsoid", surface(WrapKind::Ellipsoid, Vec3(0.03, 0.02, 0.015), 0)}};
    WrapCase half{"half cylinder", surface(WrapKind::Cylinder, Vec3(0.02, 1.0, 1.0), 0)};
    half.wrap.side_axis = 0;
    half.wrap.side_sign = 1;
    cases.push_back(half);
    return cases;
}

TEST(Wrapping, JacobiansOverSurfacesAreThoseOfFiniteDifferences) {
    for (const WrapCase& c : wrap_cases()) {
        MusculoskeletalModel model = two_links();
        model.wraps = {c.wrap};
        model.muscles = {muscle(
            "m", {point_on(0, Vec3(0.03, -0.1, 0.005)), point_on(1, Vec3(0.025, -0.08, -0.004))})};
        model.muscles[0].wraps = {{.object = 0}};
        for (const double angle : {-0.3, -0.5}) {
            const std::vector<double> q = {0.2, angle};
            const KinematicTree tree(model);
            const MusclePaths paths(model, tree);
            EXPECT_EQ(paths.route(0, tree.place(q)).size(), 4U) << c.name << " " << angle;
            EXPECT_LT(jacobian_error(model, q), 1e-8) << c.name << " " << angle;
        }
    }
}

TEST(Wrapping, LengthsAreContinuousWhereAPathMeetsASurface) {
    for (const WrapCase& c : wrap_cases()) {
        MusculoskeletalModel model = two_links();
        model.wraps = {c.wrap};
        model.muscles = {muscle(
            "m", {point_on(0, Vec3(0.03, -0.1, 0.005)), point_on(1, Vec3(0.025, -0.08, -0.004))})};
        model.muscles[0].wraps = {{.object = 0}};
        const KinematicTree tree(model);
        const MusclePaths paths(model, tree);
        bool has_met = false;
        std::size_t last_nodes = 0;
        double last = 0.0;
        for (int i = 0; i <= 4000; ++i) {
            const std::vector<double> q = {0.2, -1.5 + 2.0 * i / 4000.0};
            const ModelPlacement place = tree.place(q);
            const double l = paths.evaluate(place).length[0];
            const std::size_t nodes = paths.route(0, place).size();
            if (i > 0) {
                // Moment arms stay below 8 cm, so a step of 0.5 mrad moves less than 40 um.
                EXPECT_LT(std::abs(l - last), 4e-5) << c.name << " at " << q[1];
                has_met = has_met || nodes != last_nodes;
            }
            last = l;
            last_nodes = nodes;
        }
        EXPECT_TRUE(has_met) << c.name;
    }
}

TEST(Wrapping, AnEllipsoidOfEqualRadiiIsASphere) {
    WrapObject sphere = surface(WrapKind::Sphere, Vec3(0.02, 1.0, 1.0), 0);
    WrapObject round = surface(WrapKind::Ellipsoid, Vec3(0.02, 0.02, 0.02), 0);
    Random random(Seed{5});
    int wrapped = 0;
    for (int i = 0; i < 100; ++i) {
        Vec3 p;
        Vec3 s;
        for (int k = 0; k < 3; ++k) {
            p[k] = random.uniform(-0.06, 0.06);
            s[k] = random.uniform(-0.06, 0.06);
        }
        const SurfaceWrap a = wrap_segment(sphere, p, s);
        const SurfaceWrap b = wrap_segment(round, p, s);
        ASSERT_EQ(a.wraps, b.wraps) << i;
        if (a.wraps) {
            ++wrapped;
            EXPECT_NEAR(a.length, b.length, 1e-9) << i;
            EXPECT_LT((a.begin - b.begin).norm(), 1e-6) << i;
            EXPECT_LT((a.end - b.end).norm(), 1e-6) << i;
        }
    }
    EXPECT_GT(wrapped, 10);
}

TEST(Wrapping, ACylinderGivesAHelix) {
    WrapObject wrap = surface(WrapKind::Cylinder, Vec3(0.02, 1.0, 1.0), -1);
    // Symmetric about x: tangents at +-60 degrees from the points' directions.
    const Vec3 p(-0.04, 0.0, -0.03);
    const Vec3 s(0.04, 1e-9, 0.03);
    const SurfaceWrap w = wrap_segment(wrap, p, s);
    ASSERT_TRUE(w.wraps);
    const double arc = 0.02 * std::numbers::pi / 3.0;
    const double flat = 2.0 * std::sqrt(0.0016 - 0.0004) + arc;
    EXPECT_NEAR(w.length, arc * std::sqrt(1.0 + 0.0036 / (flat * flat)), 1e-9);
    EXPECT_NEAR((w.begin - p).norm() + w.length + (s - w.end).norm(), std::hypot(flat, 0.06), 1e-9);
}

TEST(Wrapping, ATorusLeadsThePathThroughItsHole) {
    MusculoskeletalModel model = two_links();
    WrapObject ring = surface(WrapKind::Torus, Vec3(0.004, 0.012, 1.0), 0);
    ring.placement.rotation = rotation_from_xyz(Vec3(std::numbers::pi / 2, 0, 0));
    ring.placement.position = Vec3(0.03, -0.25, 0.0);
    model.wraps = {ring};
    model.muscles = {muscle(
        "m", {point_on(0, Vec3(0.02, -0.1, 0.003)), point_on(1, Vec3(0.01, -0.08, -0.004))})};
    model.muscles[0].wraps = {{.object = 0}};
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const ModelPlacement place = tree.place(std::vector<double>{0.1, -0.4});
    const auto route = paths.route(0, place);
    ASSERT_EQ(route.size(), 4U);
    const Placement T = place.bodies[0] * ring.placement;
    const Vec3 local = T.inverse() * route[1].position;
    EXPECT_LT(std::hypot(local.x(), local.y()), 0.012);
    EXPECT_NEAR(std::hypot(std::hypot(local.x(), local.y()) - 0.012, local.z()), 0.004, 1e-9);
    EXPECT_LT(jacobian_error(model, {0.1, -0.4}), 1e-7);
}

TEST(MusclePaths, Arm26JacobiansAreThoseOfFiniteDifferences) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/arm26/arm26.osim");
    const MusculoskeletalModel model = read_osim(file);
    Random random(Seed{3});
    for (int i = 0; i < 20; ++i) {
        EXPECT_LT(jacobian_error(model, {random.uniform(-1.0, 2.0), random.uniform(0.1, 2.2)}),
                  1e-6);
    }
}

TEST(MusclePaths, MassUnitsHaveTheLengthsOfTheFileAndExactDerivatives) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    const MusculoskeletalModel model = read_mass(folder / "human.xml", folder / "muscle284.xml");
    EXPECT_EQ(model.bodies.size(), 23U);
    EXPECT_EQ(model.muscles.size(), 284U);
    EXPECT_EQ(model.coordinates.size(), 56U);
    const MusculoskeletalModel rigid =
        read_mass(folder / "human.xml", folder / "muscle284.xml", {.blends_waypoints = false});
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const MusclePaths rigid_paths(rigid, tree);
    const ModelPlacement rest = tree.place(rest_coordinates(model));
    const PathState a = paths.evaluate(rest);
    const PathState b = rigid_paths.evaluate(rest);
    for (std::size_t m = 0; m < 284; ++m) {
        EXPECT_NEAR(a.length[m], b.length[m], 1e-12) << model.muscles[m].name;
    }
    // First unit of the file, by hand.
    const double l = std::sqrt(0.1029 * 0.1029 + 0.0174 * 0.0174 + 0.032 * 0.032) +
                     std::sqrt(0.054 * 0.054 + 0.0032 * 0.0032 + 0.0068 * 0.0068) +
                     std::sqrt(0.0364 * 0.0364 + 0.0187 * 0.0187 + 0.0371 * 0.0371);
    EXPECT_NEAR(a.length[0], l, 1e-9);
    Random random(Seed{11});
    EXPECT_LT(jacobian_error(model, random_pose(model, random, 0.8)), 1e-8);
}

}  // namespace
}  // namespace sinew
