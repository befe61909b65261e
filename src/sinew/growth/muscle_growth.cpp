#include "sinew/growth/muscle_growth.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/rest_shape.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/loose_tissue.h"
#include "sinew/growth/skin_limits.h"
#include "sinew/growth/skin_separation.h"
#include "sinew/meshing/inversions.h"
#include "sinew/solver/anderson.h"
#include "sinew/tissue/muscle_tensors.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

// Growth of muscles [Saito2015, section 3.1], in the order of the method:
//
// 1. set(): alpha (or beta) per muscle becomes a growth tensor F_g per tetrahedron [eq. 1;
// Kadlecek2022, eq. 4.15], blended where several tissues share one, then averaged with growing
// neighbours.
//
// 2. advance_together(): one local/global step of shape, volume and bone springs [eqs. 2-6], with
// the matrix of the rest shape, which is factorised once in the constructor.
//
// 3. corrections(): one factor per muscle on the determinant asked for, raised where the belly is
// still too small.
//
// 4. Anderson's acceleration of positions and factors together.
//
// 5. hold_skin(): every few iterations, skin that crosses other skin is sent back and held. From
// the first time on the solver has a second factor, with all vertices that could be held.
//
// 6. judge(): converged is what neither moves visibly nor changes its volume, twice in a row.
//
// 7. healthy_body(): what is handed over has no inverted tetrahedron, no crossing skin, and bellies
// of the volume asked for.
//
// Departs: the paper has steps 1 and 2 only. Step 3 is there because penalties leave grown muscles
// too small, 4 for speed, 5 and 7 because a body that grows far would otherwise be of no use to
// what comes after.
//
// Units: positions in m, volumes in m^3, stiffness in units of TissueStiffness::unit (100 Pa),
// energies in J.

namespace sinew {

namespace {

constexpr std::size_t kPiece = 4096;    // tetrahedra per piece of parallel work
constexpr double kPower = 0.4;          // of wanted over present volume, in one correction
constexpr double kFactorLength = 0.02;  // m that the logarithm of a factor counts for in residuals
constexpr double kGrows = 1.5;        // residual over the last, beyond which the past is forgotten
constexpr double kLargestStep = 0.7;  // of the logarithm of a factor in one correction
constexpr double kLeastFactor = 0.3;  // of the determinant asked for
constexpr double kMostFactor = 12.0;  // deep muscles between bones need most
constexpr double kLimitStiffness = 2e5;  // units per metre, of held skin: with less folds creep on
constexpr int kFirstHold = 12;       // iteration: shapes overshoot before, and cross for a while
constexpr int kHoldEvery = 6;        // iterations, for what crosses by then
constexpr int kLastHold = 24;        // iteration: what is held stays so, and the iteration can end
constexpr int kLastCorrection = 30;  // iterations: loose tissue makes up what is missing then
constexpr double kSettledChange = 1e-3;  // of volume factors, the mean by volume: they have settled
constexpr double kStrayMotion = 10.0;    // of the mean motion that settles, for single vertices
constexpr int kHealingTurns = 8;     // opening tetrahedra may make skin cross, and the other way
constexpr int kStillIterations = 2;  // one after another: accelerated steps may be short by chance

// / Forces of one term, matrix of another. The matrix of the global step need not be the exact
// quadratic part of the forces: any positive definite matrix gives a descent method with the same
// fixed points. Less of the volume weight in the matrix makes longer steps; the solver takes none
// that raises the energy.
class WithMatrix final : public EnergyTerm {
public:
    WithMatrix(std::shared_ptr<const ProjectiveTets> forces,
               std::shared_ptr<const ProjectiveTets> matrix)
        : forces_(std::move(forces)), matrix_(std::move(matrix)) {}
    TermOffers offers() const override {
        return {.projection = true};
    }
    double value(const Points& x) const override {
        return forces_->value(x);
    }
    void add_gradient(const Points& x, Points& gradient) const override {
        forces_->add_gradient(x, gradient);
    }
    void add_quadratic(Triplets& A) const override {
        matrix_->add_quadratic(A);
    }
    double add_force(const Points& x, Points& force, TermScratch& scratch) const override {
        return forces_->add_force(x, force, scratch);
    }

private:
    std::shared_ptr<const ProjectiveTets> forces_;
    std::shared_ptr<const ProjectiveTets> matrix_;
};

// Shares of the volume weight added to the shape weights: what the matrix of rest is made of. In
// the matrix the volume term is replaced by more shape stiffness.
TissueStiffness matrix_weights(const MuscleGrowthOptions& o) {
    TissueStiffness w = o.stiffness;
    const double flesh = o.matrix_share * w.volume;
    w.muscle += flesh;
    w.generic += flesh;
    w.tendon += flesh;
    w.bone += flesh;
    w.fat += o.fat_matrix_share * w.volume;
    w.volume = 0.0;
    return w;
}

// Calls add(muscle, volume, is_belly) for every share of a muscle.
template <class Add>
void add_muscle_volumes(const Body& body, const TissueShares& s, const Eigen::VectorXd& volumes,
                        Add&& add) {
    for (std::size_t t = 0; t + 1 < s.start.size(); ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            const Tissue tissue = body.materials[at(s.material[at(e)])].tissue;
            if (s.part[at(e)] >= 0 && (tissue == Tissue::Muscle || tissue == Tissue::Tendon)) {
                add(s.part[at(e)], s.fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)],
                    tissue == Tissue::Muscle);
            }
        }
    }
}

}  // namespace

struct MuscleGrowth::Data {
    Body rest;
    MuscleGrowthOptions options;
    std::shared_ptr<ProjectiveTets> tets;
    std::shared_ptr<ProjectiveTets> matrix;  // of the global step
    std::unique_ptr<LocalGlobal> solver;
    std::optional<Anderson> anderson;    // of positions and logarithms of factors
    std::shared_ptr<SkinLimits> limits;  // of skin that faces skin
    bool are_limits_solved = false;      // the solver knows of them
    Points x;
    std::optional<MuscleTensors> tensors;
    std::vector<FibreStretch> stretch;  // per muscle
    std::vector<Mat3> growth;           // per tetrahedron
    std::vector<double> rest_volume;    // per tetrahedron
    std::vector<double> target_volume;  // det F_g times that
    std::vector<double> fraction;       // of shares, grown
    std::vector<double> factor;         // of volumes asked for: per muscle, then of all else
    std::vector<double> wanted;         // volumes of the same, m^3
    int refactorisations = 0;
    int iterations_since_set = 0;
    int still_iterations = 0;
    double last_residual = 0.0;  // m
    // Of the new body: positions and tissues.
    struct Healthy {
        Points x;
        TissueShares shares;
        HandoverChanges changes;
    };
    mutable std::optional<Healthy> healthy;  // nothing while it is not known

    bool is_belly(Index entry) const {
        const TissueShares& s = rest.shares;
        return rest.materials[at(s.material[at(entry)])].tissue == Tissue::Muscle &&
               s.part[at(entry)] >= 0;
    }
    Vec3 fibre(std::size_t tet, Index muscle) const;
    void set(std::span<const double> values, double low, double high, const char* what,
             FibreStretch (*stretch_of)(double));
    std::vector<double> shares_now() const;
    std::vector<double> corrections();
    void ask_for_volumes();
    void hold_skin();
    void advance_together(MuscleGrowthReport& report);
    VolumeError volume_error() const;
    std::vector<double> volumes_asked_for() const;
    const Healthy& healthy_body() const;
    void judge(const Points& before, std::span<const double> change, MuscleGrowthReport& report);
};

// Zero where the muscle has no fibres in this tetrahedron.
Vec3 MuscleGrowth::Data::fibre(std::size_t tet, Index muscle) const {
    for (Index e = rest.fibres.start[tet]; e < rest.fibres.start[tet + 1]; ++e) {
        if (rest.fibres.muscle[at(e)] == muscle) {
            return point(rest.fibres.direction, e);
        }
    }
    return Vec3::Zero();
}

void MuscleGrowth::Data::set(std::span<const double> values, double low, double high,
                             const char* what, FibreStretch (*stretch_of)(double)) {
    if (values.size() != rest.muscles.size()) {
        throw InputError({.where = what,
                          .found = fmt::format("{} values", values.size()),
                          .needs = fmt::format("one for each of {} muscles", rest.muscles.size()),
                          .remedy = "give 1 for muscles that stay as they are"});
    }
    for (std::size_t m = 0; m < values.size(); ++m) {
        if (!(values[m] >= low && values[m] <= high)) {
            throw InputError({.where = fmt::format("{} of '{}'", what, rest.muscles[m].name),
                              .found = fmt::format("{}", values[m]),
                              .needs = fmt::format("a number from {} to {}", low, high),
                              .remedy = "1 leaves a muscle as it is"});
        }
        stretch[m] = rest.muscles[m].is_passive ? FibreStretch{} : stretch_of(values[m]);
    }
    // The volumes asked for are those of the tensors before they are averaged: smoothing moves
    // growth across the borders of muscles and must not change how much there is of it.
    growth = tensors->tensors(stretch);
    parallel_for(growth.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            target_volume[t] = growth[t].determinant() * rest_volume[t];
        }
    });
    // Averaged tensors give the shapes.
    tensors->smooth(growth, options.smoothing_rounds);
    tets->set_growth(growth);
    fraction = shares_now();
    iterations_since_set = 0;
    still_iterations = 0;
    healthy.reset();
}

// Fractions of the grown tetrahedra: every share has grown by its own ratio.
std::vector<double> MuscleGrowth::Data::shares_now() const {
    const TissueShares& s = rest.shares;
    std::vector<double> grown = s.fraction;
    parallel_for(growth.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            double sum = 0.0;
            for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
                // A belly without a fibre direction here has no growth tensor either, see
                // MuscleTensors.
                const bool grows = is_belly(e) && fibre(t, s.part[at(e)]).squaredNorm() > 0.5;
                grown[at(e)] *= grows ? stretch[at(s.part[at(e)])].volume() : 1.0;
                sum += grown[at(e)];
            }
            for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
                grown[at(e)] /= sum;
            }
        }
    });
    return grown;
}

// What the logarithms of factors should change by: more volume where there is too little.
// With V_k the volume of belly k now and W_k the one wanted, the logarithm of its factor changes by
//
//   kPower log(W_k / V_k)
//
// which is zero where the volumes are met. All that is not belly has one factor of its own, so that
// fat and bone are not squeezed to make room. Both sums use the fractions after growth, so a
// tetrahedron that is shared counts for each muscle by its part. A belly without room would ask for
// more and more, and fold what lies around it: factors come to an end, and positions with them.
std::vector<double> MuscleGrowth::Data::corrections() {
    const TissueShares& s = rest.shares;
    const std::size_t others = rest.muscles.size();
    wanted.assign(others + 1, 0.0);
    std::vector<double> present(others + 1, 0.0);
    const Eigen::VectorXd volumes = tet_volumes(x, rest.tets.tets);
    for (std::size_t t = 0; t < growth.size(); ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            const std::size_t k = is_belly(e) ? at(s.part[at(e)]) : others;
            wanted[k] += fraction[at(e)] * target_volume[t];
            present[k] += fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)];
        }
    }
    std::vector<double> result(others + 1, 0.0);
    for (std::size_t k = 0; k <= others && iterations_since_set < kLastCorrection; ++k) {
        if (wanted[k] > 0.0 && present[k] > 0.0) {
            const double step =
                std::clamp(kPower * std::log(wanted[k] / present[k]), -kLargestStep, kLargestStep);
            const double next = std::clamp(factor[k] * std::exp(step), kLeastFactor, kMostFactor);
            result[k] = std::log(next / factor[k]);
        }
    }
    return result;
}

// The factor of a tetrahedron is the mean of its tissues' factors by volume.
void MuscleGrowth::Data::ask_for_volumes() {
    const TissueShares& s = rest.shares;
    std::vector<double> ratio(growth.size(), 0.0);
    parallel_for(growth.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
                const std::size_t k = is_belly(e) ? at(s.part[at(e)]) : rest.muscles.size();
                ratio[t] += fraction[at(e)] * factor[k];
            }
        }
    });
    tets->set_volume_ratio(ratio);
}

// Skin that crosses is held a few times while shapes are far from their end; then what is held
// stays the same, so that the iteration has one end.
void MuscleGrowth::Data::hold_skin() {
    const int iteration = iterations_since_set + 1;
    if (!limits || iteration < kFirstHold || iteration > kLastHold || iteration % kHoldEvery != 0 ||
        !limits->hold(x)) {
        return;
    }
    // Many plans never cross. In the matrix without need, vertices that could be held would move
    // more slowly: 46 iterations instead of 31 for all muscles by 0.6.
    if (!are_limits_solved) {
        const std::shared_ptr<ProjectiveConstraints> lists[] = {limits};
        solver->set_changing(lists, ChangingMethod::SecondMatrix);
        are_limits_solved = true;
    }
    if (anderson) {
        anderson->restart();
    }
}

// One iteration of positions and factors: a plain step, which never raises the energy, then the
// combination with past ones whose residual is least.
void MuscleGrowth::Data::advance_together(MuscleGrowthReport& report) {
    // The plain step comes first and by itself, without the solver's own acceleration: one
    // acceleration sees positions and factors, and two of them would each take the other's progress
    // for its own.
    const Points before = x;
    LocalGlobalOptions plain = options.solver;
    plain.max_iterations = 1;
    plain.window = 0;
    const LocalGlobalReport solved = solver->minimise(x, plain);
    if (report.energy.empty()) {
        report.energy.push_back(solved.energy.front());
        report.residual.push_back(solved.residual.front());
    }
    report.energy.push_back(solved.energy.back());
    report.residual.push_back(solved.residual.back());
    const std::vector<double> change = corrections();

    // Logarithms of factors are given the unit of a length, so that the residual that Anderson's
    // method makes least has one unit. 2 cm: a factor that is 1 % off counts like a vertex that is
    // 0.2 mm off.
    const auto positions = at(x.size());
    std::vector<double> state(positions + change.size());
    std::vector<double> step(state.size());
    std::vector<double> next(state.size());
    for (std::size_t i = 0; i < positions; ++i) {
        state[i] = before.data()[i];
        step[i] = x.data()[i] - state[i];
    }
    for (std::size_t k = 0; k < change.size(); ++k) {
        state[positions + k] = kFactorLength * std::log(factor[k]);
        step[positions + k] = kFactorLength * change[k];
    }
    if (!anderson && options.solver.window > 0) {
        anderson.emplace(state.size(), options.solver.window);
    }
    // A step that is half as long again as the last one says that the past no longer describes the
    // present: contacts were added, or the combination went too far.
    const double residual = (x - before).norm();
    if (anderson && (iterations_since_set == 0 || residual > kGrows * last_residual)) {
        anderson->restart();
    }
    last_residual = residual;
    if (anderson) {
        anderson->propose(state, step, next);
    } else {
        std::transform(state.begin(), state.end(), step.begin(), next.begin(), std::plus<>());
    }
    std::copy_n(next.begin(), positions, x.data());
    for (std::size_t k = 0; k < change.size(); ++k) {
        factor[k] =
            std::clamp(std::exp(next[positions + k] / kFactorLength), kLeastFactor, kMostFactor);
    }
    ask_for_volumes();
    hold_skin();
    ++iterations_since_set;
    ++report.iterations;
    judge(before, change, report);
}

// Settled is what a person can no longer see move, with volumes that no longer change.
void MuscleGrowth::Data::judge(const Points& before, std::span<const double> change,
                               MuscleGrowthReport& report) {
    double sum = 0.0;
    double largest = 0.0;
    for (const Index v : rest.skin.tet_vertex) {
        const double moved = (x.row(v) - before.row(v)).norm();
        sum += moved;
        largest = std::max(largest, moved);
    }
    report.skin_motion = sum / std::max(1.0, static_cast<double>(rest.skin.tet_vertex.size()));
    report.largest_skin_motion = largest;
    // Factors count by the volume that they stand for: a small muscle between bones may never come
    // to rest, and nobody sees it.
    double volume = 0.0;
    double changing = 0.0;
    for (std::size_t k = 0; k < change.size(); ++k) {
        volume += wanted[k];
        changing += wanted[k] * std::abs(change[k]);
    }
    const bool is_still = report.skin_motion <= options.settled &&
                          largest <= kStrayMotion * options.settled &&
                          changing <= kSettledChange * volume;
    still_iterations = is_still ? still_iterations + 1 : 0;
    report.is_converged = still_iterations >= kStillIterations;
}

// Volumes that bellies are to have, m^3.
// From the rest shape and alpha alone, so that what is reported does not depend on how the solver
// went.
std::vector<double> MuscleGrowth::Data::volumes_asked_for() const {
    const TissueShares& s = rest.shares;
    std::vector<double> asked_for(rest.muscles.size(), 0.0);
    for (std::size_t t = 0; t < growth.size(); ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            if (is_belly(e)) {
                const std::size_t m = at(s.part[at(e)]);
                asked_for[m] += s.fraction[at(e)] * rest_volume[t] * stretch[m].volume();
            }
        }
    }
    return asked_for;
}

// The present apart, with nothing inside out. Opening tetrahedra may move skin, and moving skin
// back may close some: a few turns.
const MuscleGrowth::Data::Healthy& MuscleGrowth::Data::healthy_body() const {
    if (!healthy) {
        healthy = Healthy{.x = x, .shares = {}, .changes = {}};
        for (int turn = 0; turn < kHealingTurns; ++turn) {
            long crossing = 0;
            if (limits) {
                SeparatedSkin apart = separate_skin(rest, healthy->x);
                crossing = apart.crossing_before;
                healthy->changes.crossing = std::max(healthy->changes.crossing, crossing);
                healthy->x = std::move(apart.x);
            }
            // Nothing may follow the look at the skin: opening tetrahedra moves it.
            if (turn > 0 && crossing == 0) {
                break;
            }
            MendedInversions mended =
                mend_inversions(rest.tets, healthy->x, growth, rest.skin.tet_vertex);
            healthy->x = std::move(mended.x);
        }
        for (const Index v : rest.skin.tet_vertex) {
            healthy->changes.skin =
                std::max(healthy->changes.skin, (healthy->x.row(v) - x.row(v)).norm());
        }
        // Positions are final from here on. What bellies still miss is made up within tetrahedra.
        LooseTissue loose = with_loose_tissue(
            rest, fraction, tet_volumes(healthy->x, rest.tets.tets), volumes_asked_for());
        healthy->shares = std::move(loose.shares);
        healthy->changes.loose = loose.moved;
    }
    return *healthy;
}

VolumeError MuscleGrowth::Data::volume_error() const {
    const Eigen::VectorXd volumes = tet_volumes(x, rest.tets.tets);
    VolumeError error;
    double asked_for = 0.0;
    for (std::size_t t = 0; t < target_volume.size(); ++t) {
        asked_for += target_volume[t];
        error.largest =
            std::max(error.largest,
                     std::abs(volumes[static_cast<Eigen::Index>(t)] / target_volume[t] - 1.0));
    }
    error.total = std::abs(volumes.sum() / asked_for - 1.0);
    return error;
}

MuscleGrowth::MuscleGrowth(const Body& body, const MuscleGrowthOptions& options)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.rest = body;
    d.options = options;
    d.tets = make_tet_term(body, options.stiffness);
    d.matrix = make_tet_term(body, matrix_weights(options));
    if (body.fibres.start.size() != at(body.tets.tets.rows()) + 1) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "no fibres",
                          .needs = "a fibre direction wherever there is muscle",
                          .remedy = "make the body with 'sinew build'"});
    }
    // Terms in the order of the energy: tetrahedra [eqs. 2-4], springs on bones [eq. 5], contact.
    d.tensors.emplace(body, options.keeps_volume);
    EnergyTerms terms = {std::make_shared<WithMatrix>(d.tets, d.matrix)};
    if (body.attachments.points.size() > 0) {
        terms.push_back(make_attachment_term(body, options.stiffness));
    }
    // Contacts join the terms once there are any (hold_skin).
    if (options.keeps_apart && options.corrects_volumes) {
        d.limits = std::make_shared<SkinLimits>(d.rest, kLimitStiffness * options.stiffness.unit);
    }
    d.solver = std::make_unique<LocalGlobal>(body.tets.points.rows(), std::move(terms));
    d.x = body.tets.points;
    d.stretch.assign(body.muscles.size(), {});
    d.growth.assign(at(body.tets.tets.rows()), Mat3::Identity());
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    d.rest_volume.assign(volumes.data(), volumes.data() + volumes.size());
    d.target_volume = d.rest_volume;
    d.fraction = body.shares.fraction;
    d.factor.assign(body.muscles.size() + 1, 1.0);
}

MuscleGrowth::~MuscleGrowth() = default;
MuscleGrowth::MuscleGrowth(MuscleGrowth&&) noexcept = default;
MuscleGrowth& MuscleGrowth::operator=(MuscleGrowth&&) noexcept = default;

void MuscleGrowth::set_growth(std::span<const double> alpha) {
    data_->set(alpha, 0.1, 5.0, "growth", grown_by);
}

void MuscleGrowth::set_contraction(std::span<const double> beta) {
    data_->set(beta, 0.2, 5.0, "contraction", contracted_by);
}

MuscleGrowthReport MuscleGrowth::iterate(int iterations, const Progress& progress,
                                         const IterationCallback& callback) {
    Data& d = *data_;
    const Timer timer;
    const bool corrects = d.options.corrects_volumes && d.options.stiffness.volume > 0.0;
    MuscleGrowthReport report;
    d.healthy.reset();
    if (corrects) {
        auto stage = progress.stage("muscles", static_cast<std::uint64_t>(iterations));
        while (report.iterations < iterations && !report.is_converged) {
            d.advance_together(report);
            if (callback) {
                callback(report.iterations, d.x);
            }
            stage.advance();
        }
    } else {
        // As in the paper: volumes as the penalties leave them, converged by forces.
        LocalGlobalOptions solver = d.options.solver;
        solver.max_iterations = iterations;
        solver.keeps_history = d.iterations_since_set > 0;
        const LocalGlobalReport solved = d.solver->minimise(d.x, solver, progress, callback);
        report.iterations = solved.iterations;
        d.iterations_since_set += solved.iterations;
        report.energy = solved.energy;
        report.residual = solved.residual;
        report.is_converged = solved.status == LocalGlobalStatus::Converged;
    }
    report.volume_error = d.volume_error();
    report.inverted_tets = (tet_volumes(d.x, d.rest.tets.tets).array() <= 0.0).count();
    report.refactorisations = d.refactorisations;
    report.seconds = timer.seconds();
    return report;
}

MuscleGrowthReport MuscleGrowth::settle(const Progress& progress,
                                        const IterationCallback& callback) {
    return iterate(data_->options.solver.max_iterations, progress, callback);
}

void MuscleGrowth::refactor() {
    data_->matrix->set_growth(data_->growth);
    data_->solver->refactor();
    ++data_->refactorisations;
}

// Factors go back as well: left as they are they would ask the rest shape for volumes of another
// plan.
void MuscleGrowth::restart() {
    data_->healthy.reset();
    data_->x = data_->rest.tets.points;
    data_->iterations_since_set = 0;
    if (data_->limits) {
        data_->limits->reset();
        data_->solver->set_changing({});
        data_->are_limits_solved = false;
    }
    data_->factor.assign(data_->factor.size(), 1.0);
    data_->tets->set_volume_ratio(std::vector<double>(data_->growth.size(), 1.0));
}

void MuscleGrowth::shift(const MuscleGrowthShift& change) {
    Data& d = *data_;
    SINEW_ASSERT(
        change.displacement.rows() == d.x.rows() && change.log_factor.size() == d.factor.size(),
        "{} points and {} factors, not {} and {}", change.displacement.rows(),
        change.log_factor.size(), d.x.rows(), d.factor.size());
    d.healthy.reset();
    d.x += change.displacement;
    for (std::size_t k = 0; k < d.factor.size(); ++k) {
        d.factor[k] =
            std::clamp(d.factor[k] * std::exp(change.log_factor[k]), kLeastFactor, kMostFactor);
    }
    d.ask_for_volumes();
    d.iterations_since_set = 0;  // nothing of the past describes the present
}

const std::vector<double>& MuscleGrowth::factors() const {
    return data_->factor;
}

const Points& MuscleGrowth::positions() const {
    return data_->x;
}

const HandoverChanges& MuscleGrowth::handover_changes() const {
    return data_->healthy_body().changes;
}

std::vector<MuscleMeasure> MuscleGrowth::measures() const {
    const Data& d = *data_;
    std::vector<MuscleMeasure> result(d.rest.muscles.size());
    for (std::size_t m = 0; m < result.size(); ++m) {
        result[m].name = d.rest.muscles[m].name;
        result[m].muscle = static_cast<Index>(m);
        result[m].alpha = std::sqrt(d.stretch[m].volume());
    }
    const auto add = [&](const Eigen::VectorXd& volumes, const TissueShares& shares,
                         double MuscleMeasure::*whole, double MuscleMeasure::*belly) {
        add_muscle_volumes(d.rest, shares, volumes, [&](Index m, double volume, bool is_belly) {
            result[at(m)].*whole += volume;
            result[at(m)].*belly += is_belly ? volume : 0.0;
        });
    };
    add(tet_volumes(d.rest.tets), d.rest.shares, &MuscleMeasure::before,
        &MuscleMeasure::belly_before);
    add(tet_volumes(d.healthy_body().x, d.rest.tets.tets), d.healthy_body().shares,
        &MuscleMeasure::after, &MuscleMeasure::belly_after);
    return result;
}

void measure_after(const Body& body, std::span<MuscleMeasure> measures) {
    std::vector<std::pair<double, double>> volumes(body.muscles.size());
    add_muscle_volumes(body, body.shares, tet_volumes(body.tets),
                       [&](Index m, double volume, bool is_belly) {
                           volumes[at(m)].first += volume;
                           volumes[at(m)].second += is_belly ? volume : 0.0;
                       });
    for (MuscleMeasure& m : measures) {
        std::tie(m.after, m.belly_after) = volumes[at(m.muscle)];
    }
}

std::vector<double> belly_volumes(const Body& body) {
    std::vector<double> volumes(body.muscles.size(), 0.0);
    add_muscle_volumes(
        body, body.shares, tet_volumes(body.tets),
        [&](Index m, double volume, bool is_belly) { volumes[at(m)] += is_belly ? volume : 0.0; });
    return volumes;
}

Body MuscleGrowth::body() const {
    const Data& d = *data_;
    Body result = with_rest_shape(d.rest, d.healthy_body().x);
    result.shares = d.healthy_body().shares;
    // A muscle's force goes with its cross-section.
    for (std::size_t m = 0; m < result.muscles.size(); ++m) {
        const FibreStretch& change = d.stretch[m];
        result.muscles[m].fmax *= change.volume() / change.along;
    }
    fit_muscle_meshes(d.rest, result);
    return result;
}

}  // namespace sinew
