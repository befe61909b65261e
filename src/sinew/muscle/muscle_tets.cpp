#include "sinew/muscle/muscle_tets.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/tet_assembly.h"
#include "sinew/linalg/symmetric9.h"
#include "sinew/material/invariants.h"
#include "sinew/material/volume_functions.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The energy of muscles and tendons, see the header for the law. Per tetrahedron: the deformation
// gradient, the law of muscle and of tendon mixed by volume, its own small part of K; per patch:
// the volume of all its tetrahedra and the larger part of K. Forces are finite volumes, G = P B_m
// [Teran2003, section 4.1], which for linear tetrahedra equal finite elements.
//
// The Hessian has two parts: 9 x 9 tangents of tetrahedra, and for each patch a rank-one block g
// g^T with g = d volume / dx, which couples all vertices of the patch. When a semidefinite matrix
// is asked for, law and pressure are projected together, since pressure stiffens what the law
// leaves indefinite.

namespace sinew {

namespace {

constexpr std::size_t kGrain = 512;
/// K over the greatest fibre stress: fibres that pull with s change the volume by s / (6 K).
// An incompressible limit by penalty: K follows the strength of the fibres that press against it.
constexpr double kStiffness = 60.0;

void require_sizes(const MuscleVolume& v) {
    const auto tets = static_cast<std::size_t>(v.mesh.tets.rows());
    if (v.muscle.size() != tets || static_cast<std::size_t>(v.fibre.rows()) != tets ||
        v.tendon.size() != tets || v.strength.size() != tets || tets == 0) {
        throw InputError(
            {.where = "muscle volume",
             .found = fmt::format("{} tetrahedra with {} muscles, {} fibres, {} shares "
                                  "of tendon, {} strengths",
                                  tets, v.muscle.size(), v.fibre.rows(), v.tendon.size(),
                                  v.strength.size()),
             .needs = "one of each per tetrahedron, and at least one tetrahedron",
             .remedy = "fill the muscle before simulating it"});
    }
    if (*std::min_element(v.muscle.begin(), v.muscle.end()) < 0) {
        throw InputError({.where = "muscle volume",
                          .found = "a tetrahedron of muscle -1",
                          .needs = "numbers of muscles from 0",
                          .remedy = "number the muscles"});
    }
}

Lists lists_by(const std::vector<Index>& owner, Index owners) {
    Lists lists;
    lists.start.assign(static_cast<std::size_t>(owners) + 1, 0);
    for (const Index o : owner) {
        ++lists.start[static_cast<std::size_t>(o) + 1];
    }
    for (std::size_t i = 1; i < lists.start.size(); ++i) {
        lists.start[i] += lists.start[i - 1];
    }
    lists.items.resize(owner.size());
    std::vector<Index> next(lists.start.begin(), lists.start.end() - 1);
    for (std::size_t t = 0; t < owner.size(); ++t) {
        lists.items[at(next[at(owner[t])]++)] = static_cast<Index>(t);
    }
    return lists;
}

Lists vertices_of(const Lists& patches, const Tets& tets) {
    Lists lists;
    std::vector<Index> own;
    for (std::size_t p = 0; p < patches.size(); ++p) {
        own.clear();
        for (const Index t : patches[p]) {
            own.insert(own.end(), {tets(t, 0), tets(t, 1), tets(t, 2), tets(t, 3)});
        }
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        lists.items.insert(lists.items.end(), own.begin(), own.end());
        lists.start.push_back(static_cast<Index>(lists.items.size()));
    }
    return lists;
}

/// Where the corners of each tetrahedron stand in the list of its patch's vertices.
std::vector<std::array<std::size_t, 4>> corners_in(const Lists& patch_vertices,
                                                   const std::vector<Index>& patch_of,
                                                   const Tets& tets) {
    std::vector<std::array<std::size_t, 4>> corners(patch_of.size());
    for (std::size_t t = 0; t < corners.size(); ++t) {
        const auto vertices = patch_vertices[at(patch_of[t])];
        for (std::size_t k = 0; k < 4; ++k) {
            const Index v = tets(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(k));
            corners[t][k] = static_cast<std::size_t>(
                std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
        }
    }
    return corners;
}

}  // namespace

MuscleTets::MuscleTets(const MuscleVolume& volume, const MuscleConstants& muscle,
                       const MuscleConstants& tendon, const DilatationOptions& dilatation)
    : elements_((require_sizes(volume), volume.mesh)),
      muscle_(muscle),
      tendon_(tendon),
      muscle_of_(volume.muscle),
      tendon_share_(volume.tendon),
      activation_(static_cast<std::size_t>(
                      *std::max_element(volume.muscle.begin(), volume.muscle.end()) + 1),
                  0.0),
      patch_of_(tet_patches(volume.mesh, std::max(1, dilatation.patch_tets))) {
    require_valid(muscle, "muscle");
    require_valid(tendon, "tendon");
    // Volumes are kept here, by tetrahedra and patches, not by the laws.
    muscle_.matrix.K = 0.0;
    tendon_.matrix.K = 0.0;
    const auto count = static_cast<std::size_t>(elements_.count());
    fibre_.resize(count);
    own_K_.assign(count, 0.0);
    crowd_.assign(count, 1.0);
    tendon_crowd_.assign(count, 1.0);
    const double tendon_stress = tendon.fibre.at(1.0 + kTendonStrain, 0.0).tension;
    const auto patches =
        static_cast<std::size_t>(*std::max_element(patch_of_.begin(), patch_of_.end()) + 1);
    patch_volume_.assign(patches, 0.0);
    patch_K_.assign(patches, 0.0);
    for (std::size_t t = 0; t < count; ++t) {
        fibre_[t] = point(volume.fibre, static_cast<Eigen::Index>(t));
        if (const double strength = volume.strength[t]; strength > 0.0) {
            // Fibres that pass through less section are crowded: the law's stress is multiplied so
            // that the tetrahedron bears its strength. Tendons are given the strain of
            // kTendonStrain at that strength [Zajac1989].
            crowd_[t] = muscle.fibre.peak_stress > 0.0 ? strength / muscle.fibre.peak_stress : 1.0;
            tendon_crowd_[t] = tendon_stress > 0.0 ? strength / tendon_stress : 1.0;
        }
        const auto p = static_cast<std::size_t>(patch_of_[t]);
        const double V = elements_.volume(static_cast<Eigen::Index>(t));
        patch_volume_[p] += V;
        const double s = tendon_share_[t];
        const double K = (1.0 - s) * muscle.matrix.K + s * tendon.matrix.K;
        own_K_[t] = K;
        if (dilatation.patch_tets > 1) {
            const double shear = 2.0 * ((1.0 - s) * (muscle.matrix.A + muscle.matrix.B) +
                                        s * (tendon.matrix.A + tendon.matrix.B));
            own_K_[t] = dilatation.own * shear + dilatation.own_strength * volume.strength[t];
            // What a patch keeps is K less the part that its tetrahedra keep themselves, the mean
            // by volume.
            patch_K_[p] +=
                V * std::max(0.0, std::max(K, kStiffness * volume.strength[t]) - own_K_[t]);
        }
    }
    for (std::size_t p = 0; p < patches; ++p) {
        patch_K_[p] /= patch_volume_[p];
    }
    patch_tets_ = lists_by(patch_of_, static_cast<Index>(patches));
    patch_vertices_ = vertices_of(patch_tets_, elements_.tets());
    patch_corner_ = corners_in(patch_vertices_, patch_of_, elements_.tets());
}

void MuscleTets::set_activation(std::span<const double> activation) {
    const bool is_valid = activation.size() == activation_.size() &&
                          std::all_of(activation.begin(), activation.end(),
                                      [](double a) { return a >= 0.0 && a <= 1.0; });
    if (!is_valid) {
        throw InputError({.where = "activation of muscles",
                          .found = fmt::format("{} values", activation.size()),
                          .needs = fmt::format("{} values in [0, 1]", activation_.size()),
                          .remedy = "give one per muscle"});
    }
    activation_.assign(activation.begin(), activation.end());
}

MuscleStress MuscleTets::stress_of(std::size_t t, const Mat3& F) const {
    const double s = tendon_share_[t];
    MuscleStress a = s < 1.0 ? muscle_stress(muscle_, F, fibre_[t], activation_of(t), crowd_[t])
                             : MuscleStress();
    if (s > 0.0) {
        const MuscleStress b = muscle_stress(tendon_, F, fibre_[t], 0.0, tendon_crowd_[t]);
        a.energy += s * (b.energy - a.energy);
        a.stretch = b.stretch;
        a.fibre_stress += s * (b.fibre_stress - a.fibre_stress);
        a.P += s * (b.P - a.P);
    }
    // K_own (ln J)^2
    const VolumeFunction log = log_of_volume(F.determinant());
    a.energy += own_K_[t] * log.value * log.value;
    a.P += 2.0 * own_K_[t] * log.value * log.first * cofactors(F);
    return a;
}

std::vector<double> MuscleTets::patch_ratios(const Points& x) const {
    std::vector<double> ratio(patch_volume_.size());
    parallel_for(ratio.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            double v = 0.0;
            for (const Index t : patch_tets_[p]) {
                v += edge_matrix(x, elements_.tets(), t).determinant() / 6.0;
            }
            ratio[p] = v / patch_volume_[p];
        }
    });
    return ratio;
}

// E_p = V_p K_p (ln J_p)^2: first and second derivative by the patch's volume v = V_p J_p.
std::vector<MuscleTets::Pressure> MuscleTets::pressures(const Points& x) const {
    const std::vector<double> ratio = patch_ratios(x);
    std::vector<Pressure> pressure(ratio.size());
    for (std::size_t p = 0; p < ratio.size(); ++p) {
        const VolumeFunction log = log_of_volume(ratio[p]);
        const double K2 = 2.0 * patch_K_[p];
        pressure[p] = {K2 * log.value * log.first,
                       K2 * (log.first * log.first + log.value * log.second) / patch_volume_[p]};
    }
    return pressure;
}

double MuscleTets::patch_energy(const Points& x) const {
    const std::vector<double> ratio = patch_ratios(x);
    double sum = 0.0;
    for (std::size_t p = 0; p < ratio.size(); ++p) {
        const double log = log_of_volume(ratio[p]).value;
        sum += patch_volume_[p] * patch_K_[p] * log * log;
    }
    return sum;
}

double MuscleTets::value(const Points& x) const {
    const auto sum_of = [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            sum += elements_.volume(t) * stress_of(k, elements_.deformation_gradient(x, t)).energy;
        }
        return sum;
    };
    return patch_energy(x) + parallel_reduce(static_cast<std::size_t>(elements_.count()), kGrain,
                                             0.0, sum_of, [](double a, double b) { return a + b; });
}

std::vector<MuscleStress> MuscleTets::stresses(const Points& x) const {
    const std::vector<Pressure> pressure = pressures(x);
    std::vector<MuscleStress> stress(static_cast<std::size_t>(elements_.count()));
    parallel_for(stress.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Mat3 F = elements_.deformation_gradient(x, static_cast<Eigen::Index>(k));
            stress[k] = stress_of(k, F);
            // v = V det F, so dE/dv makes a stress of dE/dv cof F.
            stress[k].P += pressure[at(patch_of_[k])].first * cofactors(F);
        }
    });
    return stress;
}

void MuscleTets::add_gradient(const Points& x, Points& gradient) const {
    const std::vector<Pressure> pressure = pressures(x);
    std::vector<Mat3> G(static_cast<std::size_t>(elements_.count()));
    parallel_for(G.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            const Mat3 F = elements_.deformation_gradient(x, t);
            const double p = pressure[at(patch_of_[k])].first;
            G[k] = (stress_of(k, F).P + p * cofactors(F)) * elements_.normals(t);
        }
    });
    elements_.add_to_vertices(G, gradient);
}

std::optional<std::size_t> MuscleTets::parameter_count(TermParameter parameter) const {
    switch (parameter) {
        case TermParameter::Activation:
            return activation_.size();
        case TermParameter::RestShape:
            return std::nullopt;
        default:
            return 0;
    }
}

// Active stress is proportional to the activation: dP/da is that of full activation without that of
// none.
Mat3 MuscleTets::active_stress(std::size_t t, const Mat3& F) const {
    const double s = tendon_share_[t];
    if (!(s < 1.0)) {
        return Mat3::Zero();
    }
    return (1.0 - s) * (muscle_stress(muscle_, F, fibre_[t], 1.0, crowd_[t]).P -
                        muscle_stress(muscle_, F, fibre_[t], 0.0, crowd_[t]).P);
}

// Mixed derivatives d2E / dx da, for equilibria that are differentiated by activation
// (solver/sensitivity.h). The energy is linear in the activation, so they are exact for any da.
void MuscleTets::add_mixed_product(const Points& x, TermParameter parameter,
                                   std::span<const double> dp, Points& out) const {
    if (parameter != TermParameter::Activation) {
        return;
    }
    std::vector<Mat3> G(static_cast<std::size_t>(elements_.count()));
    parallel_for(G.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            G[k] = dp[at(muscle_of_[k])] * active_stress(k, elements_.deformation_gradient(x, t)) *
                   elements_.normals(t);
        }
    });
    elements_.add_to_vertices(G, out);
}

void MuscleTets::add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                                   std::span<double> out) const {
    if (parameter != TermParameter::Activation) {
        return;
    }
    for (Eigen::Index t = 0; t < elements_.count(); ++t) {
        const auto k = static_cast<std::size_t>(t);
        const Mat3 G =
            active_stress(k, elements_.deformation_gradient(x, t)) * elements_.normals(t);
        out[at(muscle_of_[k])] += G.cwiseProduct(edge_matrix(w, elements_.tets(), t)).sum();
    }
}

void MuscleTets::add_pattern(BlockPattern& pattern) const {
    for (std::size_t p = 0; p < patch_vertices_.size(); ++p) {
        pattern.couple(patch_vertices_[p]);
    }
}

Mat9 MuscleTets::tangent_of(std::size_t t, const Mat3& F, double pressure) const {
    const double s = tendon_share_[t];
    const VolumeFunction log = log_of_volume(F.determinant());
    const double K2 = 2.0 * own_K_[t];
    Mat9 C = tangent_from_invariants(F,
                                     {.dJ = pressure + K2 * log.value * log.first,
                                      .dJJ = K2 * (log.first * log.first + log.value * log.second)},
                                     Tangent::Exact);
    if (s < 1.0) {
        add_muscle_tangent(muscle_, F, fibre_[t], activation_of(t), crowd_[t], 1.0 - s, C);
    }
    if (s > 0.0) {
        add_muscle_tangent(tendon_, F, fibre_[t], 0.0, tendon_crowd_[t], s, C);
    }
    return C;
}

// Contributions of patches are written row by row into blocks that add_pattern has named.
void MuscleTets::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    const std::vector<Pressure> pressure = pressures(x);
    // Law and pressure of each tetrahedron; projected together, since one stiffens the other.
    std::vector<Mat9> C(static_cast<std::size_t>(elements_.count()));
    parallel_for(C.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        std::vector<Mat9*> indefinite;
        for (std::size_t t = begin; t < end; ++t) {
            const Mat3 F = elements_.deformation_gradient(x, static_cast<Eigen::Index>(t));
            C[t] = tangent_of(t, F, pressure[at(patch_of_[t])].first);
            if (kind == Tangent::PositiveSemidefinite && !is_positive_semidefinite(C[t])) {
                indefinite.push_back(&C[t]);
            }
        }
        take_absolute_eigenvalues(indefinite);
    });
    detail::assemble_tets(
        elements_.tets(),
        [&](Eigen::Index t) {
            return detail::tet_blocks(C[at(t)] / elements_.volume(t), elements_.normals(t));
        },
        H);
    // d2E/dv2 g g^T of each patch, g = dv/dx.
    std::vector<Vec3> g;
    for (std::size_t p = 0; p < patch_vertices_.size(); ++p) {
        double second = pressure[p].second;
        if (kind == Tangent::PositiveSemidefinite) {
            second = std::max(second, 0.0);
        }
        const auto vertices = patch_vertices_[p];
        g.assign(vertices.size(), Vec3::Zero());
        for (const Index t : patch_tets_[p]) {
            const Mat3 c = cofactors(edge_matrix(x, elements_.tets(), t)) / 6.0;
            const auto& corner = patch_corner_[at(t)];
            g[corner[0]] -= c.rowwise().sum();
            for (std::size_t k = 1; k < 4; ++k) {
                g[corner[k]] += c.col(static_cast<Eigen::Index>(k) - 1);
            }
        }
        // Vertices and the columns of a row both ascend: one walk along the row finds all blocks.
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            std::size_t slot = H.row_start()[at(vertices[i])];
            const Vec3 scaled = second * g[i];
            for (std::size_t j = 0; j <= i; ++j) {
                while (H.columns()[slot] < vertices[j]) {
                    ++slot;
                }
                H.block(slot) += scaled * g[j].transpose();
            }
        }
    }
}

std::vector<double> MuscleTets::masses() const {
    std::vector<double> mass(static_cast<std::size_t>(elements_.vertices()), 0.0);
    for (Eigen::Index t = 0; t < elements_.count(); ++t) {
        const auto k = static_cast<std::size_t>(t);
        const double density =
            muscle_.density + tendon_share_[k] * (tendon_.density - muscle_.density);
        for (int c = 0; c < 4; ++c) {
            mass[at(elements_.tets()(t, c))] += 0.25 * density * elements_.volume(t);
        }
    }
    return mass;
}

}  // namespace sinew
