#include "sinew/motion/load_wrench.h"

#include <Eigen/Geometry>

#include <algorithm>

// External loads at a time: force, torque and point of application between samples, in the frames
// that the file names, as a force and a moment about the world's origin.

namespace sinew {

namespace {

// Where a time lies among samples: between `low` and `low` + 1, or nowhere.
struct SampleTime {
    std::size_t low = 0;
    double share = 0.0;
    bool is_known = false;
};

SampleTime find_sample(const std::vector<double>& times, double time) {
    if (times.empty()) {
        return {};
    }
    const auto n = static_cast<double>(times.size());
    // Files round their times; a sample's width of slack keeps the first and last frame loaded.
    const double slack = times.size() > 1 ? (times.back() - times.front()) / (n - 1.0) : 1e-3;
    if (time < times.front() - slack || time > times.back() + slack) {
        return {};
    }
    if (times.size() == 1) {
        return {.low = 0, .share = 0.0, .is_known = true};
    }
    const auto above = std::upper_bound(times.begin(), times.end(), time);
    const auto high = std::clamp<std::size_t>(static_cast<std::size_t>(above - times.begin()), 1,
                                              times.size() - 1);
    const double share = (time - times[high - 1]) / (times[high] - times[high - 1]);
    return {.low = high - 1, .share = std::clamp(share, 0.0, 1.0), .is_known = true};
}

Vec3 value_at(const std::vector<Vec3>& values, const SampleTime& at) {
    if (values.empty()) {
        return Vec3::Zero();
    }
    const Vec3& low = values[at.low];
    return at.share > 0.0 ? Vec3(low + at.share * (values[at.low + 1] - low)) : low;
}

}  // namespace

void add_loads_at(const ExternalLoads& loads, const ModelPlacement& placement, double time,
                  std::vector<BodyLoad>& out) {
    for (const ExternalLoad& load : loads.loads) {
        const SampleTime at = find_sample(load.times, time);
        if (!at.is_known || load.body < 0) {
            continue;
        }
        Vec3 force = value_at(load.force, at);
        Vec3 torque = value_at(load.torque, at);
        if (load.force_frame >= 0) {
            const Mat3& R = placement.bodies[static_cast<std::size_t>(load.force_frame)].rotation;
            force = R * force;
            torque = R * torque;
        }
        Vec3 point = placement.bodies[static_cast<std::size_t>(load.body)].position;
        if (!load.point.empty()) {
            point = value_at(load.point, at);
            if (load.point_frame >= 0) {
                point = placement.bodies[static_cast<std::size_t>(load.point_frame)] * point;
            }
        }
        out.push_back({load.body, force, torque + point.cross(force)});
    }
}

bool covers_time(const ExternalLoads& loads, double time) {
    return std::all_of(loads.loads.begin(), loads.loads.end(), [&](const ExternalLoad& load) {
        return find_sample(load.times, time).is_known;
    });
}

}  // namespace sinew
