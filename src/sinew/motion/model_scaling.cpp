#include "sinew/motion/model_scaling.h"

#include "sinew/base/error.h"
#include "sinew/motion/body_warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// A model scaled along its bodies' axes, by factors that are given or measured between pairs of
// markers. It is a warp with linear maps (body_warp.h); masses grow with volumes or fill up to a
// given mass.

namespace sinew {

namespace {

constexpr double kLeastDistance = 0.05;  // m between two markers of a pair

}  // namespace

MusculoskeletalModel scaled_model(const MusculoskeletalModel& model, std::span<const Vec3> factors,
                                  double mass) {
    SINEW_ASSERT(factors.size() == model.bodies.size(), "{} factors, {} bodies", factors.size(),
                 model.bodies.size());
    double total = 0.0;
    for (const RigidBody& body : model.bodies) {
        total += body.mass;
    }
    std::vector<BodyWarp> warps;
    std::vector<double> ratios;
    for (const Vec3& s : factors) {
        warps.push_back(BodyWarp::scaling(s));
        ratios.push_back(mass > 0.0 && total > 0.0 ? mass / total : s.prod());
    }
    return warped_model(model, warps, ratios);
}

double marker_distance(const MarkerData& data, std::string_view first, std::string_view second) {
    const Index a = find_marker(data, first);
    const Index b = find_marker(data, second);
    if (a < 0 || b < 0) {
        return 0.0;
    }
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t f = 0; f < data.times.size(); ++f) {
        const double d =
            (data.at(f, static_cast<std::size_t>(a)) - data.at(f, static_cast<std::size_t>(b)))
                .norm();
        if (std::isfinite(d)) {
            sum += d;
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

std::vector<Vec3> factors_from_markers(const MusculoskeletalModel& model, const MarkerData& data,
                                       std::vector<ScalePair>& pairs) {
    std::vector<Vec3> out(model.bodies.size(), Vec3::Zero());
    double all = 0.0;
    std::size_t known = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        double sum = 0.0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < model.markers.size(); ++i) {
            for (std::size_t j = i + 1; j < model.markers.size(); ++j) {
                const ModelMarker& p = model.markers[i];
                const ModelMarker& q = model.markers[j];
                const double apart = (p.position - q.position).norm();
                const double measured = p.body == static_cast<Index>(b) && q.body == p.body
                                            ? marker_distance(data, p.name, q.name)
                                            : 0.0;
                if (apart >= kLeastDistance && measured > 0.0) {
                    pairs.push_back({model.bodies[b].name, p.name, q.name, measured, apart});
                    sum += measured / apart;
                    ++count;
                }
            }
        }
        if (count > 0) {
            out[b] = Vec3::Constant(sum / static_cast<double>(count));
            all += out[b].x();
            ++known;
        }
    }
    if (known == 0) {
        throw InputError({.where = fmt::format("model '{}'", model.name),
                          .found = "no body with two markers that the data have, too",
                          .needs = "pairs of markers to measure bodies by",
                          .remedy = "give a set-up of measurements (--setup)"});
    }
    for (Vec3& factor : out) {
        factor = factor.isZero() ? Vec3(Vec3::Constant(all / static_cast<double>(known))) : factor;
    }
    return out;
}

}  // namespace sinew
