#pragma once

#include "sinew/body/figure_table.h"
#include "sinew/geometry/measure.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace sinew {

/// Whether distances are taken to the surface of the part, or to the skin that lies over it.
enum class FigureLayer { Part, Skin };

/// A stroke or a sheet, sampled finely, with its signed distance (m, negative inside). The distance
/// is exact to first order at the surface; far away it only grows with the distance.
///
/// Stroke: with c the nearest point of the centre line, n and B the axes of the section there,
///   u = |(x-c).n|, v = |(x-c).B|, w = |(x-c).T| beyond an end and 0 elsewhere,
///   f = ((u/a)^e + (v/b)^e + (w/cap)^e)^(1/e),   d = (f - 1) / |grad f|, at least -min(a, b).
/// Sheet: d = min over its triangles of |x - c| - h(c), c the nearest point of the triangle.
/// With FigureLayer::Skin the half-widths grow by the skin's distance.
class FigureShape {
public:
    explicit FigureShape(const FigureStroke& stroke);
    explicit FigureShape(const FigureSheet& sheet);
    /// The same shape seen in the mirror, x -> -x.
    FigureShape reflected() const;

    bool is_cut() const {
        return is_cut_;
    }
    double blend() const {
        return blend_;
    }
    /// Encloses the shape in the given layer.
    const Bounds& bounds(FigureLayer layer) const {
        return bounds_[layer == FigureLayer::Skin ? 1 : 0];
    }
    /// Smallest half-width or half-thickness that still matters for its look, m: a low quantile.
    double thinness() const;

    double distance(const Vec3& x, FigureLayer layer) const;

    /// How far along the shape the nearest place of its middle is, 0 at the origin, 1 at the
    /// insertion, and the direction of the fibres there. A sheet runs along its columns; where its
    /// fibres are nearer to the rows, along these.
    struct Way {
        double share = 0.0;
        Vec3 direction = Vec3::Zero();  ///< unit
    };
    Way way_along(const Vec3& x) const;

    /// For many points of one ball: the pieces that can be nearest to any of them go into `pieces`.
    /// Returns a lower bound of the true distance of any point of the ball.
    double find_pieces(const Vec3& centre, double radius, FigureLayer layer,
                       std::vector<Index>& pieces) const;
    /// As distance(x, layer) where x lies in that ball.
    double distance(const Vec3& x, FigureLayer layer, std::span<const Index> pieces) const;

private:
    struct Sample {
        Vec3 position = Vec3::Zero();
        Vec3 tangent = Vec3::Zero();
        Vec3 normal = Vec3::Zero();
        double a = 0.0;  // half-thickness of a sheet
        double b = 0.0;
        double skin = 0.0;
    };
    /// From sample k to the next: what searches for the nearest piece read.
    struct Segment {
        Vec3 from = Vec3::Zero();
        Vec3 way = Vec3::Zero();
        double per_length2 = 0.0;  // 1 / |way|^2, 0 without length

        double nearest(const Vec3& x) const {
            return std::clamp((x - from).dot(way) * per_length2, 0.0, 1.0);
        }
    };
    void sample_stroke(const FigureStroke& stroke);
    void find_segments();
    void sample_sheet(const FigureSheet& sheet);
    void measure();
    double reach(const Sample& s, FigureLayer layer) const;
    double stroke_distance(const Vec3& x, double growth, std::span<const Index> pieces) const;
    double sheet_distance(const Vec3& x, double growth, std::span<const Index> pieces) const;
    double distance_to_piece(const Vec3& x, Index piece) const;

    bool is_sheet_ = false;
    bool is_cut_ = false;
    double exponent_ = 2.0;
    double blend_ = 0.0;
    std::array<double, 2> cap_ = {0.0, 0.0};
    std::vector<Sample> samples_ = {};
    std::vector<Segment> segments_ = {};                // of a stroke
    std::vector<std::array<Index, 3>> triangles_ = {};  // of a sheet
    std::vector<Index> all_pieces_ = {};                // segments or triangles
    std::vector<double> share_ = {};                    // of each sample
    std::array<Bounds, 2> bounds_ = {};
};

/// Smooth minimum of two distances with blend radius k >= 0:
///   min(p, q) - h^2 k / 4,  h = max(k - |p - q|, 0) / k        [Quilez2013, polynomial smin]
double smooth_min(double p, double q, double k);
double smooth_max(double p, double q, double k);

/// All shapes of a part: strokes, their reflections where the stroke says so, sheets.
std::vector<FigureShape> shapes_of(const FigurePart& part);
/// Smooth union of the shapes in their order: a cut takes away from what stands before it.
double part_distance(std::span<const FigureShape> shapes, const Vec3& x, FigureLayer layer);

}  // namespace sinew
