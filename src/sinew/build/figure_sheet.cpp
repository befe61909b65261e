#include "sinew/build/figure_sheet.h"

#include "sinew/geometry/measure.h"
#include "sinew/meshing/intersections.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sinew {

namespace {

/// Twice as fine in one direction: uniform Catmull-Rom, ends extrapolated linearly.
FigureNode between(const FigureNode& before, const FigureNode& a, const FigureNode& b,
                   const FigureNode& after) {
    const auto mid = [](const auto& p, const auto& q, const auto& r, const auto& s) {
        return (q + r) * (9.0 / 16.0) - (p + s) * (1.0 / 16.0);
    };
    FigureNode node;
    node.position = mid(before.position, a.position, b.position, after.position);
    node.half = std::max(mid(before.half, a.half, b.half, after.half), 0.25 * (a.half + b.half));
    node.skin = std::max(mid(before.skin, a.skin, b.skin, after.skin), 0.0);
    return node;
}

FigureNode beyond(const FigureNode& end, const FigureNode& previous) {
    return {.position = 2.0 * end.position - previous.position,
            .half = 2.0 * end.half - previous.half,
            .skin = 2.0 * end.skin - previous.skin};
}

std::vector<FigureNode> refined_line(const std::vector<FigureNode>& line) {
    std::vector<FigureNode> fine;
    const std::size_t n = line.size();
    for (std::size_t i = 0; i + 1 < n; ++i) {
        fine.push_back(line[i]);
        const FigureNode before = i > 0 ? line[i - 1] : beyond(line[0], line[1]);
        const FigureNode after = i + 2 < n ? line[i + 2] : beyond(line[n - 1], line[n - 2]);
        fine.push_back(between(before, line[i], line[i + 1], after));
    }
    fine.push_back(line.back());
    return fine;
}

/// Where a node's solid begins: the middle surface with its directions.
struct SheetFrame {
    Vec3 position = Vec3::Zero();
    Vec3 normal = Vec3::Zero();   // unit
    Vec3 outward = Vec3::Zero();  // unit, in the sheet, away from it; zero inside
    double half = 0.0;
};

/// Nodes along the edge of a grid, counter-clockwise seen from where the normals point.
std::vector<Index> sheet_rim(const FigureSheet& sheet) {
    std::vector<Index> rim;
    const Index last_row = sheet.rows - 1, last_column = sheet.columns - 1;
    const auto add = [&](Index row, Index column) { rim.push_back(row * sheet.columns + column); };
    for (Index c = 0; c < last_column; ++c) {
        add(0, c);
    }
    for (Index r = 0; r < last_row; ++r) {
        add(r, last_column);
    }
    for (Index c = last_column; c > 0; --c) {
        add(last_row, c);
    }
    for (Index r = last_row; r > 0; --r) {
        add(r, 0);
    }
    return rim;
}

/// Two triangles a cell, columns x rows towards the normal.
std::vector<std::array<Index, 3>> sheet_cells(const FigureSheet& sheet) {
    std::vector<std::array<Index, 3>> cells;
    for (Index r = 0; r + 1 < sheet.rows; ++r) {
        for (Index c = 0; c + 1 < sheet.columns; ++c) {
            const Index i = r * sheet.columns + c;
            const Index up = i + sheet.columns;
            cells.push_back({i, i + 1, up + 1});
            cells.push_back({i, up + 1, up});
        }
    }
    return cells;
}

std::vector<SheetFrame> sheet_frames(const FigureSheet& sheet, const std::vector<Index>& rim) {
    std::vector<SheetFrame> frames;
    for (const FigureNode& node : sheet.nodes) {
        frames.push_back({.position = node.position, .half = node.half});
    }
    const auto frame = [&](Index i) -> SheetFrame& { return frames[static_cast<std::size_t>(i)]; };
    for (const auto& [a, b, c] : sheet_cells(sheet)) {
        const Vec3 n =
            (frame(b).position - frame(a).position).cross(frame(c).position - frame(a).position);
        for (const Index i : {a, b, c}) {
            frame(i).normal += n;
        }
    }
    for (SheetFrame& f : frames) {
        f.normal.normalize();
    }
    for (std::size_t k = 0; k < rim.size(); ++k) {
        SheetFrame& f = frame(rim[k]);
        const Vec3& before = frame(rim[(k + rim.size() - 1) % rim.size()]).position;
        const Vec3& after = frame(rim[(k + 1) % rim.size()]).position;
        // Corners look between their two edges.
        const Vec3 along = (after - f.position).normalized() + (f.position - before).normalized();
        const Vec3 out = along.cross(f.normal);
        f.outward = (out - out.dot(f.normal) * f.normal).normalized();
    }
    return frames;
}

constexpr int kArc = 3;  // vertices of the half round between the two faces

/// Vertices: upper face, lower face, then the arcs of the rim, each from above to below.
Points sheet_points(const std::vector<SheetFrame>& frames, const std::vector<Index>& rim,
                    double grow) {
    const auto n = static_cast<Eigen::Index>(frames.size());
    Points points(2 * n + kArc * static_cast<Eigen::Index>(rim.size()), 3);
    constexpr double kLeast = 0.3;  // of its thickness a sheet keeps
    const auto half = [&](const SheetFrame& f) { return std::max(f.half + grow, kLeast * f.half); };
    for (Eigen::Index i = 0; i < n; ++i) {
        const SheetFrame& f = frames[static_cast<std::size_t>(i)];
        points.row(i) = (f.position + half(f) * f.normal).transpose();
        points.row(n + i) = (f.position - half(f) * f.normal).transpose();
    }
    Eigen::Index row = 2 * n;
    for (const Index i : rim) {
        const SheetFrame& f = frames[static_cast<std::size_t>(i)];
        for (int k = 1; k <= kArc; ++k) {
            const double angle = EIGEN_PI * k / (kArc + 1);
            points.row(row++) =
                (f.position + half(f) * (std::cos(angle) * f.normal + std::sin(angle) * f.outward))
                    .transpose();
        }
    }
    return points;
}

Triangles sheet_triangles(const FigureSheet& sheet, const std::vector<Index>& rim) {
    const auto n = static_cast<Index>(sheet.nodes.size());
    std::vector<std::array<Index, 3>> all;
    for (const auto& [a, b, c] : sheet_cells(sheet)) {
        all.push_back({a, b, c});
        all.push_back({n + a, n + c, n + b});
    }
    const auto arc = [&](std::size_t at, int k) -> Index {
        if (k == 0) {
            return rim[at];
        }
        return k > kArc ? n + rim[at] : 2 * n + kArc * static_cast<Index>(at) + k - 1;
    };
    for (std::size_t at = 0; at < rim.size(); ++at) {
        const std::size_t next = (at + 1) % rim.size();
        for (int k = 0; k <= kArc; ++k) {
            all.push_back({arc(at, k), arc(at, k + 1), arc(next, k + 1)});
            all.push_back({arc(at, k), arc(next, k + 1), arc(next, k)});
        }
    }
    Triangles triangles(static_cast<Eigen::Index>(all.size()), 3);
    for (std::size_t t = 0; t < all.size(); ++t) {
        triangles.row(static_cast<Eigen::Index>(t)) << all[t][0], all[t][1], all[t][2];
    }
    return triangles;
}

double widest_step(const FigureSheet& sheet) {
    double widest = 0.0;
    for (int r = 0; r < sheet.rows; ++r) {
        for (int c = 0; c < sheet.columns; ++c) {
            const Vec3& p = sheet.at(r, c).position;
            if (r > 0) {
                widest = std::max(widest, (p - sheet.at(r - 1, c).position).norm());
            }
            if (c > 0) {
                widest = std::max(widest, (p - sheet.at(r, c - 1).position).norm());
            }
        }
    }
    return widest;
}

}  // namespace

FigureSheet refined_sheet(const FigureSheet& sheet) {
    FigureSheet wide = sheet;  // finer along the rows
    wide.columns = 2 * sheet.columns - 1;
    wide.nodes.clear();
    for (int r = 0; r < sheet.rows; ++r) {
        std::vector<FigureNode> line;
        for (int c = 0; c < sheet.columns; ++c) {
            line.push_back(sheet.at(r, c));
        }
        for (const FigureNode& node : refined_line(line)) {
            wide.nodes.push_back(node);
        }
    }
    FigureSheet fine = wide;
    fine.rows = 2 * sheet.rows - 1;
    fine.nodes.assign(static_cast<std::size_t>(fine.rows) * static_cast<std::size_t>(fine.columns),
                      {});
    for (int c = 0; c < wide.columns; ++c) {
        std::vector<FigureNode> line;
        for (int r = 0; r < wide.rows; ++r) {
            line.push_back(wide.at(r, c));
        }
        line = refined_line(line);
        for (std::size_t r = 0; r < line.size(); ++r) {
            fine.nodes[r * static_cast<std::size_t>(fine.columns) + static_cast<std::size_t>(c)] =
                line[r];
        }
    }
    return fine;
}

TriangleMesh mesh_sheet(const FigureSheet& sheet, double volume, double spacing) {
    constexpr int kMostRefinements = 2;
    FigureSheet fine = refined_sheet(sheet);
    for (int i = 1; i < kMostRefinements && widest_step(fine) > spacing; ++i) {
        fine = refined_sheet(fine);
    }
    const std::vector<Index> rim = sheet_rim(fine);
    const std::vector<SheetFrame> frames = sheet_frames(fine, rim);
    TriangleMesh mesh;
    mesh.triangles = sheet_triangles(fine, rim);
    mesh.points = sheet_points(frames, rim, 0.0);
    // Newton's method with the area as the derivative of the volume.
    constexpr int kSteps = 6;
    constexpr double kTolerance = 1e-4;
    double grow = 0.0;
    for (int step = 0; volume > 0.0 && step < kSteps; ++step) {
        const double lacks = volume - enclosed_volume(mesh.points, mesh.triangles);
        if (std::abs(lacks) < kTolerance * volume) {
            break;
        }
        grow += lacks / surface_area(mesh.points, mesh.triangles);
        mesh.points = sheet_points(frames, rim, grow);
    }
    if (!find_self_intersections(mesh, {.max_pairs = 1}).pairs.empty()) {
        return {};
    }
    return mesh;
}

}  // namespace sinew
