#include "sinew/motion/bezier_curve.h"

#include <algorithm>
#include <cmath>

// Millard's curves: quintic Bezier pieces between stations of given position and slope, smooth to
// second order [Millard2013]. Control points lie on the two end tangents, twice each; where
// tangents meet is the corner that `roundness` draws the curve towards. Stations are those of
// OpenSim's functions, whose values the tests compare with.
//
// x(u) has no inverse in closed form: a curve is evaluated by finding u. Curves that were asked for
// last are kept, one per thread.

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

namespace {

BezierCurve active_curve(const MillardShape& m) {
    constexpr double kPlateau = 0.05;  // half its width
    const double y1 = 1.0 - m.shallow_slope * (1.0 - kPlateau - m.shoulder);
    const double steep = 1.25 * y1 / (m.shoulder - m.shortest);
    const double down = -1.0 / ((m.longest - kPlateau) - (1.0 + kPlateau));
    return BezierCurve({{m.shortest, m.least, 0.0},
                        {0.5 * (m.shortest + m.shoulder), 0.5 * y1, steep},
                        {0.5 * (m.shoulder + 1.0 - kPlateau), 0.5 * (y1 + 1.0), m.shallow_slope},
                        {1.0, 1.0, 0.0},
                        {0.5 * (1.0 + kPlateau + m.longest), 0.5, down},
                        {m.longest, m.least, 0.0}},
                       {1.0, 1.0, 1.0, 1.0, 1.0});
}

BezierCurve passive_curve(const MillardShape& m) {
    const double begin = 1.0 + m.passive_begin;
    const double end = 1.0 + m.passive_end;
    const double foot = std::min(0.1 / m.passive_slope, 0.1 * (end - begin));
    return BezierCurve({{begin, 0.0, 0.0},
                        {begin + foot, 0.5 * m.passive_foot * foot, m.passive_foot},
                        {end, 1.0, m.passive_slope}},
                       {m.passive_roundness, m.passive_roundness});
}

BezierCurve velocity_curve(const MillardShape& m) {
    const double low = 0.05 * (m.shortening_near + m.shortening_end);
    const double high = m.lengthening_force - 0.05 * (m.lengthening_near + m.lengthening_end);
    return BezierCurve({{-1.0, 0.0, m.shortening_end},
                        {-0.9, low, m.shortening_near},
                        {0.0, 1.0, m.isometric_slope},
                        {0.9, high, m.lengthening_near},
                        {1.0, m.lengthening_force, m.lengthening_end}},
                       {m.shortening_roundness, m.shortening_roundness, m.lengthening_roundness,
                        m.lengthening_roundness});
}

// The last curve made, for as long as its shape is asked for.
struct KeptCurve {
    explicit KeptCurve(BezierCurve (*make)(const MillardShape&)) : make_(make), curve_(make({})) {}

    const BezierCurve& of(const MillardShape& shape) {
        if (!(shape == shape_)) {
            curve_ = make_(shape);
            shape_ = shape;
        }
        return curve_;
    }

private:
    BezierCurve (*make_)(const MillardShape&);
    MillardShape shape_ = {};
    BezierCurve curve_;
};

}  // namespace

const BezierCurve& millard_active_curve(const MillardShape& shape) {
    thread_local KeptCurve kept(active_curve);
    return kept.of(shape);
}

const BezierCurve& millard_passive_curve(const MillardShape& shape) {
    thread_local KeptCurve kept(passive_curve);
    return kept.of(shape);
}

const BezierCurve& millard_velocity_curve(const MillardShape& shape) {
    thread_local KeptCurve kept(velocity_curve);
    return kept.of(shape);
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
