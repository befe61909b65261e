#include "sinew/pipeline/solve_problem.h"

#include "sinew/base/error.h"
#include "sinew/base/formula.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/fem_symmetric_arap.h"
#include "sinew/energy/masses.h"
#include "sinew/io/mesh_files.h"
#include "sinew/material/compressible_neo_hookean.h"
#include "sinew/material/corotated.h"
#include "sinew/material/isochoric_neo_hookean.h"
#include "sinew/material/linear.h"
#include "sinew/material/mooney_rivlin.h"
#include "sinew/material/stable_neo_hookean.h"
#include "sinew/mesh/validity.h"
#include "sinew/pipeline/solve_supports.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

// A scene and a mesh become terms and supports. Everything that can be wrong with the pair is found
// here, before a solve begins: regions without a material, selections without a vertex, pieces that
// nothing holds. Loads and motions are functions of a part s in [0, 1], so statics can be reached
// in steps.

namespace sinew {

namespace {

int region_of(const TetMesh& rest, Eigen::Index t) {
    return rest.region.empty() ? 0 : rest.region[at(t)];
}

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

Vec3 centre_of(const TetMesh& rest, Eigen::Index t) {
    Vec3 sum = Vec3::Zero();
    for (int c = 0; c < 4; ++c) {
        sum += 0.25 * point(rest.points, rest.tets(t, c));
    }
    return sum;
}

/// A scene's direction in every tetrahedron.
class DirectionField {
public:
    DirectionField(const SceneDirection& direction, const TetMesh& rest, const std::string& where)
        : direction_(direction), rest_(rest), where_(where) {
        for (const std::string& text : direction.formula) {
            formulas_.emplace_back(text, where);
        }
        if (direction.data.empty()) {
            return;
        }
        data_ = find_attribute(rest.tet_data, direction.data);
        if (data_ == nullptr || data_->components != 3) {
            std::string names;
            for (const Attribute& a : rest.tet_data) {
                names += (names.empty() ? "" : ", ") + a.name;
            }
            throw InputError(
                {.where = where,
                 .found = fmt::format("'{}', and element data of the mesh: {}", direction.data,
                                      names.empty() ? "none" : names),
                 .needs = "the name of element data with three components",
                 .remedy = "write them to the mesh file (.vtu, .msh), or give a formula"});
        }
    }
    /// Whether all tetrahedra have the same.
    bool is_constant() const {
        return formulas_.empty() && data_ == nullptr;
    }
    Vec3 of_tet(Eigen::Index t) const {
        Vec3 v = direction_.vector;
        if (!formulas_.empty()) {
            const Vec3 p = centre_of(rest_, t);
            for (int k = 0; k < 3; ++k) {
                v[k] = formulas_[at(k)].at(p.x(), p.y(), p.z());
            }
        } else if (data_ != nullptr) {
            v = Eigen::Map<const Vec3>(data_->values.data() + 3 * at(t));
        }
        if (!v.allFinite() || !(v.norm() > 0.0)) {
            const Vec3 p = centre_of(rest_, t);
            throw InputError({.where = where_,
                              .found = fmt::format("({}, {}, {}) in tetrahedron {} at ({:.4g}, "
                                                   "{:.4g}, {:.4g}) m",
                                                   v.x(), v.y(), v.z(), t, p.x(), p.y(), p.z()),
                              .needs = "a direction, any length > 0",
                              .remedy = "mend the formula or the data there"});
        }
        return v;
    }

private:
    const SceneDirection& direction_;
    const TetMesh& rest_;
    std::string where_;
    std::vector<Formula> formulas_ = {};
    const Attribute* data_ = nullptr;
};

bool has_fibres(SceneLaw law) {
    return law == SceneLaw::Muscle || law == SceneLaw::Tendon || law == SceneLaw::Guccione ||
           law == SceneLaw::HolzapfelOgden;
}

std::shared_ptr<const Material> law_of(const SceneMaterial& m, const Vec3& fibre,
                                       const Vec3& sheet) {
    const auto lame = [&] { return lame_from_young(m.young_modulus, m.poisson_ratio); };
    switch (m.law) {
        case SceneLaw::Linear:
            return std::make_shared<Linear>(lame());
        case SceneLaw::Corotated:
            return std::make_shared<Corotated>(lame());
        case SceneLaw::StableNeoHookean:
            return std::make_shared<StableNeoHookean>(lame());
        case SceneLaw::CompressibleNeoHookean:
            return std::make_shared<CompressibleNeoHookean>(lame());
        case SceneLaw::IsochoricNeoHookean:
            return std::make_shared<IsochoricNeoHookean>(lame());
        case SceneLaw::MooneyRivlin:
            return std::make_shared<MooneyRivlin>(MooneyRivlinConstants{m.A, m.B, m.K});
        case SceneLaw::Ogden:
            return std::make_shared<Ogden>(m.ogden);
        case SceneLaw::Muscle:
        case SceneLaw::Tendon:
            return std::make_shared<MuscleMaterial>(m.muscle, fibre, m.activation);
        case SceneLaw::Guccione:
            return std::make_shared<Guccione>(m.guccione, fibre);
        case SceneLaw::HolzapfelOgden:
            return std::make_shared<HolzapfelOgden>(m.holzapfel_ogden, fibre, sheet);
        case SceneLaw::SymmetricArap:
            break;
    }
    return nullptr;
}

/// One law per material, or per tetrahedron where fibres differ from one to the next.
void add_laws(const SolveScene& scene, const TetMesh& rest,
              const std::vector<std::size_t>& material_of_tet, SceneProblem& problem) {
    problem.law_of_tet.assign(material_of_tet.size(), -1);
    for (std::size_t m = 0; m < scene.materials.size(); ++m) {
        const SceneMaterial& material = scene.materials[m];
        const std::string where = fmt::format("{}: materials[{}]", scene.where, m);
        const DirectionField fibre(material.fibre, rest, where + ".fibre");
        const DirectionField sheet(material.sheet, rest, where + ".sheet");
        const bool is_same =
            !has_fibres(material.law) || (fibre.is_constant() && sheet.is_constant());
        try {
            if (is_same) {
                problem.laws.push_back(
                    law_of(material, material.fibre.vector, material.sheet.vector));
            }
            for (std::size_t t = 0; t < material_of_tet.size(); ++t) {
                if (material_of_tet[t] != m || material.law == SceneLaw::SymmetricArap) {
                    continue;
                }
                if (!is_same) {
                    const auto row = static_cast<Eigen::Index>(t);
                    problem.laws.push_back(law_of(material, fibre.of_tet(row), sheet.of_tet(row)));
                }
                problem.law_of_tet[t] = static_cast<int>(problem.laws.size()) - 1;
            }
        } catch (const InputError& error) {
            throw error.within(where);
        }
    }
}

/// Tetrahedra of laws at a point make one term, those of symmetric ARAP another.
void add_elastic_terms(const SolveScene& scene, const TetMesh& rest,
                       const std::vector<std::size_t>& material_of_tet, SceneProblem& problem) {
    std::vector<double> shear_modulus;
    std::vector<int> laws;
    std::vector<Eigen::Index> rows[2];
    for (std::size_t t = 0; t < material_of_tet.size(); ++t) {
        const SceneMaterial& material = scene.materials[material_of_tet[t]];
        const bool is_arap = material.law == SceneLaw::SymmetricArap;
        rows[is_arap].push_back(static_cast<Eigen::Index>(t));
        if (is_arap) {
            shear_modulus.push_back(
                lame_from_young(material.young_modulus, material.poisson_ratio).mu);
        } else {
            laws.push_back(problem.law_of_tet[t]);
        }
    }
    if (problem.quadratic) {
        if (!rows[1].empty()) {
            throw InputError({.where = scene.where,
                              .found = "the law 'symmetric_arap' with \"order\": 2",
                              .needs = "a law at a point for quadratic tetrahedra",
                              .remedy = "use \"order\": 1, or another law"});
        }
        problem.quadratic_term =
            std::make_shared<FemQuadratic>(*problem.quadratic, problem.laws, problem.law_of_tet);
        problem.elastic.push_back(problem.quadratic_term);
        return;
    }
    if (!rows[0].empty()) {
        const TetMesh part{.points = rest.points, .tets = rest.tets(rows[0], Eigen::all)};
        problem.elastic.push_back(std::make_shared<FemElastic>(part, problem.laws, laws));
    }
    if (!rows[1].empty()) {
        const TetMesh part{.points = rest.points, .tets = rest.tets(rows[1], Eigen::all)};
        problem.elastic.push_back(std::make_shared<FemSymmetricArap>(
            part, symmetric_arap_stiffness(part, shear_modulus)));
    }
}

/// Triangles of the boundary with the tetrahedron of each.
struct BoundaryFaces {
    std::vector<std::array<Index, 3>> corners;
    std::vector<Index> tet;
};

BoundaryFaces boundary_faces(const TetMesh& rest) {
    // The corners of the face opposite corner k, counter-clockwise seen from outside.
    constexpr int kOpposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const Tets neighbours = tet_neighbours(rest.tets);
    BoundaryFaces faces;
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        for (int k = 0; k < 4; ++k) {
            if (neighbours(t, k) < 0) {
                const auto& f = kOpposite[k];
                faces.corners.push_back(
                    {rest.tets(t, f[0]), rest.tets(t, f[1]), rest.tets(t, f[2])});
                faces.tet.push_back(static_cast<Index>(t));
            }
        }
    }
    return faces;
}

bool is_selected(const SolveSurface& s, const TetMesh& rest, const std::array<Index, 3>& corners,
                 Index tet) {
    const Vec3 a = point(rest.points, corners[0]);
    const Vec3 b = point(rest.points, corners[1]);
    const Vec3 c = point(rest.points, corners[2]);
    const auto is_inside = [&](const Vec3& p) {
        return (p.array() >= s.box->low.array()).all() && (p.array() <= s.box->high.array()).all();
    };
    if ((s.region && *s.region != region_of(rest, tet)) ||
        (s.box && !(is_inside(a) && is_inside(b) && is_inside(c)))) {
        return false;
    }
    if (!s.normal && !s.facing) {
        return true;
    }
    const Vec3 wanted = s.normal ? *s.normal : Vec3(*s.facing - (a + b + c) / 3.0);
    const Vec3 n = (b - a).cross(c - a);
    return n.dot(wanted) >= std::cos(s.angle) * n.norm() * wanted.norm();
}

SurfaceNodes with_nodes(const std::vector<std::array<Index, 3>>& corners,
                        const SceneProblem& problem) {
    const Eigen::Index columns = problem.quadratic ? 6 : 3;
    SurfaceNodes nodes(static_cast<Eigen::Index>(corners.size()), columns);
    for (std::size_t t = 0; t < corners.size(); ++t) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto row = static_cast<Eigen::Index>(t);
            nodes(row, static_cast<Eigen::Index>(k)) = corners[t][k];
            if (problem.quadratic) {
                nodes(row, static_cast<Eigen::Index>(3 + k)) =
                    problem.quadratic->middle(corners[t][k], corners[t][(k + 1) % 3]);
            }
        }
    }
    return nodes;
}

void add_surface_loads(const SolveScene& scene, const TetMesh& rest, SceneProblem& problem) {
    if (scene.surface_loads.empty()) {
        return;
    }
    const BoundaryFaces boundary = boundary_faces(rest);
    for (const SceneSurfaceLoad& load : scene.surface_loads) {
        std::vector<std::array<Index, 3>> corners;
        for (std::size_t f = 0; f < boundary.tet.size(); ++f) {
            if (is_selected(load.surface, rest, boundary.corners[f], boundary.tet[f])) {
                corners.push_back(boundary.corners[f]);
            }
        }
        if (corners.empty()) {
            throw InputError({.where = fmt::format("{}: {}", scene.where, load.name),
                              .found = "a surface without triangles",
                              .needs = "at least one triangle of the boundary",
                              .remedy = "make the box larger, the angle wider, or look at the "
                                        "sense of the normal: it points out of the body"});
        }
        SceneFaces faces{with_nodes(corners, problem)};
        for (const double area : surface_areas(faces.triangles, problem.points)) {
            faces.area += area;
        }
        problem.loads +=
            traction_forces(faces.triangles, problem.points,
                            load.traction.transpose().replicate(faces.triangles.rows(), 1).eval());
        problem.pressures.push_back(
            load.pressure == 0.0
                ? nullptr
                : std::make_shared<Pressure>(faces.triangles,
                                             std::vector<double>(corners.size(), load.pressure)));
        problem.faces.push_back(std::move(faces));
    }
}

TriangleMesh surface_from(const std::filesystem::path& path) {
    std::vector<MeshPart> parts = read_surface(path);
    if (parts.size() != 1) {
        throw InputError({.where = path.string(),
                          .found = fmt::format("{} parts", parts.size()),
                          .needs = "one closed surface",
                          .remedy = "give each part as an obstacle of its own"});
    }
    return std::move(parts[0].mesh);
}

Shape shape_of(const SceneObstacle& o) {
    switch (o.shape) {
        case SceneShape::Sphere:
            return SphereShape{o.radius};
        case SceneShape::Mesh:
            return make_mesh_shape(surface_from(o.mesh));
        case SceneShape::Plane:
            break;
    }
    return HalfSpaceShape{};
}

/// A pressure per depth that is ten times that of one element: its modulus over its size.
double stiffness_beside(const TetMesh& rest, const SceneProblem& problem) {
    double modulus = 0.0;
    for (const auto& law : problem.laws) {
        if (law) {
            modulus = std::max(
                modulus, law->tangent(Mat3::Identity(), Tangent::Exact).diagonal().maxCoeff());
        }
    }
    double volume = 0.0;
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        volume += std::abs(edge_matrix(rest.points, rest.tets, t).determinant()) / 6.0;
    }
    return 10.0 * modulus / std::cbrt(volume / static_cast<double>(rest.tets.rows()));
}

void add_obstacles(const SolveScene& scene, const TetMesh& rest, SceneProblem& problem) {
    if (scene.obstacles.empty()) {
        return;
    }
    // Areas of the boundary's nodes: a third of each triangle to its corners, or with middles a
    // twelfth to corners and a quarter to middles, so that none is without.
    const SurfaceNodes nodes = with_nodes(boundary_faces(rest).corners, problem);
    const std::vector<double> areas = surface_areas(nodes, problem.points);
    std::map<Index, double> area_of;
    for (Eigen::Index t = 0; t < nodes.rows(); ++t) {
        for (Eigen::Index k = 0; k < nodes.cols(); ++k) {
            const double share = nodes.cols() == 3 ? 1.0 / 3.0 : k < 3 ? 1.0 / 12.0 : 0.25;
            area_of[nodes(t, k)] += share * areas[at(t)];
        }
    }
    std::vector<Index> vertices;
    std::vector<double> area;
    for (const auto& [v, a] : area_of) {
        vertices.push_back(v);
        area.push_back(a);
    }
    for (const SceneObstacle& o : scene.obstacles) {
        const double stiffness = o.stiffness.value_or(stiffness_beside(rest, problem));
        problem.contacts.push_back(std::make_shared<ShapeContact>(
            MovingShape{.shape = shape_of(o), .T_world_shape = pose_of(o, 1.0)}, vertices, area,
            stiffness));
    }
}

Points loads_of(const SolveScene& scene, const TetMesh& rest, const SceneProblem& problem,
                const std::vector<double>& density) {
    Points volume_force = Points::Zero(rest.tets.rows(), 3);
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        for (const SceneBodyForce& f : scene.body_forces) {
            if (!f.region || *f.region == region_of(rest, t)) {
                volume_force.row(t) += f.density.transpose();
            }
        }
    }
    Points loads;
    if (problem.quadratic) {
        for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
            volume_force.row(t) += density[at(t)] * scene.gravity.transpose();
        }
        loads = quadratic_body_forces(*problem.quadratic, volume_force);
    } else {
        loads = gravity_forces(problem.masses, scene.gravity) + body_forces(rest, volume_force);
    }
    for (std::size_t i = 0; i < scene.forces.size(); ++i) {
        const SceneForce& f = scene.forces[i];
        const std::vector<Index> chosen =
            selected(f.vertices, rest, fmt::format("{}: forces[{}]", scene.where, i));
        const double share = f.is_total ? 1.0 / static_cast<double>(chosen.size()) : 1.0;
        for (const Index v : chosen) {
            loads.row(v) += share * f.force.transpose();
        }
    }
    return loads;
}

}  // namespace

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

std::vector<Index> selected_nodes(const SceneVertices& vertices, const TetMesh& rest,
                                  const SceneProblem& problem, const std::string& where) {
    std::vector<Index> nodes = selected(vertices, rest, where);
    if (problem.quadratic) {
        std::vector<char> is_chosen(static_cast<std::size_t>(rest.points.rows()), 0);
        for (const Index v : nodes) {
            is_chosen[at(v)] = 1;
        }
        const Edges& edges = problem.quadratic->edges;
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            if (is_chosen[at(edges(e, 0))] != 0 && is_chosen[at(edges(e, 1))] != 0) {
                nodes.push_back(problem.quadratic->corners + static_cast<Index>(e));
            }
        }
    }
    return nodes;
}

Vec3 SceneHold::target(const Vec3& p, double s) const {
    const Vec3 r = p - centre;
    const Vec3 stretched = r + s * (matrix * r - r);
    const double angle = s * rotation.norm();
    const Vec3 turned = angle != 0.0
                            ? Vec3(Eigen::AngleAxisd(angle, rotation.normalized()) * stretched)
                            : stretched;
    // A hold without motion keeps every bit.
    const Vec3 moved = p + (turned - r);
    return moved + s * displacement;
}

VertexConstraints constraints_of(const SolveScene& scene, const TetMesh& rest,
                                 const SceneProblem& problem, double s) {
    VertexConstraints constraints;
    for (std::size_t i = 0; i < scene.holds.size(); ++i) {
        const SceneHold& hold = scene.holds[i];
        const std::string where = fmt::format("{}: held vertices, entry {}", scene.where, i);
        for (const Index v : selected_nodes(hold.vertices, rest, problem, where)) {
            const Vec3 place = hold.target(point(problem.points, v), s);
            try {
                for (int axis = 0; axis < 3; ++axis) {
                    if (hold.axes[at(axis)]) {
                        constraints.keep_in_plane(v, place, Vec3::Unit(axis));
                    }
                }
            } catch (const InputError& error) {
                throw error.within(where);
            }
        }
    }
    // Points that belong to no tetrahedron stay where they are.
    for (std::size_t v = 0; v < problem.masses.size(); ++v) {
        if (problem.masses[v] == 0.0) {
            const auto i = static_cast<Index>(v);
            constraints.fix(i, point(problem.points, i));
        }
    }
    return constraints;
}

Eigen::Isometry3d pose_of(const SceneObstacle& obstacle, double s) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    if (obstacle.shape == SceneShape::Plane) {
        pose.linear() =
            Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), obstacle.normal).toRotationMatrix();
    }
    pose.translation() = obstacle.position + s * obstacle.displacement;
    return pose;
}

SceneProblem build_problem(const SolveScene& scene, const TetMesh& rest) {
    require_valid(rest, scene.where);
    const std::vector<std::size_t> material_of_tet = materials_of_tets(scene, rest);
    std::vector<double> density;
    for (const std::size_t m : material_of_tet) {
        density.push_back(scene.materials[m].density);
    }
    SceneProblem problem;
    problem.points = rest.points;
    if (scene.order == 2) {
        problem.quadratic = quadratic_tets(rest);
        problem.points = problem.quadratic->points;
    }
    add_laws(scene, rest, material_of_tet, problem);
    add_elastic_terms(scene, rest, material_of_tet, problem);
    problem.masses = problem.quadratic ? quadratic_masses(*problem.quadratic, density)
                                       : lumped_masses(rest, density);
    problem.loads = loads_of(scene, rest, problem, density);
    add_surface_loads(scene, rest, problem);
    add_obstacles(scene, rest, problem);
    problem.constraints = constraints_of(scene, rest, problem, 1.0);
    if (scene.analysis == SceneAnalysis::Statics) {
        require_held(scene, rest, problem);
    }
    return problem;
}

}  // namespace sinew
