#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/solver/local_global.h"
#include "sinew/tissue/fibre_stretch.h"
#include "sinew/tissue/tissue_terms.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew {

struct MuscleGrowthOptions {
    TissueStiffness stiffness = {};
    LocalGlobalOptions solver = {.max_iterations = 30, .tolerance = 1e-3, .window = 10};
    bool keeps_volume = true;  ///< of blended growth tensors, see blended_growth
    /// Rounds in which a growing tetrahedron's tensor is averaged with those of its growing
    /// neighbours, >= 0: shares are sampled, and tetrahedra coarser than muscles would show through
    /// the skin. The paper has none.
    int smoothing_rounds = 2;
    /// Penalties leave grown muscles a few per cent too small, and the paper leaves it at that.
    /// Here every iteration multiplies the determinant that a muscle's tetrahedra are asked for by
    /// a power of (wanted volume / present volume), one factor per muscle and one for everything
    /// else: a multiplier method with few multipliers, so nothing locks. The acceleration takes
    /// positions and logarithms of factors together, as one iteration towards one fixed point.
    bool corrects_volumes = true;
    /// Converged is where the skin moves by less than this in an iteration, on average, m, > 0, no
    /// vertex ten times as far, and volumes no longer change; twice in a row. Without
    /// corrects_volumes it is where forces are below solver.tolerance.
    double settled = 1e-5;
    /// Skin does not grow through skin: what has crossed goes back on its path
    /// (skin_separation.h) and is held there (skin_limits.h). Only with corrects_volumes.
    bool keeps_apart = true;
    /// Of w_vol, in the matrix. With 1 no step could raise the energy; but volume resists in one of
    /// nine directions, so less lets shapes converge faster where steps are checked. Muscle needs
    /// least: what moves slowly there changes its shape and keeps its volume.
    double matrix_share = 0.15;
    double fat_matrix_share = 0.27;
};

/// What became of one muscle. Volumes are sums over tetrahedra of fraction times volume, m^3.
struct MuscleMeasure {
    std::string name;
    Index muscle = -1;  ///< number in the body
    double alpha = 1.0;
    double before = 0.0;  ///< belly and tendons
    double after = 0.0;
    double belly_before = 0.0;
    double belly_after = 0.0;

    /// Of the belly against alpha^2: -0.1 is a tenth too little.
    double error() const {
        return belly_before > 0.0 ? belly_after / belly_before / (alpha * alpha) - 1.0 : 0.0;
    }
};

/// Puts the volumes that muscles have in a body into `after` and `belly_after`.
void measure_after(const Body& body, std::span<MuscleMeasure> measures);

/// Volumes of the bellies of a body, one per muscle, m^3.
std::vector<double> belly_volumes(const Body& body);

struct MuscleGrowthReport {
    int iterations = 0;
    bool is_converged = false;
    double skin_motion = 0.0;          ///< in the last iteration, mean over the skin, m
    double largest_skin_motion = 0.0;  ///< of any of its vertices, m
    double seconds = 0.0;
    VolumeError volume_error = {};      ///< of tetrahedra against their growth targets
    Eigen::Index inverted_tets = 0;     ///< volume <= 0, where the solver ended
    int refactorisations = 0;           ///< since the solver was made
    std::vector<double> energy = {};    ///< J, iterations + 1 entries
    std::vector<double> residual = {};  ///< relative forces, iterations + 1 entries
};

/// What was changed between the solver's positions and the body that is handed over.
struct HandoverChanges {
    double skin = 0.0;   ///< furthest that a skin vertex moved, m
    double loose = 0.0;  ///< volume that loose tissue gave to bellies or took from them, m^3
    long crossing = 0;   ///< pairs of skin triangles that crossed before
};

/// A change of the state that an iteration goes on from.
struct MuscleGrowthShift {
    Points displacement = Points(0, 3);   ///< of all points, m
    std::vector<double> log_factor = {};  ///< of the factors: per muscle, then of all else
};

/// Growth, atrophy and contraction of muscles [Saito2015, section 3.1]. Bellies are given a growth
/// tensor, tendons and all else keep theirs, and the body comes to rest where elasticity, volumes
/// and the springs on its bones agree. Made once per body: the matrix of rest is factorised then
/// and kept for every change of parameters, each continuing from where the last one ended.
class MuscleGrowth {
public:
    /// The body is copied where needed and may be destroyed.
    /// @throws InputError  for a body without tets, shares or fibres
    explicit MuscleGrowth(const Body& body, const MuscleGrowthOptions& options = {});
    ~MuscleGrowth();
    MuscleGrowth(MuscleGrowth&&) noexcept;
    MuscleGrowth& operator=(MuscleGrowth&&) noexcept;

    /// alpha per muscle, > 0; 1 leaves it as it is. Ends contraction.
    /// @throws InputError  naming the muscle whose value is not in [0.1, 5]
    void set_growth(std::span<const double> alpha);
    /// beta per muscle, >= 1; 1 is relaxed. Ends growth. Volumes stay [Kadlecek2022, eq. 4.15].
    /// @throws InputError  naming the muscle whose value is not in [0.2, 5]
    void set_contraction(std::span<const double> beta);

    /// At most so many iterations from the present positions; may be called again to go on.
    /// @param callback  is handed the positions of every iteration, for display
    MuscleGrowthReport iterate(int iterations, const Progress& progress = {},
                               const IterationCallback& callback = {});
    /// As many as the options allow.
    MuscleGrowthReport settle(const Progress& progress = {},
                              const IterationCallback& callback = {});
    /// Goes on from another state, such as one that is foreseen (muscle_responses.h): it saves
    /// iterations and does not change where they end.
    void shift(const MuscleGrowthShift& change);
    /// Factors of the volumes asked for: per muscle, then of all else.
    const std::vector<double>& factors() const;
    /// For comparisons only: factorises the matrix of the grown state. Counted.
    void refactor();
    /// Back to the rest shape; parameters stay.
    void restart();

    const Points& positions() const;
    /// The present as a new rest body: shares, strength and volumes of muscles follow their growth.
    /// Skin that crosses other skin goes back (skin_separation.h), inverted tetrahedra are mended
    /// where possible (meshing/inversions.h).
    Body body() const;
    const HandoverChanges& handover_changes() const;
    /// Of that body, not of the solver's positions.
    std::vector<MuscleMeasure> measures() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
