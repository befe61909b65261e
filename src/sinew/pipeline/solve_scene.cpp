#include "sinew/pipeline/solve_scene.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/io/mesh_files.h"
#include "sinew/material/lame.h"
#include "sinew/pipeline/solve_problem.h"
#include "sinew/solver/local_global.h"
#include "sinew/solver/time_stepping.h"
#include "sinew/solver/untangle.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Running a scene: statics by Newton or local/global steps, dynamics by implicit Euler, with
// frames, reactions and stresses as they are asked for. What solvers report is passed on.

namespace sinew {

namespace {

Attribute vectors(const char* name, const char* unit, const Points& values) {
    Attribute a{.name = name, .components = 3, .values = {}, .unit = unit};
    a.values.assign(values.data(), values.data() + values.size());
    return a;
}

/// The displaced mesh with displacement, volume ratio and Cauchy stress P F^T / J (by rows; not
/// with symmetric ARAP, whose forces are those of pairs of tetrahedra).
TetMesh displaced(const SceneProblem& problem, const TetMesh& rest, const Points& x,
                  bool has_stress) {
    TetMesh mesh = rest;
    mesh.points = x.topRows(rest.points.rows());
    mesh.point_data.push_back(vectors("displacement", "m", mesh.points - rest.points));
    Attribute ratio{.name = "volume_ratio", .components = 1, .values = {}, .unit = ""};
    Attribute stress{.name = "cauchy_stress", .components = 9, .values = {}, .unit = "Pa"};
    const std::vector<FemQuadratic::State> states = problem.quadratic_term
                                                        ? problem.quadratic_term->states(x)
                                                        : std::vector<FemQuadratic::State>();
    has_stress =
        has_stress && std::ranges::all_of(problem.law_of_tet, [](int l) { return l >= 0; });
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        Eigen::Matrix<double, 3, 3, Eigen::RowMajor> sigma;
        if (!states.empty()) {
            ratio.values.push_back(states[at(t)].volume_ratio);
            sigma = states[at(t)].cauchy;
        } else {
            const Mat3 D_m = edge_matrix(rest.points, rest.tets, t);
            const Mat3 D_s = edge_matrix(mesh.points, rest.tets, t);
            ratio.values.push_back(D_s.determinant() / D_m.determinant());
            if (has_stress) {
                const Mat3 F = D_s * D_m.inverse();
                const Mat3 P = problem.laws[at(problem.law_of_tet[at(t)])]->stress(F);
                sigma = P * F.transpose() / F.determinant();
            }
        }
        if (has_stress) {
            stress.values.insert(stress.values.end(), sigma.data(), sigma.data() + 9);
        }
    }
    mesh.tet_data.push_back(std::move(ratio));
    if (has_stress) {
        mesh.tet_data.push_back(std::move(stress));
    }
    return mesh;
}

/// Measures of the last state.
void describe(const SceneProblem& problem, const TetMesh& rest, const Points& x, bool has_stress,
              SolveResult& result) {
    result.mesh = displaced(problem, rest, x, has_stress);
    result.external_work = problem.loads.cwiseProduct(x - problem.points).sum();
    const Attribute& ratio = *find_attribute(result.mesh.tet_data, "volume_ratio");
    result.least_volume_ratio = *std::min_element(ratio.values.begin(), ratio.values.end());
    if (problem.quadratic_term) {
        for (const FemQuadratic::State& s : problem.quadratic_term->states(x)) {
            result.inverted_tets += s.least_ratio <= 0.0;
        }
    } else {
        result.inverted_tets = count_inverted(x, rest.tets);
    }
}

Points gradient_of(const EnergyTerm& term, const Points& x) {
    Points g = Points::Zero(x.rows(), 3);
    term.add_gradient(x, g);
    return g;
}

/// Terms of loads when a part s of them acts.
EnergyTerms load_terms(const SolveScene& scene, const SceneProblem& problem, double s) {
    EnergyTerms terms = {std::make_shared<ConstantForces>(s * problem.loads)};
    for (const auto& pressure : problem.pressures) {
        if (pressure) {
            pressure->set_factor(s);
            terms.push_back(pressure);
        }
    }
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
        problem.contacts[i]->set_pose(pose_of(scene.obstacles[i], s));
        terms.push_back(problem.contacts[i]);
    }
    return terms;
}

/// Forces of what is held on the body: at equilibrium they balance elastic forces and loads.
Points reactions_at(const EnergyTerms& terms, const VertexConstraints& constraints,
                    const Points& x) {
    Points balance = Points::Zero(x.rows(), 3);
    for (const auto& term : terms) {
        term->add_gradient(x, balance);
    }
    Points free = balance;
    constraints.project(free);
    return balance - free;
}

void add_reactions(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem,
                   const Points& balance, const Points& x, SolveResult& result) {
    for (const SceneHold& hold : scene.holds) {
        SceneReaction& reaction = result.reactions.emplace_back(SceneReaction{.held = hold.name});
        for (const Index v : selected_nodes(hold.vertices, rest, problem, scene.where)) {
            Vec3 f = point(balance, v);
            for (int axis = 0; axis < 3; ++axis) {
                f[axis] = hold.axes[at(axis)] ? f[axis] : 0.0;
            }
            reaction.force += f;
            reaction.moment += (point(x, v) - hold.centre).cross(f);
        }
    }
    result.mesh.point_data.push_back(vectors("reaction", "N", balance.topRows(rest.points.rows())));
}

void add_surface_reports(const SolveScene& scene, const SceneProblem& problem, const Points& x,
                         SolveResult& result) {
    for (std::size_t i = 0; i < scene.surface_loads.size(); ++i) {
        const SceneSurfaceLoad& load = scene.surface_loads[i];
        SceneSurfaceReport report{.name = load.name, .area = problem.faces[i].area};
        report.force = report.area * load.traction;
        if (problem.pressures[i]) {
            report.force -= gradient_of(*problem.pressures[i], x).colwise().sum().transpose();
        }
        result.surfaces.push_back(std::move(report));
    }
    for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
        const ShapeContact::Touch touch = problem.contacts[i]->touch(x);
        result.surfaces.push_back({scene.obstacles[i].name, touch.area, -touch.force, touch.depth});
    }
}

double elastic_energy(const SceneProblem& problem, const Points& x) {
    double sum = 0.0;
    for (const auto& term : problem.elastic) {
        sum += term->value(x);
    }
    return sum;
}

/// A start without inverted elements: middles of edges between ends that were untangled.
Points start_of(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem,
                const VertexConstraints& constraints, Points x, const Progress& progress) {
    // Symmetric ARAP needs no help, and its rest shapes may be flat.
    const bool has_arap = std::ranges::any_of(
        scene.materials, [](const auto& m) { return m.law == SceneLaw::SymmetricArap; });
    Points moved = x;
    constraints.apply(moved);
    if (has_arap || count_inverted(moved, rest.tets) == 0) {
        return moved;
    }
    if (!problem.quadratic) {
        return untangle(rest, constraints, x, progress).x;
    }
    VertexConstraints corners;
    for (const auto& [v, freedom] : constraints.freedoms()) {
        for (int axis = 0; v < rest.points.rows() && axis < 3; ++axis) {
            // Holds of scenes are along axes.
            const auto free = freedom.basis.leftCols(freedom.dimension);
            if ((free.transpose() * Vec3::Unit(axis)).norm() < 0.5) {
                corners.keep_in_plane(v, freedom.origin, Vec3::Unit(axis));
            }
        }
    }
    moved.topRows(rest.points.rows()) =
        untangle(rest, corners, x.topRows(rest.points.rows()), progress).x;
    for (Eigen::Index e = 0; e < problem.quadratic->edges.rows(); ++e) {
        moved.row(rest.points.rows() + e) = 0.5 * (moved.row(problem.quadratic->edges(e, 0)) +
                                                   moved.row(problem.quadratic->edges(e, 1)));
    }
    constraints.apply(moved);
    return moved;
}

/// Forces of loads and holds on the body.
Points outer_forces(const EnergyTerms& loads, const Points& held, const Points& x) {
    Points force = held;
    for (const auto& term : loads) {
        force -= gradient_of(*term, x);
    }
    return force;
}

SolveResult solve_statics(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem,
                          const Progress& progress, const SolveFrames& frames) {
    SolveResult result;
    Points x = problem.points;
    Points held = Points::Zero(x.rows(), 3);
    Points force = held;  // at rest nothing acts
    if (frames) {
        frames(0.0, displaced(problem, rest, x, true));
    }
    result.is_converged = true;
    for (int k = 1; k <= scene.steps; ++k) {
        const double s = static_cast<double>(k) / scene.steps;
        const VertexConstraints constraints = constraints_of(scene, rest, problem, s);
        const Points before = x;
        const Points start = start_of(scene, rest, problem, constraints, x, progress);
        EnergyTerms terms = problem.elastic;
        const EnergyTerms loads = load_terms(scene, problem, s);
        terms.insert(terms.end(), loads.begin(), loads.end());
        NewtonResult solved = minimise(
            terms, constraints, start,
            {.max_iterations = scene.max_iterations, .tolerance = scene.tolerance}, progress);
        result.is_converged &= solved.report.status == NewtonStatus::Converged;
        result.iterations += solved.report.iterations;
        result.residual = solved.report.residual.back();
        result.steps = scene.steps > 1 ? k : 0;
        x = std::move(solved.x);
        held = reactions_at(terms, constraints, x);
        // Work between two states by the mean of both ends' forces.
        const Points force_before = std::move(force);
        force = outer_forces(loads, held, x);
        result.path_work += 0.5 * (force_before + force).cwiseProduct(x - before).sum();
        if (frames) {
            frames(s, displaced(problem, rest, x, true));
        }
        if (!result.is_converged) {
            break;  // what would come next starts from no equilibrium
        }
    }
    result.energy = elastic_energy(problem, x);
    describe(problem, rest, x, true, result);
    add_reactions(scene, rest, problem, held, x, result);
    add_surface_reports(scene, problem, x, result);
    return result;
}

SolveResult solve_dynamics(const SolveScene& scene, const TetMesh& rest,
                           const SceneProblem& problem, const Progress& progress,
                           const SolveFrames& frames) {
    ImplicitEulerOptions options{.step = scene.step, .mass_damping = scene.damping};
    options.newton.max_iterations = scene.max_iterations;
    options.newton.tolerance = scene.tolerance;
    EnergyTerms terms = problem.elastic;
    const EnergyTerms loads = load_terms(scene, problem, 1.0);
    terms.insert(terms.end(), loads.begin(), loads.end());
    ImplicitEuler stepper(terms, problem.masses, problem.constraints, options);
    MovingPoints state{problem.points, Points::Zero(problem.points.rows(), 3), 0.0};

    SolveResult result;
    result.is_converged = true;
    result.steps = static_cast<int>(std::lround(scene.duration / scene.step));
    const auto show = [&] {
        if (frames) {
            TetMesh frame = displaced(problem, rest, state.x, true);
            frame.point_data.push_back(
                vectors("velocity", "m/s", state.v.topRows(rest.points.rows())));
            frames(state.time, frame);
        }
    };
    show();
    auto stage = progress.stage("time steps", static_cast<std::uint64_t>(result.steps));
    for (int step = 0; step < result.steps; ++step) {
        const NewtonReport report = stepper.advance(state);
        result.is_converged &= report.status == NewtonStatus::Converged;
        result.iterations += report.iterations;
        result.residual = report.residual.back();
        show();
        stage.advance();
    }
    result.energy = elastic_energy(problem, state.x);
    describe(problem, rest, state.x, true, result);
    result.mesh.point_data.push_back(
        vectors("velocity", "m/s", state.v.topRows(rest.points.rows())));
    add_surface_reports(scene, problem, state.x, result);
    return result;
}

[[noreturn]] void refuse_projective(const SolveScene& scene, const std::string& found,
                                    const std::string& needs) {
    throw InputError({.where = scene.where,
                      .found = found + " with \"method\": \"projective\"",
                      .needs = needs,
                      .remedy = "use \"method\": \"newton\", which solves every law and support"});
}

/// The projective energy w_rot/2 |F - R|^2 + w_vol/2 |F - P|^2, P the nearest matrix of
/// determinant 1. For a small strain e the second part is w_vol/6 tr(e)^2, so w_rot = 2 mu and
/// w_vol = 3 lambda agree with corotated elasticity there.
std::shared_ptr<ProjectiveTets> projective_tets(const SolveScene& scene, const TetMesh& rest) {
    std::vector<double> rotation;
    std::vector<double> volume;
    for (const std::size_t m : materials_of_tets(scene, rest)) {
        const SceneMaterial& material = scene.materials[m];
        if (material.law != SceneLaw::Corotated || material.poisson_ratio < 0.0) {
            refuse_projective(scene, "another law, or a Poisson's ratio below 0,",
                              "the law 'corotated' with a Poisson's ratio >= 0");
        }
        const Lame lame = lame_from_young(material.young_modulus, material.poisson_ratio);
        rotation.push_back(2.0 * lame.mu);
        volume.push_back(3.0 * lame.lambda);
    }
    return std::make_shared<ProjectiveTets>(rest, rotation, volume);
}

void require_projective(const SolveScene& scene, const SceneProblem& problem) {
    const bool has_pressure =
        std::ranges::any_of(problem.pressures, [](const auto& p) { return p != nullptr; });
    if (has_pressure || !scene.obstacles.empty()) {
        refuse_projective(scene, "pressures or obstacles", "constant forces");
    }
    if (scene.order != 1 || scene.steps != 1) {
        refuse_projective(scene, "quadratic tetrahedra or load steps",
                          "\"order\": 1 and no \"steps\"");
    }
}

SolveResult solve_projective(const SolveScene& scene, const TetMesh& rest, SceneProblem problem,
                             const Progress& progress, const SolveFrames& frames) {
    require_projective(scene, problem);
    const auto tets = projective_tets(scene, rest);
    std::vector<Index> fixed;
    for (const auto& [v, freedom] : problem.constraints.freedoms()) {
        if (freedom.dimension != 0) {
            refuse_projective(scene, "vertices held along some axes only",
                              "vertices held along all axes");
        }
        fixed.push_back(v);
    }
    LocalGlobal solver(rest.points.rows(), {tets}, fixed);
    solver.set_external_forces(problem.loads);
    const LocalGlobalOptions options{.max_iterations = scene.max_iterations,
                                     .tolerance = scene.tolerance};
    Points x = rest.points;
    const auto show = [&](double time) {
        if (frames) {
            frames(time, displaced(problem, rest, x, false));
        }
    };
    show(0.0);
    problem.constraints.apply(x);
    Points v = Points::Zero(x.rows(), 3);

    SolveResult result;
    result.is_converged = true;
    const auto take = [&](const LocalGlobalReport& report) {
        result.is_converged &= report.status == LocalGlobalStatus::Converged;
        result.iterations += report.iterations;
        result.residual = report.residual.empty() ? 1.0 : report.residual.back();
    };
    if (scene.analysis == SceneAnalysis::Statics) {
        take(solver.minimise(x, options, progress));
        show(1.0);
    } else {
        for (double& mass : problem.masses) {
            mass = mass > 0.0 ? mass : 1.0;  // of points without tetrahedra, which are fixed
        }
        solver.set_dynamics(problem.masses, scene.step);
        const double kept = 1.0 / (1.0 + scene.damping * scene.step);
        result.steps = static_cast<int>(std::lround(scene.duration / scene.step));
        auto stage = progress.stage("time steps", static_cast<std::uint64_t>(result.steps));
        for (int step = 0; step < result.steps; ++step) {
            take(solver.advance(x, v, kept, options));
            show((step + 1) * scene.step);
            stage.advance();
        }
    }
    result.energy = tets->value(x);
    describe(problem, rest, x, false, result);
    if (scene.analysis == SceneAnalysis::Dynamics) {
        result.mesh.point_data.push_back(vectors("velocity", "m/s", v));
    } else {
        const EnergyTerms terms = {tets, std::make_shared<ConstantForces>(problem.loads)};
        const Points held = reactions_at(terms, problem.constraints, x);
        result.path_work =
            0.5 * outer_forces({terms[1]}, held, x).cwiseProduct(x - rest.points).sum();
        add_reactions(scene, rest, problem, held, x, result);
    }
    add_surface_reports(scene, problem, x, result);
    return result;
}

/// Linear tetrahedra that hardly change their volume are too stiff.
void remark_on_locking(const SolveScene& scene, SolveResult& result) {
    constexpr double kLocks = 0.45;
    for (const SceneMaterial& m : scene.materials) {
        if (scene.order == 1 && scene.method == SceneMethod::Newton && m.poisson_ratio > kLocks) {
            result.remarks.push_back(fmt::format(
                "linear tetrahedra with a Poisson's ratio of {} lock: bending, torsion and "
                "pressure come out too stiff; use \"order\": 2",
                m.poisson_ratio));
            return;
        }
    }
}

}  // namespace

SolveResult solve_scene(const SolveScene& scene, const TetMesh& rest, const Progress& progress,
                        const SolveFrames& frames) {
    const Timer timer;
    const SceneProblem problem = build_problem(scene, rest);
    SolveResult result;
    if (scene.method == SceneMethod::Projective) {
        result = solve_projective(scene, rest, problem, progress, frames);
    } else if (scene.analysis == SceneAnalysis::Statics) {
        result = solve_statics(scene, rest, problem, progress, frames);
    } else {
        result = solve_dynamics(scene, rest, problem, progress, frames);
    }
    remark_on_locking(scene, result);
    result.seconds = timer.seconds();
    return result;
}

SolveResult solve_scene(const SolveScene& scene, const Progress& progress,
                        const SolveFrames& frames) {
    return solve_scene(scene, read_tets(scene.mesh, scene.read_options), progress, frames);
}

}  // namespace sinew
