#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/anatomy.h"
#include "sinew/build/muscle_ends.h"

#include <array>
#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

namespace sinew {

struct MuscleFieldOptions {
    double cells = 4000.0;     ///< that a muscle's volume is divided into, about, [50, 1e6]
    double min_cell = 0.0006;  ///< shortest edge of a cell, m, > 0
    double max_cell = 0.005;   ///< longest, m, > 0
    double preference = 8.0;   ///< of flow along known directions, [1, 100]; 1: none
    double tolerance = 1e-7;   ///< of the residual, relative, (0, 1e-2]
    int max_iterations = 2000;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleFieldOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.cells, Field{.name = "cells", .help = "cells of a muscle's grid", .min = 50, .max = 1e6});
    v(o.min_cell,
      Field{.name = "min_cell", .help = "shortest cell", .unit = "m", .min = 1e-4, .max = 0.1});
    v(o.max_cell,
      Field{.name = "max_cell", .help = "longest cell", .unit = "m", .min = 1e-4, .max = 0.1});
    v(o.preference, Field{.name = "preference",
                          .help = "of flow along known directions; 1: none",
                          .min = 1,
                          .max = 100});
    v(o.tolerance,
      Field{.name = "tolerance", .help = "relative residual", .max = 1e-2, .above = 0.0});
    v(o.max_iterations,
      Field{.name = "max_iterations", .help = "of the solver", .min = 1, .max = 1e6});
}

/// How the fibres of one muscle run, and where it is tendon [Saito2015, section 3.1.1]:
///
///   div grad u = 0 inside,   u = 0 at the origin,   u = 1 at the insertion,
///   grad u . n = 0 on the epimysium,   direction = grad u / |grad u|
///
/// Departs: the paper fills each muscle with tetrahedra; here the unknowns are the corners of a
/// regular grid along the muscle's principal axes, trilinear in each cell, and integrals run over
/// the part of the cell inside the surface only (a cut finite element). That needs no mesh, takes
/// surfaces that intersect themselves, and reproduces linear u exactly however the surface cuts the
/// cells. The ends are held by a stiff term on the surface instead of fixed unknowns.
/// Departs: where directions a are known (point data "fibre"), the flow prefers them. Plain flow
/// takes the shortest path between the ends, across a sheet whose fibres run obliquely:
///
///   div q = 0,   q = C grad u,   C = E + (preference - 1) a a^T,   q . n = 0,   direction = q /
///   |q|
class MuscleField {
public:
    /// Knows nothing: direction() is zero.
    MuscleField() = default;
    /// @param mesh    closed, outward
    /// @param ends    one per triangle; both ends must occur
    /// @param tendon  0 belly to 1 tendon, one per vertex, or empty for none
    /// @param along   known directions, x y z per vertex, or empty for none
    /// @throws InputError  when the sizes disagree, an end is missing or nothing lies inside
    MuscleField(const TriangleMesh& mesh, std::span<const MuscleEnd> ends,
                std::span<const double> tendon = {}, std::span<const double> along = {},
                const MuscleFieldOptions& options = {});

    /// The field of the same muscle seen in the mirror, x -> -x.
    MuscleField reflected() const;

    /// Unit vector from origin to insertion. Around the muscle the field is continued; further away
    /// it is that of the nearest end of the box around it.
    Vec3 direction(const Vec3& x) const;
    /// u, in [0, 1].
    double potential(const Vec3& x) const;
    /// Share of tendon, 0 belly to 1.
    double tendon(const Vec3& x) const;
    /// Whether tendon() is the same everywhere.
    bool has_uniform_tendon() const {
        return has_uniform_tendon_;
    }

    double cell() const {
        return cell_;
    }
    std::size_t unknowns() const {
        return unknowns_;
    }
    int iterations() const {
        return iterations_;
    }
    bool has_converged() const {
        return has_converged_;
    }

private:
    struct Node {
        std::array<float, 3> gradient = {0.0f, 0.0f, 0.0f};  // unit, in the grid's frame
        float potential = 0.0f;
        float tendon = 0.0f;
    };
    struct Sample {
        Vec3 gradient = Vec3::Zero();
        double potential = 0.0;
        double tendon = 0.0;
    };
    Sample sample(const Vec3& x) const;
    friend class MuscleFieldMaker;

    Mat3 axes_ = Mat3::Identity();  // columns: long, middle, thin
    Vec3 origin_ = Vec3::Zero();    // of node (0, 0, 0), world
    double cell_ = 0.0;
    std::array<int, 3> size_ = {0, 0, 0};  // nodes
    std::vector<Index> node_at_ = {};      // -1 where there is none
    std::vector<Node> nodes_ = {};
    Vec3 mean_ = Vec3::Zero();
    bool has_uniform_tendon_ = true;
    std::size_t unknowns_ = 0;
    int iterations_ = 0;
    bool has_converged_ = false;
};

/// One field per muscle, in their order; ends from "share", "tendon" and "fibre" of the meshes, or
/// estimated (muscle_ends.h). Of two muscles that mirror each other exactly one is computed. The
/// same bits for any number of threads.
/// @throws InputError  naming the muscle; Cancelled
std::vector<MuscleField> compute_muscle_fields(const std::vector<Muscle>& muscles,
                                               const std::vector<Bone>& bones,
                                               const MuscleFieldOptions& options = {},
                                               const Progress& progress = {});

}  // namespace sinew
