#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/linalg/dense.h"
#include "sinew/muscle/spline_solid.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Fibres from a B-spline solid that is fitted to the muscle [Teran2003, section 6]. The paper has
// solids from an anatomist's model; here one is fitted: at each row of control points along the
// path, a weighted mean gives the centre, the covariance across the path the axes, vertices nearby
// the outline in 24 directions. Control points of a square grid are then laid onto that outline.
// The solid is a little larger than the muscle (margin), since the inverse map must find every
// point of it.

namespace sinew {

namespace {

constexpr int kOutline = 24;  // directions in which a section's outline is known

/// One section across a muscle.
struct Section {
    Vec3 centre = Vec3::Zero();
    Vec3 along = Vec3::UnitY();
    Vec3 wide = Vec3::UnitX();  // principal axes of the section
    Vec3 thin = Vec3::UnitZ();
    std::array<double, kOutline> radius = {};
};

// Gaussian weights along the path: vertices are few and unevenly spread.
Vec3 mean_near(const MuscleVolume& v, double share, double width) {
    Vec3 sum = Vec3::Zero();
    double weight = 0.0;
    for (std::size_t i = 0; i < v.share.size(); ++i) {
        const double d = (v.share[i] - share) / width;
        const double w = std::exp(-d * d);
        sum += w * point(v.mesh.points, static_cast<Eigen::Index>(i));
        weight += w;
    }
    return sum / weight;
}

void find_axes(const MuscleVolume& v, double share, double width, const Section* before,
               Section& s) {
    Mat3 spread = Mat3::Zero();
    for (std::size_t i = 0; i < v.share.size(); ++i) {
        const double d = (v.share[i] - share) / width;
        const Vec3 p = point(v.mesh.points, static_cast<Eigen::Index>(i)) - s.centre;
        const Vec3 flat = p - p.dot(s.along) * s.along;
        spread += std::exp(-d * d) * flat * flat.transpose();
    }
    Vec3 wide = symmetric_eigen(spread).vectors.col(2);
    if (before != nullptr) {
        // Axes turn slowly from section to section: mostly the last one's.
        const Vec3 last = before->wide - before->wide.dot(s.along) * s.along;
        wide = last.normalized() + 0.3 * (wide.dot(last) < 0.0 ? Vec3(-wide) : wide);
    }
    wide -= wide.dot(s.along) * s.along;
    s.wide = wide.normalized();
    s.thin = s.along.cross(s.wide).normalized();
}

void find_outline(const MuscleVolume& v, double share, double width, Section& s) {
    double largest = 0.0;
    for (std::size_t i = 0; i < v.share.size(); ++i) {
        if (std::abs(v.share[i] - share) > width) {
            continue;
        }
        const Vec3 p = point(v.mesh.points, static_cast<Eigen::Index>(i)) - s.centre;
        const double a = p.dot(s.wide);
        const double b = p.dot(s.thin);
        const double r = std::hypot(a, b);
        largest = std::max(largest, r);
        const double turn = std::atan2(b, a) / (2.0 * kPi) + 1.0;
        const int bin = static_cast<int>(std::lround(turn * kOutline)) % kOutline;
        // A vertex tells about the directions next to its own too.
        for (const int k : {-1, 0, 1}) {
            double& known = s.radius[static_cast<std::size_t>((bin + k + kOutline) % kOutline)];
            known = std::max(known, k == 0 ? r : 0.8 * r);
        }
    }
    for (double& r : s.radius) {
        // Directions without a vertex must not pull the outline to the centre.
        r = std::max({r, 0.3 * largest, 1e-4});
    }
}

double radius_at(const Section& s, double angle) {
    const double at = (angle / (2.0 * kPi) + 1.0) * kOutline;
    const auto low = static_cast<int>(std::floor(at));
    const double f = at - low;
    return (1.0 - f) * s.radius[static_cast<std::size_t>(low % kOutline)] +
           f * s.radius[static_cast<std::size_t>((low + 1) % kOutline)];
}

SplineSolid fit(const MuscleVolume& v, const SplineFibreOptions& o) {
    if (v.share.size() != static_cast<std::size_t>(v.mesh.points.rows()) || v.share.empty() ||
        o.sections < 4 || o.across < 4 || !(o.margin >= 1.0) ||
        !(o.pennation >= 0.0 && o.pennation < 0.5 * kPi)) {
        throw InputError(
            {.where = "spline fibres",
             .found = fmt::format("{} shares for {} vertices, {} sections, {} across",
                                  v.share.size(), v.mesh.points.rows(), o.sections, o.across),
             .needs = "a share per vertex, at least 4 control points each way",
             .remedy = "fill the muscle first"});
    }
    const int n = o.across;
    const int rows = o.sections;
    const double width = 0.6 / rows;
    std::vector<Section> sections(static_cast<std::size_t>(rows));
    for (int k = 0; k < rows; ++k) {
        sections[static_cast<std::size_t>(k)].centre =
            mean_near(v, SplineSolid::greville(k, rows), width);
    }
    Points control(static_cast<Eigen::Index>(n) * n * rows, 3);
    Eigen::Index next = 0;
    for (int k = 0; k < rows; ++k) {
        Section& s = sections[static_cast<std::size_t>(k)];
        const Section& a = sections[static_cast<std::size_t>(std::max(0, k - 1))];
        const Section& b = sections[static_cast<std::size_t>(std::min(rows - 1, k + 1))];
        s.along = (b.centre - a.centre).normalized();
        const double share = SplineSolid::greville(k, rows);
        find_axes(v, share, width, k > 0 ? &sections[static_cast<std::size_t>(k - 1)] : nullptr, s);
        find_outline(v, share, 1.5 * width, s);
        // The ends are drawn out, so that what is nearest to the bones lies inside too.
        Vec3 centre = s.centre;
        if (k == 0 || k == rows - 1) {
            const double beyond = 0.6 * (b.centre - a.centre).norm() + 0.004;
            centre += (k == 0 ? -beyond : beyond) * s.along;
        }
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                const Vec2 q(2.0 * SplineSolid::greville(i, n) - 1.0,
                             2.0 * SplineSolid::greville(j, n) - 1.0);
                // Squares around the middle become outlines: |q| in the largest norm.
                const double size = q.cwiseAbs().maxCoeff();
                const double angle = std::atan2(q.y(), q.x());
                const double r = o.margin * 1.15 * size * radius_at(s, angle);
                control.row(next++) =
                    (centre + r * (std::cos(angle) * s.wide + std::sin(angle) * s.thin))
                        .transpose();
            }
        }
    }
    return SplineSolid({n, n, rows}, std::move(control));
}

}  // namespace

SplineFibres::SplineFibres(const MuscleVolume& volume, const SplineFibreOptions& options)
    : options_(options), solid_(fit(volume, options)) {}

Vec3 SplineFibres::direction(const Vec3& at) const {
    const SplineSolid::Inverse inverse = solid_.invert(at);
    const Mat3 D = solid_.derivative(inverse.uvw);
    const Vec3 along = D.col(2).normalized();
    if (options_.arrangement == FibreArrangement::Fusiform ||
        options_.arrangement == FibreArrangement::Fan || options_.pennation == 0.0) {
        return along;
    }
    // Towards u, at right angles to the way.
    Vec3 side = D.col(0) - D.col(0).dot(along) * along;
    side.normalize();
    const double sign =
        options_.arrangement == FibreArrangement::Bipennate && inverse.uvw.x() < 0.5 ? -1.0 : 1.0;
    return std::cos(options_.pennation) * along + sign * std::sin(options_.pennation) * side;
}

}  // namespace sinew
