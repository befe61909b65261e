#include "sinew/growth/fat_layer.h"

#include "sinew/base/error.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/energy/projective_triangles.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/solver/local_global.h"
#include "sinew/tissue/tissue_terms.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

// The fat between envelope and skin, and the two models of what it does.
//
// inflated(): fat as a fluid [Saito2015, section 3.3]. The skin alone is the unknown: an elastic
// sheet (triangle strain, eq. 8), pushed along its rest normals by the pressure (eq. 7; their sum
// is eq. 9) and held near rest by a regulariser that is weaker where the pressure is high. The
// layer's inside follows harmonically [Joshi2007], as the paper proposes. Departs: bending is
// added, for the border of a region would otherwise be a crease; lengths are in cm and sums are
// weighted by area, see the header.
//
// scaled(): volumes of tetrahedra are multiplied [Komaritzan, eqs. 4.16-4.18]. Volume is asked for
// a thousand times more firmly than shape, so fat flows to where there is room; the skin is held a
// little and bends little. One factorisation serves every call, for only targets change.
//
// Both keep fixed whatever touches other tissue: fat grows on the envelope and never moves it.

namespace sinew {

namespace {

// kFirmGamma bounds the regulariser's stiffness w_reg / g where g goes to zero.
constexpr double kCm = 0.01;            // m
constexpr double kFirmGamma = 0.05;     // below this the skin is held as firmly as with it
constexpr double kVolumeWeight = 2e5;   // Pa, of scaled fat
constexpr double kShapeWeight = 200.0;  // Pa, of scaled fat: a thousandth, so that it can flow
constexpr double kRestWeight = 2e4;     // N/m per m^2 of skin, of scaled fat
constexpr double kBendWeight = 0.02;    // N m, of the skin over scaled fat

}  // namespace

struct FatLayer::Data {
    Points rest;
    Tets tets;
    TetSurface skin;
    FatGrowthOptions options;
    std::vector<Index> fat;        // tetrahedra of fat
    TetMesh fat_mesh;              // those, with all points
    std::vector<Index> held;       // vertices that do not move: all that is not fat alone
    std::vector<Index> held_skin;  // the same among skin vertices
    std::vector<Index> inside;     // vertices of the layer that are neither skin nor held
    std::vector<Index> owner;      // of every vertex of the layer: a skin vertex above; else -1
    Eigen::VectorXd area;          // of skin vertices, m^2
    Points normals;                // of skin vertices

    SparseSymmetric laplacian;  // of the inside
    std::optional<SparseCholesky> laplacian_factor;
    Eigen::SparseMatrix<double> full_laplacian;

    std::shared_ptr<ProjectiveTets> volume_term;
    std::unique_ptr<LocalGlobal> volume_solver;

    void find_parts(const Body& body);
    void find_owners();
    void prepare_laplacian();
    void prepare_volume();
    void interpolate(Points& x);
};

// Fat is what is mostly fat. Whatever touches other tissue is held; of the rest, the skin leads and
// the inside follows.
void FatLayer::Data::find_parts(const Body& body) {
    const std::vector<double> share = tissue_share_of_tets(body, Tissue::Fat);
    std::vector<char> is_fat_vertex(at(rest.rows()), 0);
    std::vector<char> is_held(at(rest.rows()), 0);
    for (std::size_t t = 0; t < share.size(); ++t) {
        // Tetrahedra that are partly fat count as what most of them is; the rest of them is held.
        const bool is_fat = share[t] > 0.5;
        if (is_fat) {
            fat.push_back(static_cast<Index>(t));
        }
        for (int k = 0; k < 4; ++k) {
            (is_fat ? is_fat_vertex : is_held)[at(tets(static_cast<Eigen::Index>(t), k))] = 1;
        }
    }
    if (fat.empty() || skin.tet_vertex.empty()) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "no fat between envelope and skin",
                          .needs = "tetrahedra that are mostly fat",
                          .remedy = "make the body with 'sinew build'"});
    }
    std::vector<char> is_skin(at(rest.rows()), 0);
    for (std::size_t i = 0; i < skin.tet_vertex.size(); ++i) {
        is_skin[at(skin.tet_vertex[i])] = 1;
        if (is_held[at(skin.tet_vertex[i])] != 0) {
            held_skin.push_back(static_cast<Index>(i));
        }
    }
    for (std::size_t v = 0; v < is_held.size(); ++v) {
        if (is_held[v] != 0 || is_fat_vertex[v] == 0) {
            held.push_back(static_cast<Index>(v));
        } else if (is_skin[v] == 0) {
            inside.push_back(static_cast<Index>(v));
        }
    }
    fat_mesh.points = rest;
    fat_mesh.tets.resize(static_cast<Eigen::Index>(fat.size()), 4);
    for (std::size_t i = 0; i < fat.size(); ++i) {
        fat_mesh.tets.row(static_cast<Eigen::Index>(i)) = tets.row(fat[i]);
    }
}

// Walks from the skin inwards, breadth first: every vertex belongs to the skin vertex that reaches
// it over the fewest edges.
// Maps are painted on the skin and volumes are measured in tetrahedra below it. Counting edges
// rather than metres keeps columns together in thick layers.
void FatLayer::Data::find_owners() {
    owner.assign(at(rest.rows()), -1);
    std::vector<Index> front;
    for (std::size_t i = 0; i < skin.tet_vertex.size(); ++i) {
        owner[at(skin.tet_vertex[i])] = static_cast<Index>(i);
        front.push_back(skin.tet_vertex[i]);
    }
    const Lists around = neighbours_of_vertices(fat_mesh.tets, rest.rows());
    while (!front.empty()) {
        std::vector<Index> next;
        for (const Index v : front) {
            for (const Index w : around[at(v)]) {
                if (owner[at(w)] < 0) {
                    owner[at(w)] = owner[at(v)];
                    next.push_back(w);
                }
            }
        }
        front = std::move(next);
    }
}

// The Laplacian of the layer, restricted to its inside, is factorised once.
void FatLayer::Data::prepare_laplacian() {
    full_laplacian = cotangent_laplacian(rest, fat_mesh.tets);
    std::vector<int> number(at(rest.rows()), -1);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        number[at(inside[i])] = static_cast<int>(i);
    }
    Triplets triplets(static_cast<int>(inside.size()));
    for (const Index v : inside) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(full_laplacian, v); it; ++it) {
            const int other = number[at(it.row())];
            // The lower triangle is enough of a symmetric matrix.
            if (other >= 0 && other <= number[at(v)]) {
                triplets.add(number[at(v)], other, it.value());
            }
        }
    }
    laplacian = assemble(triplets);
    laplacian_factor.emplace(laplacian, CholeskyOptions{.store_double = true});
    laplacian_factor->factor(laplacian);
}

// The layer's inside follows skin and envelope: its displacement is harmonic [Joshi2007].
void FatLayer::Data::interpolate(Points& x) {
    if (inside.empty()) {
        return;
    }
    if (!laplacian_factor) {  // many layers are only measured
        prepare_laplacian();
    }
    // L_ii d_i = -L_ib d_b, with the displacements d_b of skin and held vertices.
    const Points moved = x - rest;
    std::vector<double> rhs(3 * inside.size(), 0.0);
    std::vector<char> is_inside(at(rest.rows()), 0);
    for (const Index v : inside) {
        is_inside[at(v)] = 1;
    }
    for (std::size_t i = 0; i < inside.size(); ++i) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(full_laplacian, inside[i]); it; ++it) {
            if (is_inside[at(it.row())] == 0) {
                for (int k = 0; k < 3; ++k) {
                    rhs[3 * i + at(k)] -= it.value() * moved(it.row(), k);
                }
            }
        }
    }
    auto workspace = laplacian_factor->make_workspace();
    laplacian_factor->solve(rhs, 3, rhs, workspace);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            x(inside[i], k) = rest(inside[i], k) + rhs[3 * i + at(k)];
        }
    }
}

// Scaled fat: volumes are asked for, shapes hardly, and the skin above is held a little and bends
// little.
void FatLayer::Data::prepare_volume() {
    const std::vector<double> shape(fat.size(), kShapeWeight);
    const std::vector<double> volume(fat.size(), kVolumeWeight);
    volume_term = std::make_shared<ProjectiveTets>(fat_mesh, shape, volume);
    std::vector<double> hold;
    Points places(static_cast<Eigen::Index>(skin.tet_vertex.size()), 3);
    Triangles triangles = skin.mesh.triangles;
    for (Eigen::Index i = 0; i < area.size(); ++i) {
        hold.push_back(kRestWeight * area[i]);
        places.row(i) = rest.row(skin.tet_vertex[at(i)]);
    }
    for (Eigen::Index i = 0; i < triangles.size(); ++i) {
        triangles.data()[i] = skin.tet_vertex[at(triangles.data()[i])];
    }
    // Bending counts per vertex of the whole mesh.
    std::vector<double> bend_all(at(rest.rows()), kBendWeight);
    volume_solver = std::make_unique<LocalGlobal>(
        rest.rows(),
        EnergyTerms{volume_term, std::make_shared<Pins>(skin.tet_vertex, places, hold),
                    std::make_shared<ProjectiveBending>(rest, triangles, bend_all)},
        held);
}

FatLayer::FatLayer(const Body& body, const FatGrowthOptions& options)
    : data_(std::make_unique<Data>()) {
    check_ranges(options, "fat growth");
    Data& d = *data_;
    d.rest = body.tets.points;
    d.tets = body.tets.tets;
    d.skin = body.skin;
    d.options = options;
    d.find_parts(body);
    d.find_owners();
    d.area = lumped_mass(d.skin.mesh.points, d.skin.mesh.triangles);
    d.normals = vertex_normals(d.skin.mesh);
}

FatLayer::~FatLayer() = default;
FatLayer::FatLayer(FatLayer&&) noexcept = default;
FatLayer& FatLayer::operator=(FatLayer&&) noexcept = default;

FatShape FatLayer::inflated(std::span<const double> gamma, const Progress& progress,
                            const Points* start) const {
    Data& d = *data_;
    const Points& skin = d.skin.mesh.points;
    const Triangles& triangles = d.skin.mesh.triangles;
    if (gamma.size() != at(skin.rows())) {
        throw InputError({.where = "fat growth",
                          .found = fmt::format("{} values", gamma.size()),
                          .needs = fmt::format("one for each of {} skin vertices", skin.rows()),
                          .remedy = "use a map that belongs to this body"});
    }
    // Factor 2: terms carry 1/2. Lengths in cm, areas over 0.5 cm^2 (triangles), 1 cm^2 (vertices).
    const std::vector<double> stretch(at(triangles.rows()),
                                      2.0 * d.options.stretch / (0.5 * kCm * kCm));
    std::vector<double> hold;
    std::vector<Index> all;
    Points load(skin.rows(), 3);
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        const double weight = d.area[i] / (kCm * kCm);
        const double g = gamma[at(i)];
        all.push_back(static_cast<Index>(i));
        hold.push_back(2.0 * weight * d.options.regularisation / std::max(g, kFirmGamma) /
                       (kCm * kCm));
        load.row(i) = weight * d.options.pressure * g / kCm * d.normals.row(i);
    }
    // The load is constant, as the pressure acts along normals of the skin at rest (eq. 7).
    EnergyTerms terms = {std::make_shared<ProjectiveTriangleStrain>(skin, triangles, stretch),
                         std::make_shared<Pins>(all, skin, hold)};
    if (d.options.bending > 0.0) {
        const std::vector<double> bend(at(skin.rows()), d.options.bending);
        terms.push_back(std::make_shared<ProjectiveBending>(skin, triangles, bend));
    }
    Points x = skin;
    double at_start = 1.0;  // forces there, over those of the pressure at rest
    if (start != nullptr) {
        for (std::size_t i = 0; i < d.skin.tet_vertex.size(); ++i) {
            x.row(static_cast<Eigen::Index>(i)) = start->row(d.skin.tet_vertex[i]);
        }
        Points out_of_balance = -load;
        Points load_at_rest = load;
        for (const auto& term : terms) {
            term->add_gradient(x, out_of_balance);
        }
        for (const Index i : d.held_skin) {
            out_of_balance.row(i).setZero();
            load_at_rest.row(i).setZero();
        }
        at_start = out_of_balance.norm() / std::max(load_at_rest.norm(), 1e-12);
    }
    LocalGlobal solver(skin.rows(), std::move(terms), d.held_skin);
    progress.check_cancelled();
    solver.set_external_forces(load);
    FatShape result = {.points = d.rest};
    result.report = solver.minimise(
        x, {.max_iterations = d.options.iterations, .tolerance = std::min(1.0, 1e-4 / at_start)},
        progress);
    for (double& residual : result.report.residual) {
        residual *= at_start;
    }

    // The skin leads, the layer's inside follows.
    for (std::size_t i = 0; i < d.skin.tet_vertex.size(); ++i) {
        result.points.row(d.skin.tet_vertex[i]) = x.row(static_cast<Eigen::Index>(i));
    }
    d.interpolate(result.points);
    return result;
}

FatShape FatLayer::scaled(std::span<const double> ratio, const Progress& progress) {
    Data& d = *data_;
    if (ratio.size() != at(d.tets.rows())) {
        throw InputError({.where = "fat growth",
                          .found = fmt::format("{} ratios", ratio.size()),
                          .needs = fmt::format("one for each of {} tetrahedra", d.tets.rows()),
                          .remedy = "use ratios that belong to this body"});
    }
    if (!d.volume_solver) {
        d.prepare_volume();
    }
    std::vector<double> of_fat;
    for (const Index t : d.fat) {
        of_fat.push_back(std::max(d.options.floor, ratio[at(t)]));
    }
    d.volume_term->set_volume_ratio(of_fat);
    FatShape result = {.points = d.rest};
    result.report = d.volume_solver->minimise(
        result.points, {.max_iterations = 2 * d.options.iterations, .tolerance = 1e-4}, progress);
    return result;
}

std::vector<double> FatLayer::on_tets(std::span<const double> skin_values) const {
    const Data& d = *data_;
    std::vector<double> result(at(d.tets.rows()), 0.0);
    for (const Index t : d.fat) {
        for (int k = 0; k < 4; ++k) {
            const Index i = d.owner[at(d.tets(t, k))];
            result[at(t)] += i >= 0 ? 0.25 * skin_values[at(i)] : 0.0;
        }
    }
    return result;
}

double FatLayer::volume(const Points& x, std::span<const double> tet_weights) const {
    const Data& d = *data_;
    const Eigen::VectorXd volumes = tet_volumes(x, d.fat_mesh.tets);
    double sum = 0.0;
    for (std::size_t i = 0; i < d.fat.size(); ++i) {
        sum += tet_weights[at(d.fat[i])] * volumes[static_cast<Eigen::Index>(i)];
    }
    return sum;
}

double FatLayer::volume(const Points& x) const {
    return tet_volumes(x, data_->fat_mesh.tets).sum();
}

// A quarter of each tetrahedron belongs to the column of each of its corners' owners.
std::vector<double> FatLayer::thickness() const {
    const Data& d = *data_;
    std::vector<double> result(d.skin.tet_vertex.size(), 0.0);
    const Eigen::VectorXd volumes = tet_volumes(d.fat_mesh);
    for (Eigen::Index t = 0; t < volumes.size(); ++t) {
        for (int k = 0; k < 4; ++k) {
            const Index i = d.owner[at(d.fat_mesh.tets(t, k))];
            if (i >= 0) {
                result[at(i)] += 0.25 * volumes[t] / d.area[i];
            }
        }
    }
    return result;
}

const std::vector<Index>& FatLayer::tets() const {
    return data_->fat;
}

}  // namespace sinew
