#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/material/muscle_material.h"
#include "sinew/mesh/connectivity.h"

#include <array>
#include <span>
#include <vector>

namespace sinew {

/// Muscles as tetrahedra, at rest. Several muscles are one mesh without common vertices.
struct MuscleVolume {
    TetMesh mesh = {};
    std::vector<Index> muscle = {};   ///< of each tetrahedron
    Points fibre = Points(0, 3);      ///< unit vector per tetrahedron, from origin to insertion
    std::vector<double> tendon = {};  ///< 0 belly to 1 tendon, per tetrahedron
    /// Stress along the fibres at the greatest force, Pa, per tetrahedron; 0: that of the
    /// constants. Where a muscle narrows, as many fibres pass through less section.
    std::vector<double> strength = {};
    std::vector<double> share = {};  ///< fraction of the path from origin to insertion, per vertex
    std::vector<Index> origin = {};  ///< vertices held there
    std::vector<Index> insertion = {};  ///< vertices held there
};

/// How the resistance to change of volume is distributed.
struct DilatationOptions {
    /// Tetrahedra whose common volume is kept; 1: each its own, as the paper has it, which locks.
    int patch_tets = 8;
    /// Part of K, as a multiple of the shear modulus, that stays with each tetrahedron, >= 0: keeps
    /// the tetrahedra of a patch from trading volume without limit.
    double own = 5.0;
    double own_strength = 1.0;  ///< the same as a multiple of the fibres' strength, >= 0
};

/// Strain of a tendon at the greatest force of its muscle, for tetrahedra of given strength
/// [Zajac1989, generic tendon].
inline constexpr double kTendonStrain = 0.033;

/// Groups of up to about `size` tetrahedra that are neighbours, each tetrahedron in one, none of
/// them in two muscles. Depends on the mesh alone.
/// @return patch of each tetrahedron, numbered from 0
std::vector<Index> tet_patches(const TetMesh& mesh, int size);

/// Elastic energy of muscles and tendons.
///
///   E(x) = sum_t V_t W_t(F_t; K_own) + sum_p V_p (K - K_own) (ln J_p)^2,
///   J_p = volume now / volume at rest of patch p
///
/// with W of [Teran2003, section 5] (muscle_material.h), a mixture of muscle and tendon by the
/// fraction of tendon, and forces as finite volumes, G = P B_m [Teran2003, section 4.1].
///
/// Departs: the paper gives every tetrahedron the whole K. Linear tetrahedra have 5 to 6 elements
/// per vertex, more volumes to keep than places to keep them with, so that a nearly incompressible
/// body cannot bulge (locking). Averaging the dilatation over patches [deSouzaNeto2005] leaves one
/// volume per two to three vertices. K of a patch is at least 60 times its fibres' strength, which
/// keeps volumes to 0.3 % however strong a muscle is.
class MuscleTets final : public EnergyTerm {
public:
    /// Copies what it needs.
    /// @throws InputError  when sizes disagree, a rest volume is <= 0 or constants are out of range
    MuscleTets(const MuscleVolume& volume, const MuscleConstants& muscle = muscle_constants(),
               const MuscleConstants& tendon = tendon_constants(),
               const DilatationOptions& dilatation = {});

    /// alpha per muscle, [0, 1]. Not while a solver is using the term.
    /// @throws InputError  for another number of muscles or a value out of range
    void set_activation(std::span<const double> activation);

    TermOffers offers() const override {
        return {.hessian = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    /// Positive semidefinite: negative eigenvalues of elements become positive [Chen2024], so that
    /// what is pressed hard moves carefully; with zeros instead, nearly incompressible elements
    /// leave directions with hardly any stiffness, and searches end after a sixteenth of a step.
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

    /// By activation.
    std::optional<std::size_t> parameter_count(TermParameter parameter) const override;
    void add_mixed_product(const Points& x, TermParameter parameter, std::span<const double> dp,
                           Points& out) const override;
    void add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                           std::span<double> out) const override;

    /// Energy, stretch along the fibres, their stress and P of each tetrahedron; P with the
    /// pressure of its patch.
    std::vector<MuscleStress> stresses(const Points& x) const;
    /// Volume now over volume at rest, per patch.
    std::vector<double> patch_ratios(const Points& x) const;

    const FiniteVolumeTets& elements() const {
        return elements_;
    }
    Index patch_count() const {
        return static_cast<Index>(patch_volume_.size());
    }
    /// A quarter of the mass of its tetrahedra for each vertex, kg.
    std::vector<double> masses() const;

private:
    struct Pressure {
        double first = 0.0;   // dE/dv of the patch, Pa
        double second = 0.0;  // d2E/dv2, Pa/m^3
    };
    double activation_of(std::size_t t) const {
        return activation_[at(muscle_of_[t])];
    }
    MuscleStress stress_of(std::size_t t, const Mat3& F) const;
    Mat3 active_stress(std::size_t t, const Mat3& F) const;
    Mat9 tangent_of(std::size_t t, const Mat3& F, double pressure) const;
    std::vector<Pressure> pressures(const Points& x) const;
    double patch_energy(const Points& x) const;

    FiniteVolumeTets elements_;
    MuscleConstants muscle_, tendon_;  // with K = 0
    std::vector<double> own_K_ = {};
    std::vector<Index> muscle_of_;
    std::vector<Vec3> fibre_;
    std::vector<double> tendon_share_;
    std::vector<double> crowd_;         // of muscle fibres, relative to the constants
    std::vector<double> tendon_crowd_;  // of tendon fibres
    std::vector<double> activation_;
    std::vector<Index> patch_of_;
    std::vector<double> patch_volume_;
    std::vector<double> patch_K_;
    Lists patch_vertices_;
    Lists patch_tets_;
    std::vector<std::array<std::size_t, 4>> patch_corner_;  // per tetrahedron, in patch_vertices_
};

}  // namespace sinew
