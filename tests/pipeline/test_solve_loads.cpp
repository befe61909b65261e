#include "sinew/base/error.h"
#include "sinew/pipeline/solve_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

SolveScene scene_with(const std::string& body) {
    return parse_solve_scene(R"({"version": 1, "mesh": "a.mesh", )" + body + "}", "loads.json", "");
}

std::string nearly_incompressible(double mu, double nu) {
    return fmt::format(R"("materials": [{{"law": "isochoric_neo_hookean", "young_modulus": {},
                          "poisson_ratio": {}}}])",
                       2.0 * mu * (1.0 + nu), nu);
}

const std::string kRubber = R"("materials": [{"law": "stable_neo_hookean", "young_modulus": 1000,
                               "poisson_ratio": 0.3}])";

// A bar between x = 0 and 1 held against rigid motion only.
const std::string kLoose = R"(, "fixed": [{"box": [[0, -1, -1], [0, 2, 2]], "axes": "x"},
    {"box": [[-1, 0, -1], [2, 0, 2]], "axes": "y"}, {"box": [[-1, -1, 0], [2, 2, 0]], "axes": "z"}])";

/// A cylinder of radius 1 and length 1, twisted by psi: torque and energy over those of the
/// incompressible closed form, M = pi mu psi / 2, W = pi mu psi^2 / 4.
std::array<double, 2> torsion(int cells) {
    TetMesh rest = support::box_of_tets({cells, cells, cells}, {2.0, 2.0, 1.0});
    for (Eigen::Index i = 0; i < rest.points.rows(); ++i) {
        const double a = rest.points(i, 0) - 1.0;
        const double b = rest.points(i, 1) - 1.0;
        const bool is_wide = std::abs(a) > std::abs(b);
        const double r = is_wide ? a : b;
        const double quarter = std::numbers::pi / 4.0;
        const double phi = is_wide    ? quarter * b / a
                           : b == 0.0 ? 0.0
                                      : 2 * quarter - quarter * a / b;
        rest.points(i, 0) = r * std::cos(phi);
        rest.points(i, 1) = r * std::sin(phi);
    }
    const double mu = 1000.0;
    const double psi = 0.5;
    const SolveResult r =
        solve_scene(scene_with(fmt::format(R"({}, "order": 2, "steps": 2, "tolerance": 1e-6,
            "fixed": [{{"box": [[-2, -2, -1e-9], [2, 2, 1e-9]]}}],
            "prescribed": [{{"box": [[-2, -2, 0.999], [2, 2, 1.001]], "rotation": [0, 0, {}]}}])",
                                           nearly_incompressible(mu, 0.49), psi)),
                    rest);
    EXPECT_TRUE(r.is_converged) << r.residual;
    EXPECT_TRUE(r.remarks.empty());
    return {r.reactions[1].moment.z() / (0.5 * std::numbers::pi * mu * psi),
            r.energy / (0.25 * std::numbers::pi * mu * psi * psi)};
}

// nu = 0.49, where linear tetrahedra are half again too stiff.
TEST(SolveLocking, QuadraticTetrahedraTwistAsTheClosedForm) {
    const auto [moment, energy] = torsion(4);
    // Of 16 sides: the polar moment of the polygon is 5 % below that of the circle.
    const double half = std::numbers::pi / 16.0;
    const double polygon = std::sin(2.0 * half) / (2.0 * half) * (2.0 + std::cos(2.0 * half)) / 3.0;
    EXPECT_NEAR(moment, polygon, 0.02);
    EXPECT_NEAR(energy, polygon, 0.02);
}

// The remedy is offered where linear ones are asked for.
TEST(SolveLocking, LinearTetrahedraThatLockAreRemarkedOn) {
    const std::string fixed = R"(, "fixed": [{"box": [[0, 0, 0], [0, 1, 1]]}])";
    const TetMesh cube = support::cube_of_tets(1);
    const SolveResult r = solve_scene(scene_with(nearly_incompressible(1e3, 0.49) + fixed), cube);
    ASSERT_EQ(r.remarks.size(), 1u);
    EXPECT_NE(r.remarks[0].find("order"), std::string::npos);
    EXPECT_TRUE(solve_scene(scene_with(kRubber + fixed), cube).remarks.empty());
}

// P on one face of a bar: the stress everywhere is P whatever the order, and quadratic elements
// reproduce uniform stress exactly (the patch test).
TEST(SolveLoads, TractionAndPressureMakeUniformStress) {
    const TetMesh bar = support::box_of_tets({2, 1, 1}, {1.0, 0.5, 0.5});
    for (const int order : {1, 2}) {
        for (const std::string load :
             {R"("tractions": [{"normal": [1, 0, 0], "angle": 5, "traction": [-10, 0, 0]}])",
              R"("tractions": [{"box": [[1, 0, 0], [1, 1, 1]], "traction": [-10, 0, 0]}])"}) {
            const SolveResult r = solve_scene(
                scene_with(fmt::format(R"({}{}, "order": {}, {})", kRubber, kLoose, order, load)),
                bar);
            ASSERT_TRUE(r.is_converged);
            ASSERT_EQ(r.surfaces.size(), 1u);
            EXPECT_NEAR(r.surfaces[0].area, 0.25, 1e-12);
            EXPECT_NEAR(r.surfaces[0].force.x(), -2.5, 1e-9);
            EXPECT_NEAR(r.reactions[0].force.x(), 2.5, 1e-6);
            const Attribute* stress = find_attribute(r.mesh.tet_data, "cauchy_stress");
            ASSERT_NE(stress, nullptr);
            for (std::size_t t = 1; t < stress->count(); ++t) {
                EXPECT_NEAR(stress->values[9 * t], stress->values[0], 1e-4);
            }
        }
    }
}

// Pressure all around leaves sigma = -p I, and its work along the path is the energy stored.
TEST(SolveLoads, PressureAllAroundIsHydrostatic) {
    const TetMesh cube = support::cube_of_tets(2);
    for (const int order : {1, 2}) {
        const SolveResult r =
            solve_scene(scene_with(fmt::format(R"({}, "order": {}, "steps": 10, "fixed": [
                {{"vertices": [0]}}, {{"vertices": [1], "axes": "xy"}}, {{"vertices": [3], "axes": "x"}}],
                "pressures": [{{"pressure": 300}}])",
                                               kRubber, order)),
                        cube);
        ASSERT_TRUE(r.is_converged) << r.residual;
        const Attribute* stress = find_attribute(r.mesh.tet_data, "cauchy_stress");
        for (std::size_t t = 0; t < stress->count(); ++t) {
            for (const std::size_t k : {0u, 4u, 8u}) {
                EXPECT_NEAR(stress->values[9 * t + k], -300.0, 1e-3);
            }
        }
        EXPECT_LT(r.surfaces[0].force.norm(), 1e-6);
        EXPECT_NEAR(r.path_work, r.energy, 0.01 * r.energy);
        EXPECT_LT(r.least_volume_ratio, 0.8);
        EXPECT_EQ(r.steps, 10);
    }
}

// A follower pressure on one side of a cantilever, with free borders and so without a potential:
// the force stays normal to the surface, and what the clamp takes up is what the surface says.
TEST(SolveLoads, PressureFollowsABendingBeam) {
    const TetMesh bar = support::box_of_tets({10, 1, 1}, {1.0, 0.1, 0.1});
    const SolveResult r =
        solve_scene(scene_with(R"("materials": [{"law": "stable_neo_hookean", "young_modulus": 1e5,
            "poisson_ratio": 0.3}], "order": 2, "steps": 4,
            "fixed": [{"box": [[0, -1, -1], [0, 1, 1]]}],
            "pressures": [{"normal": [0, -1, 0], "angle": 5, "pressure": 40}])"),
                    bar);
    ASSERT_TRUE(r.is_converged) << r.residual;
    EXPECT_LE(r.residual, 1e-9);
    EXPECT_GT(r.mesh.points.col(1).maxCoeff(), 0.4);
    EXPECT_LT((r.surfaces[0].force + r.reactions[0].force).norm(), 1e-6);
    EXPECT_LT(r.surfaces[0].force.x(), -0.5);  // it has turned
}

// A rotation and an affine motion of a whole boundary: F is that of the motion everywhere.
TEST(SolveLoads, AffineMotionOfTheBoundaryIsThatOfTheInside) {
    const TetMesh cube = support::cube_of_tets(3);
    const SolveResult r = solve_scene(scene_with(kRubber + R"(, "steps": 2, "prescribed": [
            {"box": [[0, 0, 0], [0, 1, 1]], "matrix": [[1.1, 0.2, 0], [0, 0.9, 0], [0, 0, 1]], "centre": [1, 0, 0]},
            {"box": [[1, 0, 0], [1, 1, 1]], "matrix": [[1.1, 0.2, 0], [0, 0.9, 0], [0, 0, 1]], "centre": [1, 0, 0]},
            {"box": [[0, 0, 0], [1, 0, 1]], "matrix": [[1.1, 0.2, 0], [0, 0.9, 0], [0, 0, 1]], "centre": [1, 0, 0]},
            {"box": [[0, 1, 0], [1, 1, 1]], "matrix": [[1.1, 0.2, 0], [0, 0.9, 0], [0, 0, 1]], "centre": [1, 0, 0]},
            {"box": [[0, 0, 0], [1, 1, 0]], "matrix": [[1.1, 0.2, 0], [0, 0.9, 0], [0, 0, 1]], "centre": [1, 0, 0]},
            {"box": [[0, 0, 1], [1, 1, 1]], "matrix": [[1.1, 0.2, 0], [0, 0.9, 0], [0, 0, 1]], "centre": [1, 0, 0]}])"),
                                      cube);
    ASSERT_TRUE(r.is_converged);
    Mat3 A;
    A << 1.1, 0.2, 0, 0, 0.9, 0, 0, 0, 1;
    const Vec3 centre(1, 0, 0);
    for (Eigen::Index i = 0; i < cube.points.rows(); ++i) {
        const Vec3 expected = centre + A * (point(cube.points, i) - centre);
        EXPECT_LT((point(r.mesh.points, i) - expected).norm(), 1e-9);
    }
    const SceneHold turn{.rotation = Vec3(0, 0, std::numbers::pi / 2.0), .centre = Vec3(1, 0, 0)};
    EXPECT_LT((turn.target(Vec3(2, 0, 5), 1.0) - Vec3(1, 1, 5)).norm(), 1e-12);
}

// Fibres by a formula and by data of the mesh are those of the vector.
TEST(SolveLoads, FibresByFormulaAndDataAgree) {
    TetMesh cube = support::cube_of_tets(2);
    Attribute data{.name = "along", .components = 3, .values = {}};
    for (Eigen::Index t = 0; t < cube.tets.rows(); ++t) {
        Vec3 centre = Vec3::Zero();
        for (int c = 0; c < 4; ++c) {
            centre += 0.25 * point(cube.points, cube.tets(t, c));
        }
        data.values.insert(data.values.end(), {1.0, centre.y(), 0.0});
    }
    cube.tet_data.push_back(data);
    const auto solved = [&](const std::string& fibre) {
        return solve_scene(scene_with(fmt::format(R"("materials": [{{"law": "guccione", "C": 2000,
            "bf": 8, "bt": 2, "bfs": 4, "K": 1e5, {}}}], "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}],
            "prescribed": [{{"box": [[1, 0, 0], [1, 1, 1]], "displacement": [0.1, 0, 0]}}])",
                                                  fibre)),
                           cube);
    };
    const SolveResult formula = solved(R"("fibre_formula": ["1", "y", "0*x"])");
    const SolveResult from_data = solved(R"("fibre_data": "along")");
    const SolveResult straight = solved(R"("fibre": [1, 0, 0])");
    ASSERT_TRUE(formula.is_converged);
    EXPECT_NEAR(formula.energy, from_data.energy, 1e-10 * formula.energy);
    EXPECT_GT(std::abs(formula.energy / straight.energy - 1.0), 0.01);
    EXPECT_THROW(solved(R"("fibre_data": "absent")"), InputError);
    EXPECT_THROW(solved(R"("fibre_formula": ["0", "0", "0"])"), InputError);
    EXPECT_THROW(solved(R"("fibre_formula": ["1", "y +", "0"])"), InputError);
    EXPECT_THROW(solved(R"("fibre": [1, 0, 0], "fibre_data": "along")"), InputError);
    EXPECT_THROW(solved(R"("density": 1000)"), InputError);
}

TEST(SolveLoads, LawsOfHeartsAndRubberAreKnown) {
    const TetMesh cube = support::cube_of_tets(1);
    for (const std::string law :
         {R"({"law": "ogden", "mu": [630, -10], "alpha": [1.3, -2], "K": 1e4})",
          R"({"law": "holzapfel_ogden", "a": 500, "b": 8, "af": 2000, "bf": 5, "K": 1e4,
              "fibre": [1, 0, 0], "sheet": [0, 1, 0]})"}) {
        const SolveResult r =
            solve_scene(scene_with(fmt::format(
                            R"("materials": [{}], "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}],
                "prescribed": [{{"box": [[1, 0, 0], [1, 1, 1]], "displacement": [0.1, 0, 0]}}])",
                            law)),
                        cube);
        EXPECT_TRUE(r.is_converged) << law;
        EXPECT_GT(r.energy, 0.0);
        EXPECT_GT(r.reactions[1].force.x(), 0.0);
    }
    EXPECT_THROW(
        scene_with(R"("materials": [{"law": "ogden", "mu": [1], "alpha": [1, 2], "K": 1}])"),
        InputError);
}

// A block of weight on a plane: the plane bears its weight. A block pressed by a plane that comes
// down is as short as the plane says, within the depth that is reported.
TEST(SolveContact, PlanesBearWhatIsPressedAgainstThem) {
    const TetMesh cube = support::cube_of_tets(2);
    const SolveResult r =
        solve_scene(scene_with(R"("materials": [{"law": "stable_neo_hookean", "young_modulus": 1e5,
            "poisson_ratio": 0}], "steps": 4, "fixed": [{"box": [[-1, 0, -1], [2, 0, 2]]}],
            "obstacles": [{"shape": "plane", "position": [0, 1.01, 0], "normal": [0, -1, 0],
                           "displacement": [0, -0.11, 0]}])"),
                    cube);
    ASSERT_TRUE(r.is_converged) << r.residual;
    const double height = r.mesh.points.col(1).maxCoeff();
    EXPECT_NEAR(height, 0.9 + r.surfaces[0].depth, 1e-6);
    EXPECT_LT(r.surfaces[0].depth, 0.01);
    EXPECT_NEAR(r.surfaces[0].force.y(), -r.reactions[0].force.y(), 1e-5);
    // About E A strain for nu = 0.
    EXPECT_NEAR(-r.surfaces[0].force.y(), 1e5 * (1.0 - height), 0.25e5 * (1.0 - height));
    // Of the nodes that touch, with their parts of the sides.
    EXPECT_GE(r.surfaces[0].area, 1.0);
    EXPECT_LE(r.surfaces[0].area, 2.0 + 1e-9);
}

TEST(SolveSupports, ALoadedPieceThatMayTurnIsNamed) {
    const TetMesh bar = support::box_of_tets({4, 1, 1}, {1.0, 0.25, 0.25});
    const auto found = [&](const std::string& holds) {
        try {
            solve_scene(scene_with(kRubber + R"(, "gravity": [0, -1, 0], )" + holds), bar);
        } catch (const InputError& error) {
            return error.parts().found;
        }
        return std::string();
    };
    // One vertex holds against translation, an edge along z leaves the turn about z.
    EXPECT_NE(found(R"("fixed": [{"vertices": [0]}])").find("against rotation"), std::string::npos);
    EXPECT_NE(found(R"("fixed": [{"box": [[0, 0, 0], [0, 0, 1]]}])").find("about (0, 0, 1)"),
              std::string::npos)
        << found(R"("fixed": [{"box": [[0, 0, 0], [0, 0, 1]]}])");
    EXPECT_EQ(found(R"("fixed": [{"box": [[0, 0, 0], [0, 1, 1]]}])"), "");
}

TEST(SolveLoads, SurfacesThatAreNotThereAndKeysThatDoNotFitAreRefused) {
    const TetMesh cube = support::cube_of_tets(1);
    const std::string fixed = kRubber + R"(, "fixed": [{"box": [[0, 0, 0], [0, 1, 1]]}], )";
    for (const std::string text :
         {R"("pressures": [{"box": [[5, 5, 5], [6, 6, 6]], "pressure": 1}])",
          R"("pressures": [{"region": 9, "pressure": 1}])",
          R"("pressures": [{"normal": [0, 1, 0]}])",
          R"("pressures": [{"normal": [0, 0, 0], "pressure": 1}])",
          R"("pressures": [{"normal": [0, 1, 0], "facing": [0, 0, 0], "pressure": 1}])",
          R"("obstacles": [{"shape": "plane"}])",
          R"("obstacles": [{"shape": "sphere", "normal": [0, 1, 0]}])", R"("order": 3)",
          R"("steps": 0)", R"("analysis": "dynamics", "steps": 2)",
          R"("method": "projective", "pressures": [{"pressure": 1}])"}) {
        EXPECT_THROW(solve_scene(scene_with(fixed + text), cube), InputError) << text;
    }
}

// Every step of a series is handed out, the first at rest.
TEST(SolveLoads, FramesAreTheLoadSteps) {
    const TetMesh bar = support::box_of_tets({2, 1, 1}, {1.0, 0.5, 0.5});
    std::vector<double> times;
    std::vector<double> lengths;
    const SolveResult r = solve_scene(
        scene_with(kRubber + R"(, "steps": 4, "fixed": [{"box": [[0, 0, 0], [0, 1, 1]]}],
            "prescribed": [{"box": [[1, 0, 0], [1, 1, 1]], "displacement": [0.4, 0, 0]}])"),
        bar, {}, [&](double time, const TetMesh& frame) {
            times.push_back(time);
            lengths.push_back(frame.points.col(0).maxCoeff());
        });
    EXPECT_EQ(times, (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
    EXPECT_NEAR(lengths[2], 1.2, 1e-12);
    EXPECT_NEAR(r.path_work, r.energy, 0.03 * r.energy);
}

}  // namespace
}  // namespace sinew
