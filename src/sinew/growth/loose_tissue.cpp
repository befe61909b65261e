#include "sinew/growth/loose_tissue.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <vector>

// The last step of muscle growth: positions stand, and bellies that miss their volume get it from
// what shares their tetrahedra. One ratio per belly, found by fixed-point rounds (each round
// multiplies by asked for over present); within a tetrahedron loose tissue gives as much as the
// bellies take, so fractions still sum to 1. Where nothing loose is left, bellies exchange volume:
// rows (tetrahedra) and columns (muscles) are scaled in turns to their sums.
//
// Departs: the paper leaves what the solve misses. Its muscles are judged by eye; ours are
// measured. The volume moved is in every report.

namespace sinew {

namespace {

constexpr std::size_t kLoosePiece = 4096;  // tetrahedra per piece of parallel work
constexpr int kLooseRounds = 20;
constexpr double kMostLoose = 4.0;    // ratio of a belly's fractions, and its inverse
constexpr double kLooseShare = 0.9;   // of what is loose in a tetrahedron, that may give way
constexpr double kLeastLoose = 1e-6;  // of a tetrahedron
constexpr double kTooLarge = 1.001;   // of what was asked for: generic tissue comes in

/// Fractions of a body's shares while bellies change by one number each.
class LooseFractions {
public:
    LooseFractions(const Body& body, std::span<const double> fraction)
        : shares_(body.shares), fraction_(fraction), now_(fraction.begin(), fraction.end()) {
        for (std::size_t e = 0; e < shares_.material.size(); ++e) {
            const Tissue tissue = body.materials[at(shares_.material[e])].tissue;
            is_belly_.push_back(tissue == Tissue::Muscle && shares_.part[e] >= 0 ? 1 : 0);
            is_loose_.push_back(tissue == Tissue::Generic || tissue == Tissue::Fat ? 1 : 0);
        }
        filled_.assign(shares_.start.size() - 1, 0.0);
    }

    /// @param ratio     of each belly's fractions where something is loose
    /// @param is_filled muscles that generic tissue also fills where nothing is
    void set(const std::vector<double>& ratio, const std::vector<char>& is_filled) {
        parallel_for(filled_.size(), kLoosePiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) {
                set_tet(t, ratio, is_filled);
            }
        });
    }

    std::vector<double> bellies(const Eigen::VectorXd& volumes, std::size_t muscles) const {
        std::vector<double> sum(muscles, 0.0);
        for (std::size_t t = 0; t < filled_.size(); ++t) {
            for (Index e = shares_.start[t]; e < shares_.start[t + 1]; ++e) {
                if (is_belly_[at(e)] != 0) {
                    sum[at(shares_.part[at(e)])] +=
                        now_[at(e)] * volumes[static_cast<Eigen::Index>(t)];
                }
            }
        }
        return sum;
    }

    LooseTissue result(const Eigen::VectorXd& volumes, Index filling) const {
        LooseTissue result;
        TissueShares& shares = result.shares;
        for (std::size_t t = 0; t < filled_.size(); ++t) {
            for (Index e = shares_.start[t]; e < shares_.start[t + 1]; ++e) {
                shares.material.push_back(shares_.material[at(e)]);
                shares.part.push_back(shares_.part[at(e)]);
                shares.fraction.push_back(now_[at(e)]);
                if (is_belly_[at(e)] != 0) {
                    result.moved += volumes[static_cast<Eigen::Index>(t)] *
                                    std::abs(now_[at(e)] - fraction_[at(e)]);
                }
            }
            if (filled_[t] > 0.0) {
                shares.material.push_back(filling);
                shares.part.push_back(-1);
                shares.fraction.push_back(filled_[t]);
            }
            shares.start.push_back(static_cast<Index>(shares.material.size()));
        }
        return result;
    }

private:
    // Bellies wish for their fractions times their ratios. What is loose gives way up to nine
    // tenths of it; beyond that all bellies here get the same part of their wishes, so that one
    // which still misses volume pushes the others aside, and these make it up where they have room.
    void set_tet(std::size_t t, const std::vector<double>& ratio,
                 const std::vector<char>& is_filled) {
        double loose = 0.0;
        for (Index e = shares_.start[t]; e < shares_.start[t + 1]; ++e) {
            loose += is_loose_[at(e)] != 0 ? fraction_[at(e)] : 0.0;
        }
        // Growth takes what is loose; waste leaves room for it, old or new.
        const bool has_loose = loose > kLeastLoose;
        const auto wish_of = [&](Index e) {
            const std::size_t m = at(shares_.part[at(e)]);
            const double wished = has_loose           ? ratio[m]
                                  : is_filled[m] != 0 ? std::min(1.0, ratio[m])
                                                      : std::max(1.0, ratio[m]);
            return fraction_[at(e)] * wished;
        };
        double bellies = 0.0;
        double wished = 0.0;
        for (Index e = shares_.start[t]; e < shares_.start[t + 1]; ++e) {
            if (is_belly_[at(e)] != 0) {
                bellies += fraction_[at(e)];
                wished += wish_of(e);
            }
        }
        const double room = bellies + (has_loose ? kLooseShare * loose : 0.0);
        const double part = wished > room ? room / wished : 1.0;
        const double more = part * wished - bellies;
        for (Index e = shares_.start[t]; e < shares_.start[t + 1]; ++e) {
            now_[at(e)] = is_belly_[at(e)] != 0 ? part * wish_of(e) : fraction_[at(e)];
            if (is_loose_[at(e)] != 0 && has_loose) {
                now_[at(e)] *= 1.0 - more / loose;
            }
        }
        filled_[t] = has_loose ? 0.0 : -more;
    }

    const TissueShares& shares_;
    std::span<const double> fraction_;
    std::vector<double> now_;     // of shares
    std::vector<double> filled_;  // of tetrahedra, by generic tissue that was not there
    std::vector<char> is_belly_;
    std::vector<char> is_loose_;
};

}  // namespace

LooseTissue with_loose_tissue(const Body& body, std::span<const double> fraction,
                              const Eigen::VectorXd& volumes, std::span<const double> asked_for) {
    const std::size_t muscles = asked_for.size();
    LooseFractions loose(body, fraction);
    std::vector<double> ratio(muscles, 1.0);
    std::vector<char> is_filled(muscles, 0);
    const auto meet_volumes = [&] {
        for (int round = 0; round < kLooseRounds; ++round) {
            const std::vector<double> present = loose.bellies(volumes, muscles);
            for (std::size_t m = 0; m < muscles; ++m) {
                if (present[m] > 0.0 && asked_for[m] > 0.0) {
                    ratio[m] = std::clamp(ratio[m] * asked_for[m] / present[m], 1.0 / kMostLoose,
                                          kMostLoose);
                }
            }
            loose.set(ratio, is_filled);
        }
    };
    meet_volumes();

    // Wasted bellies that are still too large.
    Index generic = -1;
    for (std::size_t m = 0; m < body.materials.size(); ++m) {
        generic = body.materials[m].tissue == Tissue::Generic ? static_cast<Index>(m) : generic;
    }
    const std::vector<double> present = loose.bellies(volumes, muscles);
    bool fills = false;
    for (std::size_t m = 0; m < muscles && generic >= 0; ++m) {
        if (asked_for[m] > 0.0 && present[m] > kTooLarge * asked_for[m]) {
            is_filled[m] = 1;
            ratio[m] = 1.0;
            fills = true;
        }
    }
    if (fills) {
        loose.set(ratio, is_filled);
        meet_volumes();
    }
    return loose.result(volumes, generic);
}

}  // namespace sinew
