#include "sinew/build/figure_shape.h"

#include "sinew/base/error.h"
#include "sinew/build/figure_sheet.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {

constexpr int kSubdivisions = 6;  // samples of a stroke between two stations

/// Barycentric coordinates (of b and c) of the point of triangle a b c nearest to x
/// [Ericson2005, section 5.1.5].
Vec2 nearest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, ax = x - a;
    const double d1 = ab.dot(ax), d2 = ac.dot(ax);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return {0.0, 0.0};
    }
    const Vec3 bx = x - b;
    const double d3 = ab.dot(bx), d4 = ac.dot(bx);
    if (d3 >= 0.0 && d4 <= d3) {
        return {1.0, 0.0};
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        return {d1 / (d1 - d3), 0.0};
    }
    const Vec3 cx = x - c;
    const double d5 = ab.dot(cx), d6 = ac.dot(cx);
    if (d6 >= 0.0 && d5 <= d6) {
        return {0.0, 1.0};
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        return {0.0, d2 / (d2 - d6)};
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {1.0 - w, w};
    }
    const double sum = va + vb + vc;
    if (!(sum > 0.0)) {
        return {0.0, 0.0};  // a triangle without area
    }
    return {vb / sum, vc / sum};
}

/// Hermite interpolation with the tangents of a Catmull-Rom spline over unequal steps:
///   m_i = (d_{i-1} h_i + d_i h_{i-1}) / (h_{i-1} + h_i), ends 1.5 d - 0.5 m.
template <class T>
std::vector<T> spline_tangents(const std::vector<T>& v, const std::vector<double>& h) {
    const std::size_t n = v.size();
    std::vector<T> d, m(n, v[0] * 0.0);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        d.push_back((v[i + 1] - v[i]) / h[i]);
    }
    for (std::size_t i = 1; i + 1 < n; ++i) {
        m[i] = (d[i - 1] * h[i] + d[i] * h[i - 1]) / (h[i - 1] + h[i]);
    }
    if (n == 2) {
        m[0] = m[1] = d[0];
    } else {
        m[0] = d[0] * 1.5 - m[1] * 0.5;
        m[n - 1] = d[n - 2] * 1.5 - m[n - 2] * 0.5;
    }
    return m;
}

template <class T>
T hermite(const T& v0, const T& v1, const T& m0, const T& m1, double h, double s) {
    const double s2 = s * s, s3 = s2 * s;
    return v0 * (2 * s3 - 3 * s2 + 1) + m0 * (h * (s3 - 2 * s2 + s)) + v1 * (3 * s2 - 2 * s3) +
           m1 * (h * (s3 - s2));
}

}  // namespace

FigureShape::FigureShape(const FigureStroke& stroke)
    : is_cut_(stroke.is_cut), exponent_(stroke.exponent), blend_(stroke.blend) {
    sample_stroke(stroke);
    const Sample& first = samples_.front();
    const Sample& last = samples_.back();
    cap_ = stroke.cap.value_or(std::array{std::min(first.a, first.b), std::min(last.a, last.b)});
    measure();
}

FigureShape::FigureShape(const FigureSheet& sheet) : is_sheet_(true), blend_(sheet.blend) {
    sample_sheet(sheet);
    measure();
}

void FigureShape::sample_stroke(const FigureStroke& stroke) {
    const std::vector<FigureStation>& st = stroke.stations;
    SINEW_ASSERT(st.size() >= 2, "{} stations", st.size());
    const auto squared = [&](double r) { return stroke.squares_radii ? r * r : r; };
    std::vector<Vec3> p;
    std::vector<double> a, b, h;
    for (std::size_t i = 0; i < st.size(); ++i) {
        p.push_back(st[i].position);
        a.push_back(squared(st[i].a));
        b.push_back(squared(st[i].b));
        if (i > 0) {
            h.push_back(std::max((p[i] - p[i - 1]).norm(), 1e-9));
        }
    }
    const std::vector<Vec3> mp = spline_tangents(p, h);
    const std::vector<double> ma = spline_tangents(a, h), mb = spline_tangents(b, h);
    // Equally spaced in chord length over the whole stroke.
    std::vector<double> start = {0.0};
    for (const double step : h) {
        start.push_back(start.back() + step);
    }
    const int count = kSubdivisions * (static_cast<int>(st.size()) - 1) + 1;
    std::size_t i = 0;
    for (int k = 0; k < count; ++k) {
        const double at = start.back() * k / (count - 1);
        while (i + 2 < st.size() && at > start[i + 1]) {
            ++i;
        }
        const double s = std::clamp((at - start[i]) / h[i], 0.0, 1.0);
        const auto radius = [&](const std::vector<double>& r, const std::vector<double>& m) {
            const double linear = r[i] + (r[i + 1] - r[i]) * s;
            const double curved = hermite(r[i], r[i + 1], m[i], m[i + 1], h[i], s);
            const double value = std::max(curved, 0.5 * linear);
            return stroke.squares_radii ? std::sqrt(value) : value;
        };
        Sample sample;
        sample.position = hermite(p[i], p[i + 1], mp[i], mp[i + 1], h[i], s);
        sample.a = radius(a, ma);
        sample.b = radius(b, mb);
        sample.normal = (1.0 - s) * st[i].normal + s * st[i + 1].normal;
        sample.skin = (1.0 - s) * st[i].skin + s * st[i + 1].skin;
        samples_.push_back(sample);
    }
    for (std::size_t k = 0; k < samples_.size(); ++k) {
        const std::size_t low = k > 0 ? k - 1 : 0;
        const std::size_t high = std::min(k + 1, samples_.size() - 1);
        samples_[k].tangent = (samples_[high].position - samples_[low].position).normalized();
    }
    share_ = {0.0};
    for (std::size_t k = 1; k < samples_.size(); ++k) {
        share_.push_back(share_.back() + (samples_[k].position - samples_[k - 1].position).norm());
    }
    const double length = std::max(share_.back(), 1e-12);
    for (double& share : share_) {
        share /= length;
    }
    find_segments();
    all_pieces_.resize(samples_.size() - 1);
    std::iota(all_pieces_.begin(), all_pieces_.end(), 0);
}

void FigureShape::find_segments() {
    segments_.clear();
    for (std::size_t k = 0; k + 1 < samples_.size(); ++k) {
        const Vec3 way = samples_[k + 1].position - samples_[k].position;
        const double length2 = way.squaredNorm();
        segments_.push_back({.from = samples_[k].position,
                             .way = way,
                             .per_length2 = length2 > 0.0 ? 1.0 / length2 : 0.0});
    }
}

void FigureShape::sample_sheet(const FigureSheet& sheet) {
    const FigureSheet fine = refined_sheet(sheet);
    for (const FigureNode& node : fine.nodes) {
        Sample sample;
        sample.position = node.position;
        sample.a = sample.b = node.half;
        sample.skin = node.skin;
        samples_.push_back(sample);
    }
    // Fibres turn from the columns towards rising rows.
    constexpr double kAlongRows = 1.0;  // rad, beyond which a sheet runs along its rows
    for (int r = 0; r < fine.rows; ++r) {
        for (int c = 0; c < fine.columns; ++c) {
            const auto at = [&](int row, int column) {
                return fine
                    .at(std::clamp(row, 0, fine.rows - 1), std::clamp(column, 0, fine.columns - 1))
                    .position;
            };
            const Vec3 column = (at(r, c + 1) - at(r, c - 1)).normalized();
            Vec3 row = at(r + 1, c) - at(r - 1, c);
            row = (row - row.dot(column) * column).normalized();
            samples_[static_cast<std::size_t>(r * fine.columns + c)].tangent =
                std::cos(sheet.fibre) * column + std::sin(sheet.fibre) * row;
            const double along_row = static_cast<double>(r) / (fine.rows - 1);
            share_.push_back(sheet.fibre > kAlongRows ? along_row
                             : sheet.fibre < -kAlongRows
                                 ? 1.0 - along_row
                                 : static_cast<double>(c) / (fine.columns - 1));
        }
    }
    for (int r = 0; r + 1 < fine.rows; ++r) {
        for (int c = 0; c + 1 < fine.columns; ++c) {
            const Index i = r * fine.columns + c;
            const Index up = i + fine.columns;
            triangles_.push_back({i, i + 1, up + 1});
            triangles_.push_back({i, up + 1, up});
        }
    }
    all_pieces_.resize(triangles_.size());
    std::iota(all_pieces_.begin(), all_pieces_.end(), 0);
}

double FigureShape::reach(const Sample& s, FigureLayer layer) const {
    const double growth = layer == FigureLayer::Skin ? s.skin : 0.0;
    const double a = s.a + growth, b = s.b + growth;
    // Sections squarer than an oval reach into the corners of their box.
    return exponent_ > 2.0 && !is_sheet_ ? std::hypot(a, b) : std::max(a, b);
}

void FigureShape::measure() {
    for (const FigureLayer layer : {FigureLayer::Part, FigureLayer::Skin}) {
        Bounds& box = bounds_[layer == FigureLayer::Skin ? 1 : 0];
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            const Sample& s = samples_[i];
            double r = reach(s, layer);
            if (!is_sheet_ && (i == 0 || i + 1 == samples_.size())) {
                const double growth = layer == FigureLayer::Skin ? s.skin : 0.0;
                r = std::hypot(r, cap_[i == 0 ? 0 : 1] + growth);
            }
            box.add(s.position - Vec3::Constant(r));
            box.add(s.position + Vec3::Constant(r));
        }
    }
}

FigureShape FigureShape::reflected() const {
    FigureShape other = *this;
    for (Sample& s : other.samples_) {
        s.position.x() = -s.position.x();
        s.tangent.x() = -s.tangent.x();
        s.normal.x() = -s.normal.x();
    }
    if (!is_sheet_) {
        other.find_segments();
    }
    for (Bounds& box : other.bounds_) {
        const double low = box.low.x();
        box.low.x() = -box.high.x();
        box.high.x() = -low;
    }
    return other;
}

double FigureShape::thinness() const {
    std::vector<double> thin;
    for (const Sample& s : samples_) {
        thin.push_back(std::min(s.a, s.b));
    }
    const auto low = thin.begin() + static_cast<std::ptrdiff_t>(thin.size() / 5);
    std::nth_element(thin.begin(), low, thin.end());
    return *low;
}

double FigureShape::distance_to_piece(const Vec3& x, Index piece) const {
    const auto k = static_cast<std::size_t>(piece);
    if (is_sheet_) {
        const auto& t = triangles_[k];
        const Vec3& a = samples_[static_cast<std::size_t>(t[0])].position;
        const Vec3& b = samples_[static_cast<std::size_t>(t[1])].position;
        const Vec3& c = samples_[static_cast<std::size_t>(t[2])].position;
        const Vec2 w = nearest_on_triangle(x, a, b, c);
        return (x - (a + w[0] * (b - a) + w[1] * (c - a))).norm();
    }
    const Segment& segment = segments_[k];
    return (x - segment.from - segment.nearest(x) * segment.way).norm();
}

FigureShape::Way FigureShape::way_along(const Vec3& x) const {
    double least = std::numeric_limits<double>::infinity();
    Way result;
    for (const Index piece : all_pieces_) {
        const double d = distance_to_piece(x, piece);
        if (d >= least) {
            continue;
        }
        least = d;
        const auto k = static_cast<std::size_t>(piece);
        if (is_sheet_) {
            const auto& t = triangles_[k];
            const auto i = static_cast<std::size_t>(t[0]), j = static_cast<std::size_t>(t[1]),
                       l = static_cast<std::size_t>(t[2]);
            const Vec2 w = nearest_on_triangle(x, samples_[i].position, samples_[j].position,
                                               samples_[l].position);
            const double u = 1.0 - w[0] - w[1];
            result.share = u * share_[i] + w[0] * share_[j] + w[1] * share_[l];
            result.direction =
                u * samples_[i].tangent + w[0] * samples_[j].tangent + w[1] * samples_[l].tangent;
        } else {
            const double s = segments_[k].nearest(x);
            result.share = (1.0 - s) * share_[k] + s * share_[k + 1];
            result.direction = (1.0 - s) * samples_[k].tangent + s * samples_[k + 1].tangent;
        }
    }
    result.direction.normalize();
    return result;
}

double FigureShape::find_pieces(const Vec3& centre, double radius, FigureLayer layer,
                                std::vector<Index>& pieces) const {
    pieces.clear();
    thread_local std::vector<double> near;
    near.resize(all_pieces_.size());
    double nearest = std::numeric_limits<double>::infinity();
    double bound = std::numeric_limits<double>::infinity();
    for (const Index piece : all_pieces_) {
        const auto k = static_cast<std::size_t>(piece);
        const double d = distance_to_piece(centre, piece);
        double wide = 0.0, narrow = std::numeric_limits<double>::infinity();
        const auto include = [&](const Sample& s) {
            const double r = reach(s, layer);
            wide = std::max(wide, r);
            narrow = std::min(narrow, r);
        };
        if (is_sheet_) {
            for (const Index i : triangles_[k]) {
                include(samples_[static_cast<std::size_t>(i)]);
            }
        } else {
            include(samples_[k]);
            include(samples_[k + 1]);
            const double growth = layer == FigureLayer::Skin ? samples_[k].skin : 0.0;
            if (k == 0) {
                wide = std::hypot(wide, cap_[0] + growth);
            }
            if (k + 2 == samples_.size()) {
                wide = std::hypot(wide, cap_[1] + growth);
            }
        }
        bound = std::min(bound, d - wide);
        // Nearest is the one of least distance (stroke) or of least distance to its surface
        // (sheet).
        near[k] = is_sheet_ ? d - wide : d;
        nearest = std::min(nearest, is_sheet_ ? d - narrow : d);
    }
    for (const Index piece : all_pieces_) {
        if (near[static_cast<std::size_t>(piece)] <= nearest + 2.0 * radius) {
            pieces.push_back(piece);
        }
    }
    return bound - radius;
}

double FigureShape::distance(const Vec3& x, FigureLayer layer) const {
    return distance(x, layer, all_pieces_);
}

double FigureShape::distance(const Vec3& x, FigureLayer layer,
                             std::span<const Index> pieces) const {
    const double growth = layer == FigureLayer::Skin ? 1.0 : 0.0;
    return is_sheet_ ? sheet_distance(x, growth, pieces) : stroke_distance(x, growth, pieces);
}

double FigureShape::sheet_distance(const Vec3& x, double growth,
                                   std::span<const Index> pieces) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Index piece : pieces) {
        const auto& t = triangles_[static_cast<std::size_t>(piece)];
        const Sample& a = samples_[static_cast<std::size_t>(t[0])];
        const Sample& b = samples_[static_cast<std::size_t>(t[1])];
        const Sample& c = samples_[static_cast<std::size_t>(t[2])];
        const Vec2 w = nearest_on_triangle(x, a.position, b.position, c.position);
        const double w0 = 1.0 - w[0] - w[1];
        const Vec3 nearest = w0 * a.position + w[0] * b.position + w[1] * c.position;
        const double half = w0 * (a.a + growth * a.skin) + w[0] * (b.a + growth * b.skin) +
                            w[1] * (c.a + growth * c.skin);
        least = std::min(least, (x - nearest).norm() - half);
    }
    return least;
}

double FigureShape::stroke_distance(const Vec3& x, double growth,
                                    std::span<const Index> pieces) const {
    // Nearest point of the centre line.
    std::size_t segment = 0;
    double s = 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (const Index piece : pieces) {
        const auto k = static_cast<std::size_t>(piece);
        const double t = segments_[k].nearest(x);
        const double d2 = (x - segments_[k].from - t * segments_[k].way).squaredNorm();
        if (d2 < least) {
            least = d2;
            segment = k;
            s = t;
        }
    }
    const Sample& p = samples_[segment];
    const Sample& q = samples_[segment + 1];
    const Vec3 r = x - ((1.0 - s) * p.position + s * q.position);
    const double skin = growth * ((1.0 - s) * p.skin + s * q.skin);
    const double a = (1.0 - s) * p.a + s * q.a + skin;
    const double b = (1.0 - s) * p.b + s * q.b + skin;
    // The frame of the section; tangents are interpolated, so that it turns without jumps.
    const Vec3 T = ((1.0 - s) * p.tangent + s * q.tangent).normalized();
    const Vec3 mixed = (1.0 - s) * p.normal + s * q.normal;
    Vec3 n = mixed - mixed.dot(T) * T;
    const double length = n.norm();
    n = length > 1e-9 ? Vec3(n / length) : T.unitOrthogonal();
    const Vec3 B = T.cross(n);
    double u = std::abs(r.dot(n)), v = std::abs(r.dot(B)), w = 0.0;
    double cap = 1.0;
    const bool is_before = segment == 0 && s <= 0.0;
    const bool is_after = segment + 2 == samples_.size() && s >= 1.0;
    if (is_before || is_after) {
        w = std::abs(r.dot(T));
        cap = cap_[is_before ? 0 : 1] + skin;
    } else {
        // What lies along T is no distance along the stroke but the bend of the line.
        const double across = std::sqrt(u * u + v * v);
        const double scale = across > 1e-12 ? r.norm() / across : 1.0;
        u *= scale;
        v *= scale;
    }
    const double floor = -std::min(a, b);
    if (exponent_ == 2.0) {
        // d = k1 (k1 - 1) / k2 with k1 = |(u/a, v/b, w/c)|, k2 = |(u/a^2, v/b^2, w/c^2)|.
        const double ua = u / a, vb = v / b, wc = w / cap;
        const double k1 = std::sqrt(ua * ua + vb * vb + wc * wc);
        const double k2 = std::sqrt(ua * ua / (a * a) + vb * vb / (b * b) + wc * wc / (cap * cap));
        return k2 > 1e-12 ? std::max(k1 * (k1 - 1.0) / k2, floor) : floor;
    }
    // With S the sum of the powers, f = S^(1/e) and grad f = f / S ((u/a)^(e-1) / a, ...).
    const double e = exponent_;
    const auto power = [e](double y) {
        return e == 3.0 ? y * y * y : e == 4.0 ? y * y * y * y : std::pow(y, e);
    };
    const double ua = u / a, vb = v / b, wc = w / cap;
    const double pu = power(ua), pv = power(vb), pw = wc > 0.0 ? power(wc) : 0.0;
    const double sum = pu + pv + pw;
    const double f = std::pow(sum, 1.0 / e);
    if (f < 1e-9) {
        return floor;
    }
    const auto slope = [](double powered, double y, double width) {
        return y > 0.0 ? powered / (y * width) : 0.0;
    };
    const double gu = slope(pu, ua, a), gv = slope(pv, vb, b), gw = slope(pw, wc, cap);
    const double g = f / sum * std::sqrt(gu * gu + gv * gv + gw * gw);
    return std::max((f - 1.0) / g, floor);
}

double smooth_min(double p, double q, double k) {
    if (k <= 0.0) {
        return std::min(p, q);
    }
    const double h = std::max(k - std::abs(p - q), 0.0) / k;
    return std::min(p, q) - h * h * k / 4.0;
}

double smooth_max(double p, double q, double k) {
    return -smooth_min(-p, -q, k);
}

std::vector<FigureShape> shapes_of(const FigurePart& part) {
    std::vector<FigureShape> shapes;
    for (const FigureStroke& stroke : part.strokes) {
        shapes.emplace_back(stroke);
        if (stroke.mirror) {
            shapes.push_back(shapes.back().reflected());
        }
    }
    for (const FigureSheet& sheet : part.sheets) {
        shapes.emplace_back(sheet);
    }
    return shapes;
}

double part_distance(std::span<const FigureShape> shapes, const Vec3& x, FigureLayer layer) {
    double d = std::numeric_limits<double>::infinity();
    for (const FigureShape& shape : shapes) {
        const double own = shape.distance(x, layer);
        if (shape.is_cut()) {
            d = smooth_max(d, -own, shape.blend());
        } else {
            d = std::isfinite(d) ? smooth_min(d, own, shape.blend()) : own;
        }
    }
    return d;
}

}  // namespace sinew
