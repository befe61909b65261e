#include "sinew/pipeline/skeleton_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

// When skin and skeleton do not fit each other: which unit or axis would make them. All readings
// are tried, the fewest changes first, then those that make a person of it; the answer is the flag
// to give.

namespace sinew {
namespace {

constexpr double kAround = 0.05;     // of the skin's diagonal, where joints may be beside its box
constexpr double kMostInside = 0.9;  // of the joints
constexpr double kLeastSize = 0.3;   // of the skeleton's largest side against the skin's
constexpr double kSpecks = 0.01;     // of the points, on each side
constexpr double kSmallest = 0.4;    // m, of what is likely
constexpr double kLargest = 2.6;

// Points as if they had been read with other options.
Points reread(Points points, const ReadOptions& was, const ReadOptions& now) {
    points *= metres_per(now.unit) / metres_per(was.unit);
    if (was.up != now.up) {
        const Eigen::VectorXd y = points.col(1);
        const double sign = now.up == UpAxis::Z ? 1.0 : -1.0;  // (x, y, z) -> (x, z, -y), or back
        points.col(1) = sign * points.col(2);
        points.col(2) = -sign * y;
    }
    return points;
}

// The corner of a box that holds all points beyond a few on each side: specks far away say nothing.
Eigen::RowVector3d corner(const Points& points, double share) {
    Eigen::RowVector3d at;
    for (int k = 0; k < 3; ++k) {
        Eigen::VectorXd sorted = points.col(k);
        const auto n = static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1));
        std::nth_element(sorted.data(), sorted.data() + n, sorted.data() + sorted.size());
        at[k] = sorted[n];
    }
    return at;
}

double largest_side(const Points& points) {
    return (corner(points, 1.0 - kSpecks) - corner(points, kSpecks)).maxCoeff();
}

bool stands_in(const Points& joints, const Points& skin) {
    const Eigen::RowVector3d low = corner(skin, kSpecks);
    const Eigen::RowVector3d high = corner(skin, 1.0 - kSpecks);
    const double beside = kAround * (high - low).norm();
    Eigen::Index inside = 0;
    for (Eigen::Index j = 0; j < joints.rows(); ++j) {
        inside += (joints.row(j).array() >= low.array() - beside).all() &&
                          (joints.row(j).array() <= high.array() + beside).all()
                      ? 1
                      : 0;
    }
    return static_cast<double>(inside) >= kMostInside * static_cast<double>(joints.rows()) &&
           largest_side(joints) >= kLeastSize * largest_side(skin);
}

std::string options_text(const FitReading& reading) {
    const auto unit = [](Unit u) {
        return std::string(u == Unit::Metre ? "m" : (u == Unit::Centimetre ? "cm" : "mm"));
    };
    const auto up = [](UpAxis axis) { return std::string(axis == UpAxis::Y ? "y" : "z"); };
    std::string text;
    if (reading.is_skin_open) {
        text += "--unit " + unit(reading.skin.unit) + " --up " + up(reading.skin.up);
    }
    if (reading.is_skeleton_open) {
        text += (text.empty() ? "" : " ") + std::string("--skeleton-unit ") +
                unit(reading.skeleton.unit) + " --skeleton-up " + up(reading.skeleton.up);
    }
    return text;
}

}  // namespace

std::optional<std::string> reading_that_fits(const Points& skin, const CharacterSkeleton& skeleton,
                                             const FitReading& reading) {
    if (skin.rows() == 0 || skeleton.joints.empty()) {
        return std::nullopt;
    }
    Points joints(static_cast<Eigen::Index>(skeleton.size()), 3);
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        joints.row(static_cast<Eigen::Index>(j)) = skeleton.joints[j].position.transpose();
    }
    if (stands_in(joints, skin)) {
        return std::nullopt;
    }
    constexpr std::array<Unit, 3> kUnits = {Unit::Metre, Unit::Centimetre, Unit::Millimetre};
    constexpr std::array<UpAxis, 2> kAxes = {UpAxis::Y, UpAxis::Z};
    std::vector<ReadOptions> all;
    for (const Unit unit : kUnits) {
        for (const UpAxis up : kAxes) {
            all.push_back({.unit = unit, .up = up});
        }
    }
    const auto changes = [](const ReadOptions& was, const ReadOptions& now) {
        return (was.unit != now.unit ? 1 : 0) + (was.up != now.up ? 1 : 0);
    };
    std::optional<FitReading> best;
    std::tuple<int, int> best_rank = {};
    for (const ReadOptions& a : all) {
        for (const ReadOptions& b : all) {
            const int of_skin = changes(reading.skin, a);
            const int of_skeleton = changes(reading.skeleton, b);
            if ((of_skin > 0 && !reading.is_skin_open) ||
                (of_skeleton > 0 && !reading.is_skeleton_open)) {
                continue;
            }
            const Points read_skin = reread(skin, reading.skin, a);
            const double size = largest_side(read_skin);
            const std::tuple<int, int> rank = {size > kSmallest && size < kLargest ? 0 : 1,
                                               of_skin + of_skeleton};
            if ((!best || rank < best_rank) &&
                stands_in(reread(joints, reading.skeleton, b), read_skin)) {
                best = reading;
                best->skin = a;
                best->skeleton = b;
                best_rank = rank;
            }
        }
    }
    return best ? std::optional<std::string>(options_text(*best)) : std::nullopt;
}

}  // namespace sinew
