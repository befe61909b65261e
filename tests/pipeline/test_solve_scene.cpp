#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/solve_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

SolveScene parsed(const std::string& body) {
    return parse_solve_scene(R"({"version": 1, "mesh": "cube.mesh", )" + body + "}", "test.json",
                             "folder");
}

const std::string kSoft =
    R"("materials": [{"law": "compressible_neo_hookean", "young_modulus": 1.0, "poisson_ratio": 0.45}])";

std::string complaint(const std::string& json) {
    try {
        parse_solve_scene(json, "test.json", ".");
    } catch (const InputError& error) {
        return error.parts().where + " | " + error.parts().found + " | " + error.parts().needs;
    }
    return "";
}

const Attribute& displacement_of(const SolveResult& result) {
    return *find_attribute(result.mesh.point_data, "displacement");
}

TEST(SolveScene, ReadsEveryKey) {
    const SolveScene s = parsed(R"(
        "unit": "mm", "up": "z", "method": "newton", "analysis": "dynamics",
        "materials": [{"region": 3, "law": "mooney_rivlin", "A": 1, "B": 2, "K": 3, "density": 900},
                      {"law": "linear", "young_modulus": 5, "poisson_ratio": 0.25}],
        "fixed": [{"box": [[0, 0, 0], [1, 1, 1]], "axes": "xz"}],
        "prescribed": [{"vertices": [4, 2], "displacement": [1, 2, 3]}],
        "gravity": [0, -9.81, 0],
        "forces": [{"vertices": [1], "each": [1, 0, 0]}, {"vertices": [1, 2], "total": [0, 1, 0]}],
        "body_forces": [{"region": 3, "force_density": [7, 8, 9]}],
        "max_iterations": 7, "tolerance": 1e-6, "step": 0.01, "duration": 0.5, "damping": 2)");
    EXPECT_EQ(s.mesh, std::filesystem::path("folder/cube.mesh"));
    EXPECT_EQ(s.read_options.unit, Unit::Millimetre);
    EXPECT_EQ(s.read_options.up, UpAxis::Z);
    EXPECT_EQ(s.analysis, SceneAnalysis::Dynamics);
    ASSERT_EQ(s.materials.size(), 2U);
    EXPECT_EQ(s.materials[0].region, 3);
    EXPECT_EQ(s.materials[0].law, SceneLaw::MooneyRivlin);
    EXPECT_EQ(s.materials[0].density, 900.0);
    EXPECT_EQ(s.materials[1].poisson_ratio, 0.25);
    ASSERT_EQ(s.holds.size(), 2U);
    EXPECT_EQ(s.holds[0].axes, (std::array<bool, 3>{true, false, true}));
    EXPECT_EQ(s.holds[1].displacement, Vec3(1, 2, 3));
    ASSERT_EQ(s.forces.size(), 2U);
    EXPECT_FALSE(s.forces[0].is_total);
    EXPECT_TRUE(s.forces[1].is_total);
    EXPECT_EQ(s.body_forces[0].density, Vec3(7, 8, 9));
    EXPECT_EQ(s.max_iterations, 7);
    EXPECT_EQ(s.damping, 2.0);
}

TEST(SolveScene, UnknownKeysAreErrorsWithASuggestion) {
    EXPECT_NE(complaint(R"({"version": 1, "mesh": "a", "materials": [], "gravty": [0, 0, 0]})")
                  .find("did you mean 'gravity'"),
              std::string::npos);
    EXPECT_NE(complaint(R"({"version": 1, "mesh": "a", "materials":
                         [{"law": "lineer", "young_modulus": 1, "poisson_ratio": 0}]})")
                  .find("did you mean 'linear'"),
              std::string::npos);
    EXPECT_NE(complaint(R"({"version": 1, "mesh": "a", "materials":
                         [{"law": "linear", "young_modulus": 1, "poisson_ratio": 0, "A": 2}]})")
                  .find("materials[0]"),
              std::string::npos);
}

TEST(SolveScene, WrongValuesAreErrorsWithThePlace) {
    const std::string start = R"({"version": 1, "mesh": "a", "materials": [], )";
    const std::pair<std::string, std::string> cases[] = {
        {"{", "test.json"},
        {"[]", "an object"},
        {R"({"mesh": "a", "materials": []})", "version"},
        {R"({"version": 2, "mesh": "a", "materials": []})", "version"},
        {R"({"version": 1, "materials": []})", "mesh"},
        {R"({"version": 1, "mesh": 3, "materials": []})", "a text"},
        {R"({"version": 1, "mesh": "a"})", "materials"},
        {start + R"("gravity": [0, 1]})", "three numbers"},
        {start + R"("gravity": [0, 1, "2"]})", "gravity[2]"},
        {start + R"("gravity": [0, 1, 1e999]})", "JSON"},
        {start + R"("fixed": [{"axes": "x"}]})", "neither 'box' nor 'vertices'"},
        {start + R"("fixed": [{"vertices": [1], "axes": "w"}]})", "letters"},
        {start + R"("fixed": [{"vertices": [-1]}]})", "vertices[0]"},
        {start + R"("fixed": [{"vertices": [1.5]}]})", "whole number"},
        {start + R"("fixed": [{"box": [[1, 0, 0], [0, 1, 1]]}]})", "lower corner first"},
        {start + R"("forces": [{"vertices": [1]}]})", "neither 'each' nor 'total'"},
        {start + R"("method": "magic"})", "newton, projective"},
        {start + R"("step": 0.1})", "dynamics"},
        {start + R"("tolerance": 0})", "tolerance"},
        {start + R"("max_iterations": 0})", "max_iterations"},
    };
    for (const auto& [json, part] : cases) {
        EXPECT_NE(complaint(json).find(part), std::string::npos) << json << "\n" << complaint(json);
    }
    EXPECT_NE(complaint(R"({"version": 1, "mesh": "a", "materials":
                         [{"law": "linear", "young_modulus": 1, "poisson_ratio": 0.5}]})")
                  .find("above -1 and below 0.5"),
              std::string::npos);
    EXPECT_THROW(read_solve_scene("no-such-file.json"), InputError);
}

// The table of closed forms: E = 1, nu = 0.45, stretch 1.2: lateral stretch 0.920634.
TEST(SolveScene, UniaxialStretchOfACubeHasTheLateralStretchOfTheLaw) {
    const SolveScene scene = parsed(kSoft + R"(,
        "fixed": [{"box": [[0, 0, 0], [0, 1, 1]], "axes": "x"},
                  {"box": [[0, 0, 0], [1, 0, 1]], "axes": "y"},
                  {"box": [[0, 0, 0], [1, 1, 0]], "axes": "z"}],
        "prescribed": [{"box": [[1, 0, 0], [1, 1, 1]], "axes": "x", "displacement": [0.2, 0, 0]}])");
    const SolveResult result = solve_scene(scene, support::cube_of_tets(2));
    EXPECT_TRUE(result.is_converged);
    EXPECT_GT(result.iterations, 0);
    EXPECT_LT(result.residual, 1e-9);
    EXPECT_EQ(result.inverted_tets, 0);
    EXPECT_NEAR(result.mesh.points.col(0).maxCoeff(), 1.2, 1e-12);
    EXPECT_NEAR(result.mesh.points.col(2).maxCoeff(), 0.920634, 1e-6);
    // W of the law at these stretches, by hand: mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J
    const double mu = 1.0 / 2.9;
    const double lambda = 0.45 / (1.45 * 0.1);
    const double J = 1.2 * 0.920634 * 0.920634;
    const double W = 0.5 * mu * (1.44 + 2.0 * 0.920634 * 0.920634 - 3.0) - mu * std::log(J) +
                     0.5 * lambda * std::log(J) * std::log(J);
    EXPECT_NEAR(result.energy, W, 1e-6);
    const Attribute& u = displacement_of(result);
    EXPECT_EQ(u.components, 3);
    EXPECT_EQ(u.count(), static_cast<std::size_t>(result.mesh.points.rows()));
    const Attribute* ratio = find_attribute(result.mesh.tet_data, "volume_ratio");
    ASSERT_NE(ratio, nullptr);
    EXPECT_NEAR(ratio->values[5], J, 1e-5);
    // Its Cauchy stress by hand: (mu (s^2 - 1) + lambda ln J) / J along, nothing across.
    const Attribute* stress = find_attribute(result.mesh.tet_data, "cauchy_stress");
    ASSERT_NE(stress, nullptr);
    ASSERT_EQ(stress->components, 9);
    const auto entry = [&](std::size_t k) { return stress->values[9 * 5 + k]; };
    EXPECT_NEAR(entry(0), (mu * (1.44 - 1.0) + lambda * std::log(J)) / J, 1e-5);
    for (const std::size_t k : {1u, 2u, 4u, 5u, 8u}) {
        EXPECT_NEAR(entry(k), 0.0, 1e-5) << k;
    }
}

// A column with nu = 0 under its weight: the top sinks by rho g L^2 / (2 E). Gravity and the body
// force of the same size are one.
TEST(SolveScene, ColumnSinksUnderItsWeightAsByHand) {
    const TetMesh column = support::box_of_tets({1, 12, 1}, {0.2, 1.0, 0.2});
    const std::string material =
        R"("materials": [{"law": "linear", "young_modulus": 1e6, "poisson_ratio": 0, "density": 1000}],
           "fixed": [{"box": [[0, 0, 0], [1, 0, 1]]}], )";
    const SolveResult a = solve_scene(parsed(material + R"("gravity": [0, -10, 0])"), column);
    const SolveResult b = solve_scene(
        parsed(material + R"("body_forces": [{"force_density": [0, -10000, 0]}])"), column);
    const double sink = 1000.0 * 10.0 / (2.0 * 1e6);
    double mean = 0.0;
    for (Eigen::Index i = 0; i < column.points.rows(); ++i) {
        mean += column.points(i, 1) > 0.99 ? 0.25 * (1.0 - a.mesh.points(i, 1)) : 0.0;
    }
    EXPECT_NEAR(mean, sink, 0.02 * sink);
    EXPECT_LT((a.mesh.points - b.mesh.points).norm(), 1e-12);
    EXPECT_EQ(a.iterations, 1);
    EXPECT_NEAR(a.external_work, 2.0 * a.energy, 1e-6 * a.energy);  // Clapeyron
}

TEST(SolveScene, RegionsHaveTheirOwnMaterials) {
    TetMesh bar = support::box_of_tets({4, 1, 1}, {1.0, 0.25, 0.25});
    for (Eigen::Index t = 0; t < bar.tets.rows(); ++t) {
        bar.region.push_back(t < bar.tets.rows() / 2 ? 5 : 6);
    }
    const std::string loads = R"(, "fixed": [{"box": [[0, 0, 0], [0, 1, 1]]}],
        "forces": [{"box": [[1, 0, 0], [1, 1, 1]], "total": [10, 0, 0]}])";
    const SolveResult r = solve_scene(
        parsed(
            R"("materials": [{"region": 5, "law": "corotated", "young_modulus": 1e3, "poisson_ratio": 0},
                                {"law": "symmetric_arap", "young_modulus": 1e6, "poisson_ratio": 0}])" +
            loads),
        bar);
    EXPECT_TRUE(r.is_converged);
    // F L / (E A) = 10 * 0.5 / (1e3 * 0.0625) in the soft half; the hard one hardly stretches.
    EXPECT_NEAR(r.mesh.points.col(0).maxCoeff() - 1.0, 0.08, 0.004);
    EXPECT_THROW(solve_scene(parsed(R"("materials": [{"region": 5, "law": "linear",
                     "young_modulus": 1e3, "poisson_ratio": 0}])" +
                                    loads),
                             bar),
                 InputError);
}

TEST(SolveScene, EachAndTotalForcesAgree) {
    const TetMesh cube = support::cube_of_tets(1);
    const std::string fixed = kSoft + R"(, "fixed": [{"box": [[0, 0, 0], [1, 0, 1]]}], )";
    const SolveResult each = solve_scene(
        parsed(fixed + R"("forces": [{"box": [[0, 1, 0], [1, 1, 1]], "each": [0, 0.01, 0]}])"),
        cube);
    const SolveResult total = solve_scene(
        parsed(fixed + R"("forces": [{"box": [[0, 1, 0], [1, 1, 1]], "total": [0, 0.04, 0]}])"),
        cube);
    EXPECT_LT((each.mesh.points - total.mesh.points).norm(), 1e-12);
    EXPECT_GT(each.mesh.points.col(1).maxCoeff(), 1.01);
}

// Implicit Euler falls by g h^2 n (n + 1) / 2 in n steps.
TEST(SolveScene, DynamicsOfAFreeBodyIsFreeFall) {
    const SolveScene scene = parsed(kSoft + R"(, "analysis": "dynamics", "gravity": [0, -10, 0],
        "step": 0.01, "duration": 0.1)");
    const SolveResult result = solve_scene(scene, support::cube_of_tets(1));
    EXPECT_EQ(result.steps, 10);
    EXPECT_TRUE(result.is_converged);
    EXPECT_NEAR(displacement_of(result).values[1], -10.0 * 1e-4 * 55.0, 1e-9);
    const Attribute* velocity = find_attribute(result.mesh.point_data, "velocity");
    ASSERT_NE(velocity, nullptr);
    EXPECT_NEAR(velocity->values[1], -1.0, 1e-8);
}

TEST(SolveScene, PointsWithoutTetrahedraStay) {
    TetMesh cube = support::cube_of_tets(1);
    cube.points.conservativeResize(9, 3);
    cube.points.row(8) << 5, 5, 5;
    const SolveResult r = solve_scene(parsed(kSoft + R"(, "gravity": [0, -1e-5, 0],
        "fixed": [{"box": [[0, 0, 0], [1, 0, 1]]}])"),
                                      cube);
    EXPECT_TRUE(r.is_converged);
    EXPECT_EQ(point(r.mesh.points, 8), Vec3(5, 5, 5));
}

TEST(SolveScene, ScenesThatDoNotFitTheMeshAreRefused) {
    const TetMesh cube = support::cube_of_tets(1);
    EXPECT_THROW(solve_scene(parsed(kSoft + R"(, "gravity": [0, -1, 0])"), cube), InputError);
    EXPECT_THROW(solve_scene(parsed(kSoft + R"(, "fixed": [{"vertices": [8]}])"), cube),
                 InputError);
    EXPECT_THROW(
        solve_scene(parsed(kSoft + R"(, "fixed": [{"box": [[2, 2, 2], [3, 3, 3]]}])"), cube),
        InputError);
    EXPECT_THROW(solve_scene(parsed(kSoft + R"(, "fixed": [{"vertices": [0]}],
        "prescribed": [{"vertices": [0], "displacement": [1, 0, 0]}])"),
                             cube),
                 InputError);
    EXPECT_THROW(solve_scene(parsed(R"("materials": [
        {"law": "linear", "young_modulus": 1, "poisson_ratio": 0},
        {"law": "linear", "young_modulus": 1, "poisson_ratio": 0}])"),
                             cube),
                 InputError);
}

// At small strain the projective energy is that of the corotated law; at nu = 0 it is the same.
TEST(SolveScene, ProjectiveAgreesWithNewton) {
    const TetMesh bar = support::box_of_tets({6, 2, 2}, {0.6, 0.2, 0.2});
    const auto sag = [&](const std::string& method, double nu, double gravity) {
        return solve_scene(parsed(fmt::format(R"("method": "{}", "gravity": [0, {}, 0], "materials":
                [{{"law": "corotated", "young_modulus": 1e5, "poisson_ratio": {}}}],
                "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}])",
                                              method, gravity, nu)),
                           bar);
    };
    for (const auto& [nu, gravity, tolerance] :
         {std::tuple(0.0, -9.81, 1e-3), std::tuple(0.4, -0.5, 1e-2)}) {
        const SolveResult newton = sag("newton", nu, gravity);
        const SolveResult projective = sag("projective", nu, gravity);
        EXPECT_TRUE(projective.is_converged);
        EXPECT_LE(projective.residual, 1e-5);
        const Points u = newton.mesh.points - bar.points;
        EXPECT_LT((projective.mesh.points - newton.mesh.points).norm(), tolerance * u.norm());
        EXPECT_NEAR(projective.energy, newton.energy, 2.0 * tolerance * newton.energy);
    }
}

// A thousandth of a load bends a thousandth as far, by both methods, and both say so: forces of
// tetrahedra summed in single precision drown loads as small as these.
TEST(SolveScene, SmallLoadsConvergeToWhatTheyBend) {
    const TetMesh bar = support::box_of_tets({6, 2, 2}, {0.3, 0.05, 0.05});
    const auto sag = [&](const std::string& method, double nu, double gravity) {
        return solve_scene(parsed(fmt::format(R"("method": "{}", "gravity": [0, {}, 0],
                "tolerance": 1e-6, "max_iterations": 2000, "materials":
                [{{"law": "corotated", "young_modulus": 1e5, "poisson_ratio": {}}}],
                "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}])",
                                              method, gravity, nu)),
                           bar);
    };
    for (const double nu : {0.0, 0.4}) {
        for (const double gravity : {-0.0981, -0.00981, -9.81e-4}) {
            SCOPED_TRACE(fmt::format("nu {}, gravity {}", nu, gravity));
            const SolveResult newton = sag("newton", nu, gravity);
            const SolveResult projective = sag("projective", nu, gravity);
            EXPECT_TRUE(newton.is_converged);
            EXPECT_TRUE(projective.is_converged);
            EXPECT_LE(projective.residual, 1e-6);
            const Points u = newton.mesh.points - bar.points;
            EXPECT_LT((projective.mesh.points - newton.mesh.points).norm(), 2e-3 * u.norm());
        }
    }
}

// At a millionth of the weight the local step's single precision drowns the load: whatever the
// method comes to, it says converged only of what agrees with Newton's.
TEST(SolveScene, ConvergedAtAMillionthOfTheLoadIsTrue) {
    const TetMesh bar = support::box_of_tets({6, 2, 2}, {0.3, 0.05, 0.05});
    for (const double gravity : {-9.81e-5, -9.81e-6}) {
        const auto sag = [&](const std::string& method) {
            return solve_scene(parsed(fmt::format(R"("method": "{}", "gravity": [0, {}, 0],
                "tolerance": 1e-5,
                "materials": [{{"law": "corotated", "young_modulus": 1e5, "poisson_ratio": 0.4}}],
                "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}])",
                                                  method, gravity)),
                               bar);
        };
        const SolveResult newton = sag("newton");
        const SolveResult projective = sag("projective");
        EXPECT_TRUE(newton.is_converged) << newton.residual;
        EXPECT_EQ(projective.is_converged, projective.residual <= 1e-5) << projective.residual;
        const Points u = newton.mesh.points - bar.points;
        const double error = (projective.mesh.points - newton.mesh.points).norm() / u.norm();
        if (projective.is_converged) {
            EXPECT_LT(error, 1e-2);
        } else {
            EXPECT_GT(projective.residual, 1e-5);
        }
    }
}

// A solver that was stopped, or came to what its numbers can resolve, above the tolerance has not
// converged, whatever the method.
TEST(SolveScene, OnlyAResidualBelowTheToleranceConverges) {
    const TetMesh bar = support::box_of_tets({6, 2, 2}, {0.3, 0.05, 0.05});
    for (const std::string method : {"newton", "projective"}) {
        for (const double tolerance : {1e-3, 1e-9, 1e-12, 1e-15}) {
            const SolveResult result =
                solve_scene(parsed(fmt::format(R"("method": "{}", "gravity": [0, -1, 0],
                "tolerance": {}, "max_iterations": 300, "materials":
                [{{"law": "corotated", "young_modulus": 1e5, "poisson_ratio": 0.3}}],
                "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}])",
                                               method, tolerance)),
                            bar);
            SCOPED_TRACE(fmt::format("{}, {}: {}", method, tolerance, result.residual));
            EXPECT_EQ(result.is_converged, result.residual <= tolerance);
            if (method == "newton" && tolerance >= 1e-12) {
                EXPECT_TRUE(result.is_converged);
            }
        }
    }
}

// Two cubes that share no vertex; only one of them is held.
TEST(SolveScene, ALoadedPieceThatNothingHoldsIsNamed) {
    const TetMesh one = support::cube_of_tets(2);
    TetMesh two;
    two.points.resize(2 * one.points.rows(), 3);
    two.points << one.points, (one.points.rowwise() + Eigen::RowVector3d(5.0, 0.0, 0.0));
    two.tets.resize(2 * one.tets.rows(), 4);
    two.tets << one.tets, (one.tets.array() + static_cast<Index>(one.points.rows())).matrix();
    const auto message = [&](const std::string& scene) {
        try {
            solve_scene(parsed(kSoft + scene), two);
        } catch (const InputError& error) {
            return error.parts().found;
        }
        return std::string();
    };
    const std::string fixed = R"("fixed": [{"box": [[0, 0, 0], [0, 1, 1]]}])";
    EXPECT_NE(message(R"(, "gravity": [0, -1e-3, 0], )" + fixed)
                  .find(fmt::format("a piece of {} tetrahedra, with vertex {} at (5",
                                    one.tets.rows(), one.points.rows())),
              std::string::npos);
    // Held along x only, and pulled along y.
    EXPECT_NE(message(R"(, "gravity": [0, -1e-3, 0], "fixed": [{"box": [[0, 0, 0], [0, 1, 1]]},
        {"box": [[5, 0, 0], [5, 1, 1]], "axes": "x"}])")
                  .find("along"),
              std::string::npos);
    // Forces on the held one alone are fine: the other stays where it is.
    EXPECT_EQ(message(R"(, "forces": [{"box": [[1, 0, 0], [1, 1, 1]], "total": [0, -1e-3, 0]}], )" +
                      fixed),
              "");
}

// What is held takes up the weight; rollers take up nothing along their plane.
TEST(SolveScene, ReactionsBalanceTheLoads) {
    const TetMesh bar = support::box_of_tets({6, 2, 2}, {0.6, 0.2, 0.2});
    const double weight = 1000.0 * 0.6 * 0.2 * 0.2 * 9.81;
    for (const std::string method : {"newton", "projective"}) {
        const SolveResult result =
            solve_scene(parsed(fmt::format(R"("method": "{}", "gravity": [0, -9.81, 0],
            "tolerance": 1e-8, "max_iterations": 5000,
            "materials": [{{"law": "corotated", "young_modulus": 1e6, "poisson_ratio": 0.3}}],
            "fixed": [{{"box": [[0, 0, 0], [0, 1, 1]]}}],
            "prescribed": [{{"box": [[0.6, 0, 0], [0.6, 1, 1]], "displacement": [0, 0, 0]}}])",
                                           method)),
                        bar);
        ASSERT_EQ(result.reactions.size(), 2u);
        EXPECT_EQ(result.reactions[0].held, "fixed[0]");
        EXPECT_EQ(result.reactions[1].held, "prescribed[0]");
        const Vec3 sum = result.reactions[0].force + result.reactions[1].force;
        EXPECT_NEAR(sum.y(), weight, 1e-5 * weight);
        EXPECT_NEAR(sum.x(), 0.0, 1e-5 * weight);
        EXPECT_NEAR(result.reactions[0].force.y(), 0.5 * weight, 0.02 * weight);
        EXPECT_NEAR(result.reactions[0].force.x(), -result.reactions[1].force.x(), 1e-5 * weight);
    }
}

TEST(SolveScene, ProjectiveDynamicsFallsFreely) {
    const SolveScene scene = parsed(R"("method": "projective", "analysis": "dynamics",
        "materials": [{"law": "corotated", "young_modulus": 1e4, "poisson_ratio": 0.3}],
        "gravity": [0, -10, 0], "step": 0.01, "duration": 0.1)");
    const SolveResult result = solve_scene(scene, support::cube_of_tets(1));
    EXPECT_EQ(result.steps, 10);
    EXPECT_NEAR(displacement_of(result).values[1], -10.0 * 1e-4 * 55.0, 1e-5);
}

TEST(SolveScene, ProjectiveRefusesWhatItCannotExpress) {
    const TetMesh cube = support::cube_of_tets(1);
    EXPECT_THROW(solve_scene(parsed(kSoft + R"(, "method": "projective",
        "fixed": [{"vertices": [0]}])"),
                             cube),
                 InputError);
    EXPECT_THROW(solve_scene(parsed(R"("method": "projective", "materials":
        [{"law": "corotated", "young_modulus": 1, "poisson_ratio": 0.2}],
        "fixed": [{"vertices": [0], "axes": "x"}])"),
                             cube),
                 InputError);
}

TEST(SolveScene, TheExampleRuns) {
    const SolveScene scene =
        read_solve_scene(std::filesystem::path(SINEW_EXAMPLES) / "solve_beam.json");
    const SolveResult result = solve_scene(scene);
    EXPECT_TRUE(result.is_converged);
    EXPECT_EQ(result.inverted_tets, 0);
    EXPECT_LT(result.mesh.points.col(1).minCoeff(), -0.05);  // it sags
    EXPECT_GT(result.mesh.points.col(2).maxCoeff(), 0.12);   // and is pushed aside
}

}  // namespace
}  // namespace sinew
