#include "sinew/motion/bezier_curve.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// Value of a quintic Bezier polynomial by de Casteljau's scheme.
double bezier(std::array<double, 6> p, double u) {
    for (std::size_t level = 5; level > 0; --level) {
        for (std::size_t i = 0; i < level; ++i) {
            p[i] += u * (p[i + 1] - p[i]);
        }
    }
    return p[0];
}

}  // namespace

BezierCurve::BezierCurve(const std::vector<Station>& stations, const std::vector<double>& roundness)
    : first_(stations.front()), last_(stations.back()) {
    for (std::size_t i = 0; i + 1 < stations.size(); ++i) {
        const Station& a = stations[i];
        const Station& b = stations[i + 1];
        // Tangents at both ends meet in the corner; two control points stand on either tangent.
        const double x = (b.y - a.y - b.slope * b.x + a.slope * a.x) / (a.slope - b.slope);
        const double y = a.y + a.slope * (x - a.x);
        const double c = 0.1 + 0.8 * roundness[i];
        const double ax = a.x + c * (x - a.x);
        const double ay = a.y + c * (y - a.y);
        const double bx = b.x + c * (x - b.x);
        const double by = b.y + c * (y - b.y);
        pieces_.push_back({{a.x, ax, ax, bx, bx, b.x}, {a.y, ay, ay, by, by, b.y}});
    }
}

double BezierCurve::operator()(double x) const {
    if (x <= first_.x) {
        return first_.y + first_.slope * (x - first_.x);
    }
    if (x >= last_.x) {
        return last_.y + last_.slope * (x - last_.x);
    }
    const auto piece = std::find_if(pieces_.begin(), pieces_.end() - 1,
                                    [&](const Piece& p) { return x <= p.x[5]; });
    // x(u) rises from 0 to 1: false position, bisected every third time.
    double low = 0.0;
    double high = 1.0;
    double f_low = piece->x[0] - x;
    double f_high = piece->x[5] - x;
    double u = 0.0;
    for (int i = 0; i < 200; ++i) {
        u = i % 3 == 2 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
        const double f = bezier(piece->x, u) - x;
        if (std::abs(f) < 1e-15 || high - low < 1e-16) {
            break;
        }
        if (f < 0.0) {
            low = u;
            f_low = f;
            f_high *= 0.5;
        } else {
            high = u;
            f_high = f;
            f_low *= 0.5;
        }
    }
    return bezier(piece->y, u);
}

const BezierCurve& millard_active_curve() {
    static const BezierCurve curve = [] {
        // Shortest and longest active length, shoulder, slope of the shallow ascending limb, least
        // value; half the plateau's width.
        constexpr double kShort = 0.4441;
        constexpr double kShoulder = 0.73;
        constexpr double kLong = 1.8123;
        constexpr double kSlope = 0.8616;
        constexpr double kLeast = 0.1;
        constexpr double kPlateau = 0.0259;
        const double left = 1.0 - kPlateau;
        const double y1 = 1.0 - kSlope * (left - kShoulder);
        const double steep = y1 / (kShoulder - (kShort + kPlateau));
        const double down = -1.0 / ((kLong - kPlateau) - (1.0 + kPlateau));
        return BezierCurve(
            {{kShort, kLeast, 0.0},
             {kShort + kPlateau + 0.5 * (kShoulder - kShort - kPlateau), 0.5 * y1, steep},
             {0.5 * (kShoulder + left), 0.5 * (y1 + 1.0), kSlope},
             {1.0, 1.0, 0.0},
             {0.5 * (1.0 + kLong), 0.5, down},
             {kLong, kLeast, 0.0}},
            {1.0, 1.0, 1.0, 1.0, 1.0});
    }();
    return curve;
}

const BezierCurve& millard_passive_curve() {
    static const BezierCurve curve = [] {
        constexpr double kStrain = 0.7;  // at force 1
        constexpr double kLowSlope = 0.2;
        const double slope = 2.0 / kStrain;
        const double foot = std::min(0.1 / slope, 0.1 * kStrain);
        return BezierCurve({{1.0, 0.0, 0.0},
                            {1.0 + foot, 0.5 * kLowSlope * foot, kLowSlope},
                            {1.0 + kStrain, 1.0, slope}},
                           {0.75, 0.75});
    }();
    return curve;
}

const BezierCurve& millard_velocity_curve() {
    static const BezierCurve curve = [] {
        constexpr double kNearShortening = 0.25;
        constexpr double kIsometric = 5.0;
        constexpr double kNearLengthening = 0.15;
        constexpr double kLengthening = 1.4;
        return BezierCurve({{-1.0, 0.0, 0.0},
                            {-0.9, 0.05 * kNearShortening, kNearShortening},
                            {0.0, 1.0, kIsometric},
                            {0.9, kLengthening - 0.05 * kNearLengthening, kNearLengthening},
                            {1.0, kLengthening, 0.0}},
                           {0.6, 0.6, 0.9, 0.9});
    }();
    return curve;
}

const BezierCurve& millard_tendon_curve() {
    static const BezierCurve curve = [] {
        constexpr double kStrain = 0.049;  // at force 1
        constexpr double kToe = 2.0 / 3.0;
        const double slope = 1.375 / kStrain;
        const double x_toe = (kToe - 1.0) / slope + kStrain;
        const double x_foot = x_toe / 10.0;
        const double x_middle = (0.5 * kToe - 1.0) / slope + kStrain;
        const double steep = 0.5 * kToe / (x_middle - x_foot);
        const double x_control = 0.5 * (x_foot + x_middle);
        return BezierCurve({{0.0, 0.0, 0.0},
                            {x_control, steep * (x_control - x_foot), steep},
                            {x_toe, kToe, slope}},
                           {0.5, 0.5});
    }();
    return curve;
}

}  // namespace sinew
