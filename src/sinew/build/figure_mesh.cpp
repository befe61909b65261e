#include "sinew/build/figure_mesh.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/build/figure_sheet.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/decimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {

namespace {

// Values along a block that is skipped as a whole, and along the parts that it is evaluated in.
constexpr int kBlock = 12;
constexpr int kSmallBlock = 4;

/// One block of grid values.
struct Block {
    std::array<int, 3> low = {};
    std::array<int, 3> high = {};  // one past the last

    Vec3 first(const ScalarGrid& grid) const {
        return grid.position(low[0], low[1], low[2]);
    }
    Vec3 last(const ScalarGrid& grid) const {
        return grid.position(high[0] - 1, high[1] - 1, high[2] - 1);
    }

    template <class Visit>
    void for_each(const ScalarGrid& grid, Visit&& visit) const {
        std::size_t k = 0;
        for (int z = low[2]; z < high[2]; ++z) {
            for (int y = low[1]; y < high[1]; ++y) {
                std::size_t i = grid.index(low[0], y, z);
                for (int x = low[0]; x < high[0]; ++x, ++i, ++k) {
                    visit(k, i, grid.position(x, y, z));
                }
            }
        }
    }
};

std::size_t count_blocks(const Block& whole, int length) {
    std::size_t n = 1;
    for (std::size_t a = 0; a < 3; ++a) {
        n *= static_cast<std::size_t>((whole.high[a] - whole.low[a] + length - 1) / length);
    }
    return n;
}

/// One of those that a block is divided into.
Block block_of(const Block& whole, int length, std::size_t index) {
    Block block;
    for (std::size_t a = 0; a < 3; ++a) {
        const auto n =
            static_cast<std::size_t>((whole.high[a] - whole.low[a] + length - 1) / length);
        block.low[a] = whole.low[a] + static_cast<int>(index % n) * length;
        block.high[a] = std::min(block.low[a] + length, whole.high[a]);
        index /= n;
    }
    return block;
}

using Shapes = std::vector<const FigureShape*>;

// Cells beyond its blend at which a shape still counts in the values of a block.
constexpr double kShapeReach = 4.0;

/// Those of the shapes that matter in a block, in the same order; none where all values are larger
/// than `level`.
Shapes near_shapes(const Shapes& shapes, const Block& block, const ScalarGrid& grid, double level) {
    const Vec3 low = block.first(grid);
    const Vec3 high = block.last(grid);
    std::vector<Index> pieces;
    Shapes near;
    bool is_touched = false;
    for (const FigureShape* shape : shapes) {
        const double reach = shape->blend() + kShapeReach * grid.cell;
        const Bounds& box = shape->bounds(FigureLayer::Part);
        if ((box.low.array() > high.array() + reach).any() ||
            (box.high.array() < low.array() - reach).any()) {
            continue;
        }
        const double bound = shape->find_pieces(0.5 * (low + high), 0.5 * (high - low).norm(),
                                                FigureLayer::Part, pieces);
        if (bound <= reach) {
            near.push_back(shape);
            // Where shapes join, values are lower by a quarter of the blend at most, each time.
            is_touched = is_touched || (!shape->is_cut() && bound <= level + 0.5 * shape->blend());
        }
    }
    return is_touched ? near : Shapes{};
}

/// Distances of the shapes on one small block, folded as part_distance does.
void sample_block(const Shapes& shapes, const Block& block, double far, ScalarGrid& grid) {
    const Vec3 low = block.first(grid);
    const Vec3 high = block.last(grid);
    constexpr std::size_t kPoints =
        static_cast<std::size_t>(kSmallBlock) * kSmallBlock * kSmallBlock;
    std::array<double, kPoints> d;
    d.fill(far);
    std::vector<Index> pieces;
    for (const FigureShape* shape : shapes) {
        shape->find_pieces(0.5 * (low + high), 0.5 * (high - low).norm(), FigureLayer::Part,
                           pieces);
        block.for_each(grid, [&](std::size_t k, std::size_t, const Vec3& x) {
            const double own = shape->distance(x, FigureLayer::Part, pieces);
            d[k] = shape->is_cut() ? smooth_max(d[k], -own, shape->blend())
                                   : smooth_min(d[k], own, shape->blend());
        });
    }
    block.for_each(grid, [&](std::size_t k, std::size_t i, const Vec3&) {
        grid.values[i] = static_cast<float>(d[k]);
    });
}

/// Drops pieces that are small beside the whole.
void drop_specks(TriangleMesh& mesh) {
    const Components pieces = connected_components(mesh.triangles, mesh.points.rows());
    if (pieces.count < 2) {
        return;
    }
    std::vector<double> volume(static_cast<std::size_t>(pieces.count), 0.0);
    double total = 0.0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
        const Vec3 b = point(mesh.points, mesh.triangles(t, 1));
        const Vec3 c = point(mesh.points, mesh.triangles(t, 2));
        const double v = a.dot(b.cross(c)) / 6.0;
        volume[static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)])] += v;
        total += v;
    }
    constexpr double kSpeck = 0.01;
    Triangles kept(mesh.triangles.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const auto piece =
            static_cast<std::size_t>(pieces.of_triangle[static_cast<std::size_t>(t)]);
        // Bubbles inside have negative volume and go too.
        if (volume[piece] > kSpeck * total) {
            kept.row(count++) = mesh.triangles.row(t);
        }
    }
    Compacted compact = without_unused_points(mesh.points, kept.topRows(count));
    mesh.points = std::move(compact.points);
    mesh.triangles = std::move(compact.triangles);
}

}  // namespace

ScalarGrid sample_part(std::span<const FigureShape> shapes, double cell, double margin,
                       double band) {
    Bounds box;
    double blend = 0.0;
    for (const FigureShape& shape : shapes) {
        if (!shape.is_cut()) {
            box.add(shape.bounds(FigureLayer::Part));
            blend = std::max(blend, shape.blend());
        }
    }
    SINEW_ASSERT(!box.is_empty(), "{} shapes", shapes.size());
    ScalarGrid grid;
    grid.cell = cell;
    const Vec3 free = Vec3::Constant(margin + 2.0 * cell + 0.25 * blend);
    grid.origin = box.low - free;
    for (int a = 0; a < 3; ++a) {
        grid.size[static_cast<std::size_t>(a)] =
            static_cast<int>(std::ceil((box.size()[a] + 2.0 * free[a]) / cell)) + 1;
    }
    const double far = blend + 5.0 * cell;
    grid.values.assign(grid.index(0, 0, grid.size[2]), static_cast<float>(far));
    Shapes all;
    for (const FigureShape& shape : shapes) {
        all.push_back(&shape);
    }
    const Block whole{.low = {0, 0, 0}, .high = grid.size};
    parallel_for(count_blocks(whole, kBlock), 2, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Block block = block_of(whole, kBlock, i);
            const Shapes near = near_shapes(all, block, grid, band);
            for (std::size_t k = 0; !near.empty() && k < count_blocks(block, kSmallBlock); ++k) {
                const Block small = block_of(block, kSmallBlock, k);
                const Shapes nearer = near_shapes(near, small, grid, band);
                if (!nearer.empty()) {
                    sample_block(nearer, small, far, grid);
                }
            }
        }
    });
    // The border stays outside at any level that is asked for.
    const auto [nx, ny, nz] = grid.size;
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                if (x == 0 || y == 0 || z == 0 || x + 1 == nx || y + 1 == ny || z + 1 == nz) {
                    grid.values[grid.index(x, y, z)] = static_cast<float>(far);
                }
            }
        }
    }
    return grid;
}

double cell_for(std::span<const FigureShape> shapes, const PartMeshOptions& options) {
    double thin = std::numeric_limits<double>::infinity();
    for (const FigureShape& shape : shapes) {
        if (!shape.is_cut()) {
            thin = std::min(thin, shape.thinness());
        }
    }
    return std::clamp(1.2 * thin, options.smallest_cell, options.cell);
}

namespace {

/// The volume inside a level, told from the grid alone: every value stands for a cube of space that
/// is inside by the share 1/2 + (level - value) / cell.
class GridVolume {
public:
    GridVolume(const ScalarGrid& grid, double margin) : cell_(grid.cell) {
        const auto far = static_cast<float>(margin + 0.5 * grid.cell);
        for (const float v : grid.values) {
            if (v < -far) {
                ++deep_;
            } else if (v < far) {
                band_.push_back(v);
            }
        }
    }

    double at(double level) const {
        const auto l = static_cast<float>(level);
        const auto per_cell = static_cast<float>(1.0 / cell_);
        double sum = 0.0;
        for (const float v : band_) {
            sum += static_cast<double>(std::clamp(0.5f + (l - v) * per_cell, 0.0f, 1.0f));
        }
        return cell_ * cell_ * cell_ * (static_cast<double>(deep_) + sum);
    }

    /// The level in [-reach, reach] with this volume, or the nearer end.
    double level_of(double volume, double reach) const {
        double low = -reach;
        double high = reach;
        for (int i = 0; i < 16; ++i) {
            const double middle = 0.5 * (low + high);
            (at(middle) < volume ? low : high) = middle;
        }
        return 0.5 * (low + high);
    }

private:
    double cell_;
    std::size_t deep_ = 0;
    std::vector<float> band_;
};

/// Moves all vertices along their normals by what the volume lacks over the area.
void correct_volume(TriangleMesh& mesh, double wanted) {
    constexpr int kSteps = 3;
    constexpr double kTolerance = 1e-4;
    for (int step = 0; step < kSteps; ++step) {
        const double lacks = wanted - enclosed_volume(mesh.points, mesh.triangles);
        const double area = surface_area(mesh.points, mesh.triangles);
        if (std::abs(lacks) < kTolerance * wanted || !(area > 0.0)) {
            return;
        }
        mesh.points += lacks / area * vertex_normals(mesh);
    }
}

// Cells beyond a surface whose values it reads: those of its own cells and, as its vertices slide,
// of their neighbours.
constexpr double kSurfaceBand = 2.0;
// Cells around a part that are evaluated: first few, for most levels lie near zero.
constexpr double kNarrowBand = 2.5, kWideBand = 4.0;

/// The level comes from the grid's count of volume; what that is off by shows in the first surface.
/// Nothing when the level is so far out that a band narrower than the wide one does not hold it.
std::optional<TriangleMesh> try_mesh_at(std::span<const FigureShape> shapes, double cell,
                                        double wanted, double band) {
    const double margin = 3.0 * cell;
    const ScalarGrid grid = sample_part(shapes, cell, margin, band * cell);
    if (wanted <= 0.0) {
        TriangleMesh mesh = iso_surface(grid);
        drop_specks(mesh);
        return mesh;
    }
    const GridVolume inside(grid, margin);
    constexpr int kSteps = 4;
    constexpr double kNear = 0.03;  // of the volume: the rest is a matter of hundredths of mm
    double level = inside.level_of(wanted, 0.9 * margin);
    TriangleMesh mesh;
    for (int step = 0; step < kSteps; ++step) {
        if (band < kWideBand && level > (band - kSurfaceBand) * cell) {
            return std::nullopt;
        }
        mesh = iso_surface(grid, {.level = level});
        drop_specks(mesh);
        const double volume = enclosed_volume(mesh.points, mesh.triangles);
        if (volume > 0.0 && std::abs(volume - wanted) < kNear * wanted) {
            correct_volume(mesh, wanted);
            break;
        }
        // Without a surface the level was too low for the grid.
        level = volume > 0.0 ? inside.level_of(wanted * inside.at(level) / volume, 0.9 * margin)
                             : level + 0.5 * cell;
    }
    return mesh;
}

TriangleMesh mesh_at(std::span<const FigureShape> shapes, double cell, double wanted) {
    if (std::optional<TriangleMesh> mesh = try_mesh_at(shapes, cell, wanted, kNarrowBand)) {
        return std::move(*mesh);
    }
    return try_mesh_at(shapes, cell, wanted, kWideBand).value();
}

}  // namespace

namespace {

/// By way of the signed distance on a grid.
TriangleMesh mesh_by_levels(const FigurePart& part, const PartMeshOptions& options) {
    const std::vector<FigureShape> shapes = shapes_of(part);
    double cell = cell_for(shapes, options);
    TriangleMesh mesh = mesh_at(shapes, cell, options.volume);
    // A grid that a thin part slips through is made finer.
    constexpr int kRetries = 3;
    constexpr double kPoor = 0.05;
    for (int retry = 0; retry < kRetries; ++retry) {
        const double volume = enclosed_volume(mesh.points, mesh.triangles);
        const bool is_right =
            options.volume <= 0.0 || std::abs(volume - options.volume) <= kPoor * options.volume;
        if (mesh.triangles.rows() > 0 && is_right) {
            break;
        }
        cell *= 0.6;
        mesh = mesh_at(shapes, cell, options.volume);
    }
    return mesh;
}

}  // namespace

TriangleMesh mesh_part(const FigurePart& part, const PartMeshOptions& options) {
    TriangleMesh mesh;
    // A sheet alone needs no grid, which would have to be as fine as the sheet is thin.
    if (part.strokes.empty() && part.sheets.size() == 1) {
        mesh = mesh_sheet(part.sheets.front(), options.volume, 2.0 * options.cell);
    }
    if (mesh.triangles.rows() == 0) {
        mesh = mesh_by_levels(part, options);
    }
    if (options.simplify > 0.0 && mesh.triangles.rows() > 0) {
        mesh = decimated(mesh, {.max_error = options.simplify});
    }
    return mesh;
}

TriangleMesh reflected(const TriangleMesh& mesh) {
    TriangleMesh other = mesh;
    other.points.col(0) = -mesh.points.col(0);
    other.triangles.col(1) = mesh.triangles.col(2);
    other.triangles.col(2) = mesh.triangles.col(1);
    if (Attribute* fibre = find_attribute(other.point_data, "fibre")) {
        for (std::size_t i = 0; i < fibre->values.size(); i += 3) {
            fibre->values[i] = -fibre->values[i];
        }
    }
    return other;
}

}  // namespace sinew
