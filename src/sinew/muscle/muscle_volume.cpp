#include "sinew/muscle/muscle_volume.h"

#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/tetrahedralise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

// A muscle's closed surface becomes tetrahedra with fibres, tendon and strength. Meshing is the
// part that may fail: muscles are sheets of a few millimetres, nearly touching themselves. So it is
// tried in a fixed order, from what gives the fewest and best elements to what always works:
// remeshed surface at the edge asked for, finer thin parts, finer everywhere, a level set of the
// shape, the level set's own cells.
//
// Fibres are the flow of a potential between the ends [Saito2015, section 3.1.1] (fibre_field.h);
// strength is inversely as the section, so that every section bears fmax.

namespace sinew {

namespace {

/// Depth of the muscle below each vertex, m.
std::vector<double> thickness_of(const TriangleMesh& mesh) {
    const SurfaceTree tree(mesh);
    const Points normals = vertex_normals(mesh);
    std::vector<double> thickness(at(mesh.points.rows()), 0.0);
    for (Eigen::Index v = 0; v < mesh.points.rows(); ++v) {
        const Vec3 n = point(normals, v);
        if (!(n.norm() > 0.5)) {
            continue;
        }
        const RayHit hit = tree.first_hit({.origin = point(mesh.points, v) - 1e-6 * n,
                                           .direction = -n,
                                           .t_min = 1e-6,
                                           .t_max = 1.0});
        thickness[at(v)] = hit.triangle < 0 ? 0.0 : hit.t;
    }
    return thickness;
}

/// Of triangles and tetrahedra.
struct Fineness {
    double edge;   // longest, m
    double least;  // shortest, m
    double share_of_thickness = 0.7;
};

/// Edge lengths that follow the thickness and change slowly.
// Length may change by at most 0.3 per unit of distance (a Lipschitz bound), or the remesher would
// meet triangles of very different size side by side.
std::vector<double> edge_lengths(const TriangleMesh& mesh, const Fineness& f) {
    std::vector<double> length = thickness_of(mesh);
    for (double& l : length) {
        l = std::clamp(f.share_of_thickness * l, f.least, f.edge);
    }
    const Edges edges = unique_edges(mesh.triangles);
    for (int round = 0; round < 30; ++round) {
        bool has_changed = false;
        for (Eigen::Index e = 0; e < edges.rows(); ++e) {
            const double d = (mesh.points.row(edges(e, 0)) - mesh.points.row(edges(e, 1))).norm();
            double& a = length[at(edges(e, 0))];
            double& b = length[at(edges(e, 1))];
            const double least_a = b + 0.3 * d;
            const double least_b = a + 0.3 * d;
            has_changed = has_changed || a > least_a || b > least_b;
            a = std::min(a, least_a);
            b = std::min(b, least_b);
        }
        if (!has_changed) {
            break;
        }
    }
    return length;
}

/// A muscle in one piece of coarse triangles cannot tell where it is thin.
TriangleMesh even_triangles(const TriangleMesh& surface, double edge, const Progress& progress) {
    return remeshed(surface, {.edge_length = std::min(edge, 0.003)}, progress);
}

/// Even triangles to triangles that follow the thickness.
TriangleMesh fitting_triangles(const TriangleMesh& even, const Fineness& f,
                               const Progress& progress) {
    return remeshed(even, edge_lengths(even, f), {.iterations = 6}, progress);
}

TetMesh fill(const TriangleMesh& surface, const Fineness& f, const Progress& progress) {
    return tetrahedralise({surface}, {.max_edge = f.edge, .timeout = 60.0}, progress);
}

/// The largest piece of a muscle's level set, everywhere `thicker` on either side.
// Closing fills slits between sheets that nearly touch; the largest piece is the muscle.
TriangleMesh level_set_surface(const LevelSet& muscle, double thicker) {
    const double voxel = muscle.voxel();
    // Closed by a voxel: outwards, with what it becomes thicker, and back.
    TriangleMesh mesh =
        muscle.offset(thicker + voxel).offset(-voxel).smoothed(0.5 * voxel).to_mesh();
    const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
    if (pieces.count <= 1) {
        return mesh;
    }
    std::vector<Index> size(static_cast<std::size_t>(pieces.count), 0);
    for (const Index p : pieces.of_triangle) {
        ++size[at(p)];
    }
    const auto largest =
        static_cast<Index>(std::max_element(size.begin(), size.end()) - size.begin());
    Triangles kept(size[at(largest)], 3);
    Eigen::Index next = 0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        if (pieces.of_triangle[at(t)] == largest) {
            kept.row(next++) = mesh.triangles.row(t);
        }
    }
    const Compacted compact = without_unused_points(mesh.points, kept);
    return {.points = compact.points, .triangles = compact.triangles};
}

TetMesh fill_by_level_set(const TriangleMesh& surface, double edge, const Progress& progress) {
    const double voxel = std::clamp(0.25 * edge, 0.0008, 0.0013);
    const LevelSet muscle = LevelSet::from_mesh(surface, {.voxel = voxel});
    constexpr double kLonger = 1.3;  // triangles hardly longer than the cells' are not worth a try
    // Sheets as thin as a cell cross themselves when remeshed; a little thicker they do not.
    for (const double cells : {0.0, 0.5, 1.0}) {
        const TriangleMesh mesh = level_set_surface(muscle, cells * voxel);
        // Its triangles are as small as its cells: larger ones where they fit, if they fill; or
        // even ones a few cells long.
        try {
            const Fineness f = {edge, std::min(voxel, 0.0013)};
            return fill(fitting_triangles(even_triangles(mesh, edge, progress), f, progress), f,
                        progress);
        } catch (const InputError&) {
            progress.check_cancelled();
        }
        const TriangleMesh even = remeshed(mesh, {.edge_length = 3.0 * voxel}, progress);
        // Cells do not grow with the edges asked for: the longest even triangles that fill.
        for (const double length : {0.8 * edge, 0.6 * edge, 3.0 * voxel}) {
            const bool is_even = length <= kLonger * 3.0 * voxel;
            try {
                return tetrahedralise(
                    {is_even ? even : remeshed(even, {.edge_length = length}, progress)},
                    {.max_edge = edge, .timeout = 60.0}, progress);
            } catch (const InputError&) {
                progress.check_cancelled();
            }
            if (is_even) {
                break;
            }
        }
    }
    // The cells' own triangles always fill, but are very many.
    return tetrahedralise({level_set_surface(muscle, 0.0)}, {.max_edge = edge, .timeout = 60.0},
                          progress);
}

TetMesh fill_somehow(const TriangleMesh& surface, const MuscleVolumeOptions& options,
                     const Progress& progress) {
    const double edge = options.edge;
    const double least = options.least_edge;
    const TriangleMesh even = even_triangles(surface, edge, progress);
    std::size_t crossings = std::numeric_limits<std::size_t>::max();
    // Thin parts made finer first: smaller elements everywhere are many.
    for (const Fineness& f :
         {Fineness{edge, least}, Fineness{edge, 0.6 * least, 0.5},
          Fineness{0.85 * edge, 0.6 * least, 0.5}, Fineness{0.7 * edge, 0.7 * least}}) {
        const TriangleMesh fine = fitting_triangles(even, f, progress);
        const std::size_t now = find_self_intersections(fine).pairs.size();
        if (now >= crossings) {
            break;  // sheets that cross each other, which no triangles part
        }
        crossings = now;
        try {
            return fill(fine, f, progress);
        } catch (const InputError&) {
            progress.check_cancelled();
        }
    }
    return fill_by_level_set(surface, options.edge, progress);
}

/// Values of surface vertices carried to any points, by the nearest place on the surface.
std::vector<double> carried(const SurfaceTree& tree, const TriangleMesh& mesh,
                            const std::vector<double>& values, const Points& to) {
    const std::vector<ClosestPoint> nearest = tree.closest_points(to);
    std::vector<double> result(nearest.size());
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        for (int c = 0; c < 3; ++c) {
            result[i] +=
                nearest[i].barycentric[c] * values[at(mesh.triangles(nearest[i].triangle, c))];
        }
    }
    return result;
}

/// Vertices of the first (or last) part of the way; at least a few.
// Reach is a fraction of the path; it is widened until the end has vertices enough to be held
// without turning about a line.
std::vector<Index> end_of(const std::vector<double>& share, bool is_insertion, double reach) {
    constexpr std::size_t kFewest = 6;
    std::vector<Index> found;
    while (found.size() < std::min(kFewest, share.size() / 4)) {
        found.clear();
        for (std::size_t v = 0; v < share.size(); ++v) {
            if ((is_insertion ? 1.0 - share[v] : share[v]) <= reach) {
                found.push_back(static_cast<Index>(v));
            }
        }
        reach *= 1.3;
    }
    return found;
}

}  // namespace

MuscleVolume make_muscle_volume(TetMesh mesh, std::vector<double> share,
                                std::span<const double> tendon, double fmax, double reach) {
    MuscleVolume v;
    v.mesh = std::move(mesh);
    v.share = std::move(share);
    v.origin = end_of(v.share, false, reach);
    v.insertion = end_of(v.share, true, reach);
    const LaplaceFibres fibres(v.mesh, v.origin, v.insertion);
    const auto tets = at(v.mesh.tets.rows());
    v.muscle.assign(tets, 0);
    v.tendon.assign(tets, 0.0);
    v.strength.assign(tets, 0.0);
    v.fibre = fibres.gradient();
    for (std::size_t t = 0; t < tets; ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        for (int c = 0; c < 4; ++c) {
            v.tendon[t] += 0.25 * tendon[at(v.mesh.tets(row, c))];
        }
        const double length = v.fibre.row(row).norm();
        v.strength[t] = fmax * length / fibres.flow();
        v.fibre.row(row) = length > 0.0 ? Eigen::RowVector3d(v.fibre.row(row) / length)
                                        : Eigen::RowVector3d(Vec3::UnitY().transpose());
    }
    // Where held vertices make an edge, flow has a peak that fibres do not have.
    std::vector<double> sorted = v.strength;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(tets / 2),
                     sorted.end());
    // Bounded around the median, not the mean, which the peak itself would move.
    const double middle = sorted[tets / 2];
    for (double& s : v.strength) {
        s = std::clamp(s, 0.02 * middle, 50.0 * middle);
    }
    return v;
}

MuscleVolume fill_muscle(const MuscleShape& shape, const MuscleVolumeOptions& options,
                         const Progress& progress) {
    check_ranges(options, "muscle volume options");
    const auto vertices = at(shape.mesh.points.rows());
    if (shape.share.size() != vertices || shape.tendon.size() != vertices) {
        throw InputError({.where = "muscle shape",
                          .found = fmt::format("{} vertices, {} shares, {} tendons", vertices,
                                               shape.share.size(), shape.tendon.size()),
                          .needs = "one of each per vertex",
                          .remedy = "give the way from origin to insertion"});
    }
    TriangleMesh plain{.points = shape.mesh.points, .triangles = shape.mesh.triangles};
    TetMesh mesh = fill_somehow(plain, options, progress);
    mesh.region.clear();
    const SurfaceTree tree(plain);
    std::vector<double> share = carried(tree, plain, shape.share, mesh.points);
    const std::vector<double> tendon = carried(tree, plain, shape.tendon, mesh.points);
    return make_muscle_volume(std::move(mesh), std::move(share), tendon, shape.fmax, options.reach);
}

// One mesh and one system for all muscles; numbers of vertices are shifted, nothing is welded.
MuscleVolume join_muscles(std::span<const MuscleVolume> muscles, std::vector<Index>& first_vertex) {
    MuscleVolume all;
    Eigen::Index points = 0;
    Eigen::Index tets = 0;
    first_vertex.assign(1, 0);
    for (const MuscleVolume& m : muscles) {
        points += m.mesh.points.rows();
        tets += m.mesh.tets.rows();
        first_vertex.push_back(static_cast<Index>(points));
    }
    all.mesh.points.resize(points, 3);
    all.mesh.tets.resize(tets, 4);
    all.fibre.resize(tets, 3);
    Eigen::Index tet = 0;
    for (std::size_t k = 0; k < muscles.size(); ++k) {
        const MuscleVolume& m = muscles[k];
        const Index shift = first_vertex[k];
        const Eigen::Index count = m.mesh.tets.rows();
        all.mesh.points.middleRows(shift, m.mesh.points.rows()) = m.mesh.points;
        all.mesh.tets.middleRows(tet, count) = m.mesh.tets.array() + shift;
        all.fibre.middleRows(tet, count) = m.fibre;
        all.muscle.insert(all.muscle.end(), at(count), static_cast<Index>(k));
        all.tendon.insert(all.tendon.end(), m.tendon.begin(), m.tendon.end());
        all.strength.insert(all.strength.end(), m.strength.begin(), m.strength.end());
        all.share.insert(all.share.end(), m.share.begin(), m.share.end());
        for (const Index v : m.origin) {
            all.origin.push_back(v + shift);
        }
        for (const Index v : m.insertion) {
            all.insertion.push_back(v + shift);
        }
        tet += count;
    }
    return all;
}

}  // namespace sinew
