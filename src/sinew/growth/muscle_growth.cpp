#include "sinew/growth/muscle_growth.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/body/rest_shape.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/inversions.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kPiece = 4096;  // tetrahedra per piece of parallel work
// Exponents of corrections, more than 1 because what lies around takes a part of each: of all
// muscles together, and of one against all. One muscle has neighbours in its own tetrahedra.
constexpr double kCommonPower = 1.5;
constexpr double kSinglePower = 2.5;
constexpr double kLargestStep = 2.0;  // of a factor in one correction
constexpr double kLeastFactor = 0.6;  // of the determinant asked for
constexpr double kMostFactor = 4.0;   // deep muscles between bones need most
constexpr int kEarlyInterval = 2;     // iterations between the first corrections
constexpr int kEarlyIterations = 6;
constexpr double kStill = 1e-8;          // m, of a vertex in an iteration: rounding
constexpr double kSettledChange = 2e-3;  // of volume factors, below which they have settled

}  // namespace

struct MuscleGrowth::Data {
    Body rest;
    MuscleGrowthOptions options;
    std::shared_ptr<ProjectiveTets> tets;
    std::unique_ptr<LocalGlobal> solver;
    Points x;
    Tets across;                        // neighbours of tetrahedra
    std::vector<FibreStretch> stretch;  // per muscle
    std::vector<Mat3> growth;           // per tetrahedron
    std::vector<double> rest_volume;    // per tetrahedron
    std::vector<double> target_volume;  // det F_g times that
    std::vector<double> fraction;       // of shares, grown
    std::vector<double> factor;         // of volumes asked for: per muscle, then of all else
    int refactorisations = 0;
    int iterations_since_set = 0;

    bool is_belly(Index entry) const {
        const TissueShares& s = rest.shares;
        return rest.materials[at(s.material[at(entry)])].tissue == Tissue::Muscle &&
               s.part[at(entry)] >= 0;
    }
    Vec3 fibre(std::size_t tet, Index muscle) const;
    Mat3 tensor(std::size_t tet) const;
    void set(std::span<const double> values, double low, double high, const char* what,
             FibreStretch (*stretch_of)(double));
    void smooth_tensors();
    std::vector<double> shares_now() const;
    double correct_volumes();
    VolumeError volume_error() const;
    bool is_still(const Points& last, int iterations) const;
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

Mat3 MuscleGrowth::Data::tensor(std::size_t tet) const {
    constexpr std::size_t kMost = 32;
    std::array<GrowingShare, kMost> shares;
    std::size_t count = 0;
    const TissueShares& s = rest.shares;
    for (Index e = s.start[tet]; e < s.start[tet + 1] && count < kMost; ++e) {
        if (!is_belly(e)) {
            continue;
        }
        const FibreStretch& change = stretch[at(s.part[at(e)])];
        if (change.along == 1.0 && change.across == 1.0) {
            continue;
        }
        const Vec3 d = fibre(tet, s.part[at(e)]);
        if (d.squaredNorm() > 0.5) {
            shares[count++] = {.fibre = d, .stretch = change, .fraction = s.fraction[at(e)]};
        }
    }
    return blended_growth({shares.data(), count}, options.keeps_volume);
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
    parallel_for(growth.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            growth[t] = tensor(t);
            target_volume[t] = growth[t].determinant() * rest_volume[t];
        }
    });
    smooth_tensors();
    tets->set_growth(growth);
    fraction = shares_now();
    iterations_since_set = 0;
}

// Weighted means with growing neighbours; those that do not grow stay.
void MuscleGrowth::Data::smooth_tensors() {
    std::vector<Mat3> old;
    const auto grows = [&](std::size_t t) { return old[t] != Mat3::Identity(); };
    for (int round = 0; round < options.smoothing_rounds; ++round) {
        old = growth;
        parallel_for(growth.size(), kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) {
                Mat3 sum = rest_volume[t] * old[t];
                double weight = rest_volume[t];
                for (int k = 0; k < 4 && grows(t); ++k) {
                    const Index o = across(static_cast<Eigen::Index>(t), k);
                    if (o >= 0 && grows(at(o))) {
                        sum += 0.5 * rest_volume[at(o)] * old[at(o)];
                        weight += 0.5 * rest_volume[at(o)];
                    }
                }
                growth[t] = grows(t) ? Mat3(sum / weight) : old[t];
            }
        });
    }
}

// Fractions of the grown tetrahedra: every share has grown by its own ratio.
std::vector<double> MuscleGrowth::Data::shares_now() const {
    const TissueShares& s = rest.shares;
    std::vector<double> grown = s.fraction;
    parallel_for(growth.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            double sum = 0.0;
            for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
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

// Asks for more volume where there is too little. Returns the largest change of a factor.
double MuscleGrowth::Data::correct_volumes() {
    const TissueShares& s = rest.shares;
    const std::size_t others = rest.muscles.size();
    const auto kind = [&](Index e) { return is_belly(e) ? at(s.part[at(e)]) : others; };
    std::vector<double> wanted(others + 1, 0.0);
    std::vector<double> present(others + 1, 0.0);
    const Eigen::VectorXd volumes = tet_volumes(x, rest.tets.tets);
    for (std::size_t t = 0; t < growth.size(); ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            wanted[kind(e)] += fraction[at(e)] * target_volume[t];
            present[kind(e)] += fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)];
        }
    }
    // Muscles that are asked for all that is allowed have no say in what all have in common.
    double wanted_of_all = 0.0;
    double present_of_all = 0.0;
    for (std::size_t k = 0; k < others; ++k) {
        if (factor[k] > kLeastFactor && factor[k] < kMostFactor) {
            wanted_of_all += wanted[k];
            present_of_all += present[k];
        }
    }
    const double common = present_of_all > 0.0 ? std::log(wanted_of_all / present_of_all) : 0.0;
    double change = 0.0;
    for (std::size_t k = 0; k <= others; ++k) {
        if (wanted[k] > 0.0 && present[k] > 0.0) {
            const double missing = std::log(wanted[k] / present[k]);
            const double step =
                std::exp(k < others ? kCommonPower * common + kSinglePower * (missing - common)
                                    : kCommonPower * missing);
            const double corrected =
                std::clamp(factor[k] * std::clamp(step, 1.0 / kLargestStep, kLargestStep),
                           kLeastFactor, kMostFactor);
            change = std::max(change, std::abs(corrected / factor[k] - 1.0));
            factor[k] = corrected;
        }
    }
    std::vector<double> ratio(growth.size(), 0.0);
    for (std::size_t t = 0; t < growth.size(); ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            ratio[t] += fraction[at(e)] * factor[kind(e)];
        }
    }
    tets->set_volume_ratio(ratio);
    return change;
}

VolumeError MuscleGrowth::Data::volume_error() const {
    const Eigen::VectorXd volumes = tet_volumes(x, rest.tets.tets);
    VolumeError error;
    double wanted = 0.0;
    for (std::size_t t = 0; t < target_volume.size(); ++t) {
        wanted += target_volume[t];
        error.largest =
            std::max(error.largest,
                     std::abs(volumes[static_cast<Eigen::Index>(t)] / target_volume[t] - 1.0));
    }
    error.total = std::abs(volumes.sum() / wanted - 1.0);
    return error;
}

// Whether an iteration moves vertices by less than the tolerance times their whole displacement.
bool MuscleGrowth::Data::is_still(const Points& last, int iterations) const {
    const double floor = kStill * std::sqrt(static_cast<double>(x.rows()));
    return (x - last).norm() <=
           iterations * std::max(floor, options.solver.tolerance * (x - rest.tets.points).norm());
}

MuscleGrowth::MuscleGrowth(const Body& body, const MuscleGrowthOptions& options)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.rest = body;
    d.options = options;
    d.tets = make_tet_term(body, options.stiffness);
    d.tets->set_matrix_share(options.matrix_share);
    d.across = tet_neighbours(body.tets.tets);
    if (body.fibres.start.size() != at(body.tets.tets.rows()) + 1) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "no fibres",
                          .needs = "a fibre direction wherever there is muscle",
                          .remedy = "make the body with 'sinew build'"});
    }
    LocalGlobal::Terms terms = {d.tets};
    if (body.attachments.points.size() > 0) {
        terms.push_back(make_attachment_term(body, options.stiffness));
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
    const bool corrects = d.options.correction_interval > 0 && d.options.stiffness.volume > 0.0;
    MuscleGrowthReport report;
    Points last;
    for (bool is_done = false; !is_done;) {
        last = d.x;
        LocalGlobalOptions solver = d.options.solver;
        const int left = iterations - report.iterations;
        const int interval = d.iterations_since_set < kEarlyIterations
                                 ? std::min(kEarlyInterval, d.options.correction_interval)
                                 : d.options.correction_interval;
        solver.max_iterations = corrects ? std::min(left, interval) : left;
        solver.keeps_history = d.iterations_since_set > 0;
        const LocalGlobalReport solved =
            d.solver->minimise(d.x, solver, progress, [&](int iteration, const Points& x) {
                if (callback) {
                    callback(report.iterations + iteration, x);
                }
            });
        report.iterations += solved.iterations;
        d.iterations_since_set += solved.iterations;
        const std::size_t known = report.energy.empty() ? 0 : 1;
        report.energy.insert(report.energy.end(), solved.energy.begin() + known,
                             solved.energy.end());
        report.residual.insert(report.residual.end(), solved.residual.begin() + known,
                               solved.residual.end());
        // Between corrections there are too few iterations for forces to vanish: there the body has
        // settled when it moves no more.
        const bool is_settled = solved.status != LocalGlobalStatus::IterationLimit ||
                                (corrects && d.is_still(last, solved.iterations));
        report.is_converged = corrects ? is_settled : solved.status == LocalGlobalStatus::Converged;
        is_done = report.iterations >= iterations || (is_settled && !corrects);
        if (corrects && !is_done) {
            const double change = d.correct_volumes();
            report.is_converged = report.is_converged && change < kSettledChange;
            is_done = is_settled && change < kSettledChange;
        }
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
    data_->solver->refactor();
    ++data_->refactorisations;
}

void MuscleGrowth::restart() {
    data_->x = data_->rest.tets.points;
    data_->iterations_since_set = 0;
    data_->factor.assign(data_->factor.size(), 1.0);
    data_->tets->set_volume_ratio(std::vector<double>(data_->growth.size(), 1.0));
}

const Points& MuscleGrowth::positions() const {
    return data_->x;
}

std::vector<MuscleMeasure> MuscleGrowth::measures() const {
    const Data& d = *data_;
    const TissueShares& s = d.rest.shares;
    std::vector<MuscleMeasure> result(d.rest.muscles.size());
    for (std::size_t m = 0; m < result.size(); ++m) {
        result[m].name = d.rest.muscles[m].name;
        result[m].alpha = std::sqrt(d.stretch[m].volume());
    }
    const Eigen::VectorXd before = tet_volumes(d.rest.tets);
    const Eigen::VectorXd after = tet_volumes(d.x, d.rest.tets.tets);
    for (std::size_t t = 0; t + 1 < s.start.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            const Tissue tissue = d.rest.materials[at(s.material[at(e)])].tissue;
            if (s.part[at(e)] < 0 || (tissue != Tissue::Muscle && tissue != Tissue::Tendon)) {
                continue;
            }
            MuscleMeasure& m = result[at(s.part[at(e)])];
            const double was = s.fraction[at(e)] * before[row];
            const double is = d.fraction[at(e)] * after[row];
            m.before += was;
            m.after += is;
            if (tissue == Tissue::Muscle) {
                m.belly_before += was;
                m.belly_after += is;
            }
        }
    }
    return result;
}

Body MuscleGrowth::body() const {
    const Data& d = *data_;
    Body result = with_rest_shape(d.rest, smooth_inversions(d.rest.tets, d.x).x);
    result.shares.fraction = d.fraction;
    // A muscle's force goes with its cross-section.
    for (std::size_t m = 0; m < result.muscles.size(); ++m) {
        const FibreStretch& change = d.stretch[m];
        result.muscles[m].fmax *= change.volume() / change.along;
    }
    return result;
}

}  // namespace sinew
