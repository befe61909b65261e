#include "sinew/pipeline/solve_scene.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/fem_symmetric_arap.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/io/mesh_files.h"
#include "sinew/material/compressible_neo_hookean.h"
#include "sinew/material/corotated.h"
#include "sinew/material/isochoric_neo_hookean.h"
#include "sinew/material/linear.h"
#include "sinew/material/mooney_rivlin.h"
#include "sinew/material/stable_neo_hookean.h"
#include "sinew/mesh/validity.h"
#include "sinew/solver/local_global.h"
#include "sinew/solver/time_stepping.h"
#include "sinew/solver/untangle.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

/// Everything that scene and mesh make together.
struct SceneProblem {
    EnergyTerms elastic;
    std::vector<double> masses;
    Points loads;  // constant forces, N
    VertexConstraints constraints;
};

std::vector<Index> selected(const SceneVertices& vertices, const TetMesh& rest,
                            const std::string& where) {
    std::vector<Index> chosen;
    for (Eigen::Index i = 0; vertices.box && i < rest.points.rows(); ++i) {
        const Vec3 p = point(rest.points, i);
        if ((p.array() >= vertices.box->low.array()).all() &&
            (p.array() <= vertices.box->high.array()).all()) {
            chosen.push_back(static_cast<Index>(i));
        }
    }
    for (const Index v : vertices.list) {
        if (v < 0 || v >= rest.points.rows()) {
            throw InputError({.where = where,
                              .found = fmt::format("vertex {}", v),
                              .needs = fmt::format("a number from 0 to {}", rest.points.rows() - 1),
                              .remedy = "vertices are counted from 0 in the order of the file"});
        }
        chosen.push_back(v);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    if (chosen.empty()) {
        throw InputError({.where = where,
                          .found = "a selection without vertices",
                          .needs = "at least one vertex",
                          .remedy = "make the box larger; it is in metres, y up, at rest"});
    }
    return chosen;
}

int region_of(const TetMesh& rest, Eigen::Index t) {
    return rest.region.empty() ? 0 : rest.region[static_cast<std::size_t>(t)];
}

/// Which material of the scene each tetrahedron has.
std::vector<std::size_t> materials_of_tets(const SolveScene& scene, const TetMesh& rest) {
    std::map<int, std::size_t> named;
    std::optional<std::size_t> other;
    for (std::size_t m = 0; m < scene.materials.size(); ++m) {
        const auto& region = scene.materials[m].region;
        const bool is_new = region ? named.emplace(*region, m).second : !other;
        if (!is_new) {
            throw InputError({.where = fmt::format("{}: materials[{}]", scene.where, m),
                              .found = region ? fmt::format("region {} a second time", *region)
                                              : "a second material without region",
                              .needs = "one material per region",
                              .remedy = "remove one of them"});
        }
        if (!region) {
            other = m;
        }
    }
    std::vector<std::size_t> of_tet(static_cast<std::size_t>(rest.tets.rows()));
    for (std::size_t t = 0; t < of_tet.size(); ++t) {
        const int region = region_of(rest, static_cast<Eigen::Index>(t));
        const auto found = named.find(region);
        if (found == named.end() && !other) {
            throw InputError(
                {.where = fmt::format("{}: materials", scene.where),
                 .found = fmt::format("none for region {} of tetrahedron {}", region, t),
                 .needs = "a material for every region",
                 .remedy = "add one, or one without 'region' for all others"});
        }
        of_tet[t] = found != named.end() ? found->second : *other;
    }
    return of_tet;
}

std::shared_ptr<const Material> law_of(const SceneMaterial& m) {
    if (m.law == SceneLaw::MooneyRivlin) {
        return std::make_shared<MooneyRivlin>(MooneyRivlinConstants{m.A, m.B, m.K});
    }
    if (m.law == SceneLaw::Muscle || m.law == SceneLaw::Tendon) {
        return std::make_shared<MuscleMaterial>(m.muscle, m.fibre, m.activation);
    }
    const Lame lame = lame_from_young(m.young_modulus, m.poisson_ratio);
    switch (m.law) {
        case SceneLaw::Linear:
            return std::make_shared<Linear>(lame);
        case SceneLaw::Corotated:
            return std::make_shared<Corotated>(lame);
        case SceneLaw::StableNeoHookean:
            return std::make_shared<StableNeoHookean>(lame);
        case SceneLaw::CompressibleNeoHookean:
            return std::make_shared<CompressibleNeoHookean>(lame);
        case SceneLaw::IsochoricNeoHookean:
            return std::make_shared<IsochoricNeoHookean>(lame);
        case SceneLaw::MooneyRivlin:
        case SceneLaw::SymmetricArap:
        case SceneLaw::Muscle:
        case SceneLaw::Tendon:
            break;
    }
    return nullptr;
}

/// Tetrahedra of laws at a point make one term, those of symmetric ARAP another.
EnergyTerms elastic_terms(const SolveScene& scene, const TetMesh& rest,
                          const std::vector<std::size_t>& material_of_tet) {
    TetMesh points_laws;
    TetMesh arap;
    points_laws.points = rest.points;
    arap.points = rest.points;
    std::vector<int> law_of_tet;
    std::vector<double> shear_modulus;
    std::vector<Eigen::Index> rows[2];
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const std::size_t m = material_of_tet[static_cast<std::size_t>(t)];
        const SceneMaterial& material = scene.materials[m];
        const bool is_arap = material.law == SceneLaw::SymmetricArap;
        rows[is_arap].push_back(t);
        if (is_arap) {
            shear_modulus.push_back(
                lame_from_young(material.young_modulus, material.poisson_ratio).mu);
        } else {
            law_of_tet.push_back(static_cast<int>(m));
        }
    }
    std::vector<std::shared_ptr<const Material>> laws;
    for (const SceneMaterial& material : scene.materials) {
        laws.push_back(law_of(material));
    }
    EnergyTerms terms;
    if (!rows[0].empty()) {
        points_laws.tets = rest.tets(rows[0], Eigen::all);
        terms.push_back(std::make_shared<FemElastic>(points_laws, laws, law_of_tet));
    }
    if (!rows[1].empty()) {
        arap.tets = rest.tets(rows[1], Eigen::all);
        terms.push_back(std::make_shared<FemSymmetricArap>(
            arap, symmetric_arap_stiffness(arap, shear_modulus)));
    }
    return terms;
}

Points loads_of(const SolveScene& scene, const TetMesh& rest, const std::vector<double>& masses) {
    Points loads = gravity_forces(masses, scene.gravity);
    for (std::size_t i = 0; i < scene.forces.size(); ++i) {
        const SceneForce& f = scene.forces[i];
        const std::vector<Index> chosen =
            selected(f.vertices, rest, fmt::format("{}: forces[{}]", scene.where, i));
        const double share = f.is_total ? 1.0 / static_cast<double>(chosen.size()) : 1.0;
        for (const Index v : chosen) {
            loads.row(v) += share * f.force.transpose();
        }
    }
    Points density = Points::Zero(rest.tets.rows(), 3);
    for (const SceneBodyForce& f : scene.body_forces) {
        for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
            if (!f.region || *f.region == region_of(rest, t)) {
                density.row(t) += f.density.transpose();
            }
        }
    }
    return loads + body_forces(rest, density);
}

VertexConstraints constraints_of(const SolveScene& scene, const TetMesh& rest,
                                 const std::vector<double>& masses) {
    VertexConstraints constraints;
    for (std::size_t i = 0; i < scene.holds.size(); ++i) {
        const SceneHold& hold = scene.holds[i];
        const std::string where = fmt::format("{}: held vertices, entry {}", scene.where, i);
        for (const Index v : selected(hold.vertices, rest, where)) {
            const Vec3 place = point(rest.points, v) + hold.displacement;
            try {
                for (int axis = 0; axis < 3; ++axis) {
                    if (hold.axes[static_cast<std::size_t>(axis)]) {
                        constraints.keep_in_plane(v, place, Vec3::Unit(axis));
                    }
                }
            } catch (const InputError& error) {
                throw error.within(where);
            }
        }
    }
    // Points that belong to no tetrahedron stay where they are.
    for (std::size_t v = 0; v < masses.size(); ++v) {
        if (masses[v] == 0.0) {
            const auto i = static_cast<Index>(v);
            constraints.fix(i, point(rest.points, i));
        }
    }
    return constraints;
}

/// Pieces that hang together, as one number per vertex; -1 for points without tetrahedra.
std::vector<Index> pieces_of(const TetMesh& rest) {
    std::vector<Index> lead(static_cast<std::size_t>(rest.points.rows()), -1);
    const auto find = [&](Index v) {
        while (lead[static_cast<std::size_t>(v)] != v) {
            Index& up = lead[static_cast<std::size_t>(v)];
            up = lead[static_cast<std::size_t>(up)];
            v = up;
        }
        return v;
    };
    for (const Index v : rest.tets.reshaped()) {
        lead[static_cast<std::size_t>(v)] = v;
    }
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        for (int k = 1; k < 4; ++k) {
            const Index a = find(rest.tets(t, 0));
            const Index b = find(rest.tets(t, k));
            lead[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
    }
    for (Index v = 0; v < rest.points.rows(); ++v) {
        if (lead[static_cast<std::size_t>(v)] >= 0) {
            lead[static_cast<std::size_t>(v)] = find(v);
        }
    }
    return lead;
}

/// In statics every piece that forces pull at must be held along that pull: one that is not would
/// go to infinity and take the solve of all others along.
void require_held(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem) {
    struct Piece {
        Vec3 load = Vec3::Zero();
        double loads = 0.0;        // sum of their lengths
        Mat3 held = Mat3::Zero();  // sum over held directions of n n^T
    };
    const std::vector<Index> piece_of = pieces_of(rest);
    std::map<Index, Piece> pieces;
    for (Index v = 0; v < rest.points.rows(); ++v) {
        if (const Index p = piece_of[static_cast<std::size_t>(v)]; p >= 0) {
            pieces[p].load += problem.loads.row(v).transpose();
            pieces[p].loads += problem.loads.row(v).norm();
        }
    }
    for (const auto& [v, freedom] : problem.constraints.freedoms()) {
        if (const Index p = piece_of[static_cast<std::size_t>(v)]; p >= 0) {
            const auto free = freedom.basis.leftCols(freedom.dimension);
            pieces[p].held += Mat3::Identity() - free * free.transpose();
        }
    }
    for (const auto& [first, piece] : pieces) {
        const Eigen::SelfAdjointEigenSolver<Mat3> held(piece.held);
        for (int k = 0; k < 3; ++k) {
            const Vec3 way = held.eigenvectors().col(k);
            constexpr double kRounding = 1e-9;
            if (held.eigenvalues()[k] > kRounding ||
                std::abs(way.dot(piece.load)) <= kRounding * piece.loads) {
                continue;
            }
            const Index p = first;
            const auto tets =
                std::count_if(rest.tets.col(0).begin(), rest.tets.col(0).end(),
                              [&](Index v) { return piece_of[static_cast<std::size_t>(v)] == p; });
            const Vec3 at = point(rest.points, first);
            throw InputError(
                {.where = scene.where,
                 .found = fmt::format(
                     "a piece of {} tetrahedra, with vertex {} at ({:.4g}, {:.4g}, "
                     "{:.4g}) m, that forces pull and nothing holds{}",
                     tets, first, at.x(), at.y(), at.z(),
                     piece.held.isZero() ? std::string()
                                         : fmt::format(" along ({:.3g}, {:.3g}, {:.3g})", way.x(),
                                                       way.y(), way.z())),
                 .needs = "'fixed' or 'prescribed' vertices in every loaded piece in statics",
                 .remedy = "hold some of its vertices, join it to the rest, or use "
                           "\"analysis\": \"dynamics\""});
        }
    }
}

SceneProblem build_problem(const SolveScene& scene, const TetMesh& rest) {
    require_valid(rest, scene.where);
    const std::vector<std::size_t> material_of_tet = materials_of_tets(scene, rest);
    std::vector<double> density;
    for (const std::size_t m : material_of_tet) {
        density.push_back(scene.materials[m].density);
    }
    SceneProblem problem;
    problem.elastic = elastic_terms(scene, rest, material_of_tet);
    problem.masses = lumped_masses(rest, density);
    problem.loads = loads_of(scene, rest, problem.masses);
    problem.constraints = constraints_of(scene, rest, problem.masses);
    if (scene.analysis == SceneAnalysis::Statics) {
        require_held(scene, rest, problem);
    }
    return problem;
}

Attribute vectors(const char* name, const char* unit, const Points& values) {
    Attribute a{.name = name, .components = 3, .values = {}, .unit = unit};
    a.values.assign(values.data(), values.data() + values.size());
    return a;
}

void describe(const SceneProblem& problem, const TetMesh& rest, Points x, SolveResult& result) {
    const Points displacement = x - rest.points;
    result.external_work = problem.loads.cwiseProduct(displacement).sum();
    result.inverted_tets = count_inverted(x, rest.tets);

    result.mesh = rest;
    result.mesh.points = std::move(x);
    result.mesh.point_data.push_back(vectors("displacement", "m", displacement));
    Attribute ratio{.name = "volume_ratio", .components = 1, .values = {}, .unit = ""};
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        ratio.values.push_back(edge_matrix(result.mesh.points, rest.tets, t).determinant() /
                               edge_matrix(rest.points, rest.tets, t).determinant());
    }
    result.mesh.tet_data.push_back(std::move(ratio));
}

/// Forces of what is held on the body: at equilibrium they balance elastic forces and loads.
void add_reactions(const SolveScene& scene, const SceneProblem& problem, const EnergyTerms& elastic,
                   const TetMesh& rest, SolveResult& result) {
    Points balance = -problem.loads;
    for (const auto& term : elastic) {
        term->add_gradient(result.mesh.points, balance);
    }
    Points free = balance;
    problem.constraints.project(free);
    balance -= free;
    for (const SceneHold& hold : scene.holds) {
        SceneReaction& reaction = result.reactions.emplace_back(SceneReaction{.held = hold.name});
        for (const Index v : selected(hold.vertices, rest, scene.where)) {
            for (int axis = 0; axis < 3; ++axis) {
                if (hold.axes[static_cast<std::size_t>(axis)]) {
                    reaction.force[axis] += balance(v, axis);
                }
            }
        }
    }
    result.mesh.point_data.push_back(vectors("reaction", "N", balance));
}

/// Cauchy stress P F^T / J of each tetrahedron, by rows; nothing with symmetric ARAP, whose forces
/// are those of pairs of tetrahedra.
void add_stress(const SolveScene& scene, const TetMesh& rest, TetMesh& mesh) {
    std::vector<std::shared_ptr<const Material>> laws;
    for (const SceneMaterial& material : scene.materials) {
        laws.push_back(law_of(material));
        if (!laws.back()) {
            return;
        }
    }
    const std::vector<std::size_t> material_of_tet = materials_of_tets(scene, rest);
    Attribute stress{.name = "cauchy_stress", .components = 9, .values = {}, .unit = "Pa"};
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const Mat3 F = edge_matrix(mesh.points, rest.tets, t) *
                       edge_matrix(rest.points, rest.tets, t).inverse();
        const Mat3 P = laws[material_of_tet[static_cast<std::size_t>(t)]]->stress(F);
        const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> sigma =
            P * F.transpose() / F.determinant();
        stress.values.insert(stress.values.end(), sigma.data(), sigma.data() + 9);
    }
    mesh.tet_data.push_back(std::move(stress));
}

double elastic_energy(const SceneProblem& problem, const Points& x) {
    double sum = 0.0;
    for (const auto& term : problem.elastic) {
        sum += term->value(x);
    }
    return sum;
}

EnergyTerms all_terms(const SceneProblem& problem) {
    EnergyTerms terms = problem.elastic;
    terms.push_back(std::make_shared<ConstantForces>(problem.loads));
    return terms;
}

SolveResult solve_statics(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem,
                          const Progress& progress) {
    // Symmetric ARAP needs no help, and its rest shapes may be flat.
    const bool has_arap = std::ranges::any_of(
        scene.materials, [](const auto& m) { return m.law == SceneLaw::SymmetricArap; });
    const Points start =
        has_arap ? rest.points : untangle(rest, problem.constraints, rest.points, progress).x;
    NewtonResult solved =
        minimise(all_terms(problem), problem.constraints, start,
                 {.max_iterations = scene.max_iterations, .tolerance = scene.tolerance}, progress);
    SolveResult result;
    result.is_converged = solved.report.status == NewtonStatus::Converged;
    result.iterations = solved.report.iterations;
    result.residual = solved.report.residual.back();
    result.energy = elastic_energy(problem, solved.x);
    describe(problem, rest, std::move(solved.x), result);
    add_reactions(scene, problem, problem.elastic, rest, result);
    return result;
}

SolveResult solve_dynamics(const SolveScene& scene, const TetMesh& rest,
                           const SceneProblem& problem, const Progress& progress) {
    ImplicitEulerOptions options{.step = scene.step, .mass_damping = scene.damping};
    options.newton.max_iterations = scene.max_iterations;
    options.newton.tolerance = scene.tolerance;
    ImplicitEuler stepper(all_terms(problem), problem.masses, problem.constraints, options);
    MovingPoints state{rest.points, Points::Zero(rest.points.rows(), 3), 0.0};

    SolveResult result;
    result.is_converged = true;
    result.steps = static_cast<int>(std::lround(scene.duration / scene.step));
    auto stage = progress.stage("time steps", static_cast<std::uint64_t>(result.steps));
    for (int step = 0; step < result.steps; ++step) {
        const NewtonReport report = stepper.advance(state);
        result.is_converged &= report.status == NewtonStatus::Converged;
        result.iterations += report.iterations;
        result.residual = report.residual.back();
        stage.advance();
    }
    result.energy = elastic_energy(problem, state.x);
    describe(problem, rest, std::move(state.x), result);
    result.mesh.point_data.push_back(vectors("velocity", "m/s", state.v));
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

SolveResult solve_projective(const SolveScene& scene, const TetMesh& rest, SceneProblem problem,
                             const Progress& progress) {
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
            stage.advance();
        }
    }
    result.energy = tets->value(x);
    describe(problem, rest, std::move(x), result);
    if (scene.analysis == SceneAnalysis::Dynamics) {
        result.mesh.point_data.push_back(vectors("velocity", "m/s", v));
    } else {
        add_reactions(scene, problem, {tets}, rest, result);
    }
    return result;
}

}  // namespace

SolveResult solve_scene(const SolveScene& scene, const TetMesh& rest, const Progress& progress) {
    const Timer timer;
    const SceneProblem problem = build_problem(scene, rest);
    SolveResult result;
    if (scene.method == SceneMethod::Projective) {
        result = solve_projective(scene, rest, problem, progress);
    } else if (scene.analysis == SceneAnalysis::Statics) {
        result = solve_statics(scene, rest, problem, progress);
    } else {
        result = solve_dynamics(scene, rest, problem, progress);
    }
    if (scene.method != SceneMethod::Projective) {
        add_stress(scene, rest, result.mesh);
    }
    result.seconds = timer.seconds();
    return result;
}

SolveResult solve_scene(const SolveScene& scene, const Progress& progress) {
    return solve_scene(scene, read_tets(scene.mesh, scene.read_options), progress);
}

}  // namespace sinew
