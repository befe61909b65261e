#include "sinew/tissue/muscle_tensors.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <array>

namespace sinew {

namespace {

constexpr std::size_t kTensorPiece = 4096;  // tetrahedra per piece of parallel work

}  // namespace

MuscleTensors::MuscleTensors(const Body& body, bool keeps_volume)
    : keeps_volume_(keeps_volume), across_(tet_neighbours(body.tets.tets)) {
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    volume_.assign(volumes.data(), volumes.data() + volumes.size());
    const TissueShares& s = body.shares;
    const Fibres& f = body.fibres;
    const bool has_fibres = f.start.size() == s.start.size();
    for (std::size_t t = 0; t + 1 < s.start.size() && has_fibres; ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            const auto i = static_cast<std::size_t>(e);
            const auto material = static_cast<std::size_t>(s.material[i]);
            if (s.part[i] < 0 || body.materials[material].tissue != Tissue::Muscle) {
                continue;
            }
            for (Index k = f.start[t]; k < f.start[t + 1]; ++k) {
                if (f.muscle[at(k)] == s.part[i] && f.direction.row(k).squaredNorm() > 0.5) {
                    bellies_.push_back({.muscle = s.part[i],
                                        .fraction = s.fraction[i],
                                        .fibre = point(f.direction, k)});
                }
            }
        }
        start_.push_back(static_cast<Index>(bellies_.size()));
    }
}

std::vector<Mat3> MuscleTensors::tensors(std::span<const FibreStretch> stretch) const {
    std::vector<Mat3> result(volume_.size(), Mat3::Identity());
    parallel_for(start_.size() - 1, kTensorPiece, [&](std::size_t begin, std::size_t end) {
        constexpr std::size_t kMost = 32;  // bellies in a tetrahedron that count
        std::array<GrowingShare, kMost> shares;
        for (std::size_t t = begin; t < end; ++t) {
            std::size_t count = 0;
            for (Index e = start_[t]; e < start_[t + 1] && count < kMost; ++e) {
                const Belly& belly = bellies_[at(e)];
                const FibreStretch& change = stretch[at(belly.muscle)];
                if (change.along != 1.0 || change.across != 1.0) {
                    shares[count++] = {
                        .fibre = belly.fibre, .stretch = change, .fraction = belly.fraction};
                }
            }
            if (count > 0) {
                result[t] = blended_growth({shares.data(), count}, keeps_volume_);
            }
        }
    });
    return result;
}

void MuscleTensors::smooth(std::vector<Mat3>& tensors, int rounds) const {
    SINEW_ASSERT(tensors.size() == volume_.size(), "{} tensors, {} tetrahedra", tensors.size(),
                 volume_.size());
    std::vector<char> is_changing(tensors.size());
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        is_changing[t] = tensors[t] != Mat3::Identity() ? 1 : 0;
    }
    smooth(tensors, is_changing, rounds);
}

// Each becomes the mean of itself and of half its neighbours, by volume: linear in the tensors.
void MuscleTensors::smooth(std::vector<Mat3>& tensors, const std::vector<char>& is_changing,
                           int rounds) const {
    std::vector<Mat3> old;
    for (int round = 0; round < rounds; ++round) {
        old = tensors;
        parallel_for(tensors.size(), kTensorPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) {
                if (is_changing[t] == 0) {
                    continue;
                }
                Mat3 sum = volume_[t] * old[t];
                double weight = volume_[t];
                for (int k = 0; k < 4; ++k) {
                    const Index o = across_(static_cast<Eigen::Index>(t), k);
                    const auto other = static_cast<std::size_t>(o);
                    if (o >= 0 && is_changing[other] != 0) {
                        sum += 0.5 * volume_[other] * old[other];
                        weight += 0.5 * volume_[other];
                    }
                }
                tensors[t] = sum / weight;
            }
        });
    }
}

std::vector<Mat3> MuscleTensors::contraction(std::span<const double> activation, int rounds) const {
    std::vector<FibreStretch> stretch;
    for (const double a : activation) {
        stretch.push_back(contracted_by(contraction_of(a)));
    }
    std::vector<Mat3> result = tensors(stretch);
    smooth(result, rounds);
    return result;
}

std::vector<double> MuscleTensors::contraction_rate(std::span<const double> activation,
                                                    std::span<const double> da, int rounds) const {
    SINEW_ASSERT(activation.size() == da.size(), "{} activations, {} rates", activation.size(),
                 da.size());
    std::vector<Mat3> rates(volume_.size(), Mat3::Zero());
    std::vector<char> is_changing(volume_.size(), 0);
    std::vector<GrowingShare> shares;
    std::vector<FibreStretch> changes;
    for (std::size_t t = 0; t + 1 < start_.size(); ++t) {
        shares.clear();
        changes.clear();
        for (Index e = start_[t]; e < start_[t + 1]; ++e) {
            const Belly& belly = bellies_[at(e)];
            const auto m = static_cast<std::size_t>(belly.muscle);
            if (activation[m] != 0.0 || da[m] != 0.0) {
                const FibreStretch rate = sinew::contraction_rate(activation[m]);
                shares.push_back({.fibre = belly.fibre,
                                  .stretch = contracted_by(contraction_of(activation[m])),
                                  .fraction = belly.fraction});
                changes.push_back({.along = da[m] * rate.along, .across = da[m] * rate.across});
            }
        }
        if (!shares.empty()) {
            rates[t] = blended_growth_rate(shares, changes, keeps_volume_);
            is_changing[t] = 1;
        }
    }
    smooth(rates, is_changing, rounds);
    std::vector<double> numbers;
    numbers.reserve(9 * rates.size());
    for (const Mat3& rate : rates) {
        numbers.insert(numbers.end(), rate.data(), rate.data() + 9);
    }
    return numbers;
}

}  // namespace sinew
