#include "sinew/build/figure_mesh.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/decimate.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kBlock = 8;  // cells along a block that is evaluated or skipped as a whole

/// One block of grid values.
struct Block {
    std::array<int, 3> low = {};
    std::array<int, 3> high = {};  // one past the last

    Block(const ScalarGrid& grid, std::size_t index) {
        std::array<std::size_t, 3> blocks = {};
        for (std::size_t a = 0; a < 3; ++a) {
            blocks[a] = static_cast<std::size_t>((grid.size[a] + kBlock - 1) / kBlock);
        }
        const std::array<std::size_t, 3> at = {index % blocks[0], index / blocks[0] % blocks[1],
                                               index / (blocks[0] * blocks[1])};
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = static_cast<int>(at[a]) * kBlock;
            high[a] = std::min(low[a] + kBlock, grid.size[a]);
        }
    }

    static std::size_t count(const ScalarGrid& grid) {
        std::size_t n = 1;
        for (const int size : grid.size) {
            n *= static_cast<std::size_t>((size + kBlock - 1) / kBlock);
        }
        return n;
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

/// Distances of all shapes on one block, folded as part_distance does.
void sample_block(std::span<const FigureShape> shapes, const Block& block, double far,
                  ScalarGrid& grid) {
    const Vec3 low = grid.position(block.low[0], block.low[1], block.low[2]);
    const Vec3 high = grid.position(block.high[0] - 1, block.high[1] - 1, block.high[2] - 1);
    const Vec3 centre = 0.5 * (low + high);
    const double radius = 0.5 * (high - low).norm();
    constexpr std::size_t kPoints = static_cast<std::size_t>(kBlock) * kBlock * kBlock;
    std::array<double, kPoints> d;
    d.fill(far);
    std::vector<Index> pieces;
    bool is_touched = false;
    for (const bool cuts : {false, true}) {
        for (const FigureShape& shape : shapes) {
            if (shape.is_cut() != cuts || (cuts && !is_touched)) {
                continue;
            }
            const double reach = shape.blend() + 4.0 * grid.cell;
            const Bounds& box = shape.bounds(FigureLayer::Part);
            if ((box.low.array() > high.array() + reach).any() ||
                (box.high.array() < low.array() - reach).any() ||
                shape.find_pieces(centre, radius, FigureLayer::Part, pieces) > reach) {
                continue;
            }
            is_touched = true;
            block.for_each(grid, [&](std::size_t k, std::size_t, const Vec3& x) {
                const double own = shape.distance(x, FigureLayer::Part, pieces);
                d[k] = cuts ? smooth_max(d[k], -own, shape.blend())
                            : smooth_min(d[k], own, shape.blend());
            });
        }
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

ScalarGrid sample_part(std::span<const FigureShape> shapes, double cell, double margin) {
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
    grid.values.assign(grid.index(0, 0, grid.size[2]), 0.0f);
    const double far = blend + 5.0 * cell;
    parallel_for(Block::count(grid), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            sample_block(shapes, Block(grid, i), far, grid);
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

/// Secant steps on the level: a shell of area A moved by dl adds A dl to the volume.
TriangleMesh mesh_at(std::span<const FigureShape> shapes, double cell, double wanted) {
    const double margin = 3.0 * cell;
    const ScalarGrid grid = sample_part(shapes, cell, margin);
    IsoSurfaceOptions iso{.relaxations = 0};  // sliding vertices hardly changes the volume
    constexpr int kSteps = 5;
    constexpr double kTolerance = 0.002;
    TriangleMesh mesh;
    for (int step = 0; step < kSteps; ++step) {
        mesh = iso_surface(grid, iso);
        drop_specks(mesh);
        const double volume = enclosed_volume(mesh.points, mesh.triangles);
        const double area = surface_area(mesh.points, mesh.triangles);
        if (wanted <= 0.0 || std::abs(volume - wanted) < kTolerance * wanted || !(area > 0.0)) {
            break;
        }
        iso.level = std::clamp(iso.level + (wanted - volume) / area, -0.9 * margin, 0.9 * margin);
    }
    mesh = iso_surface(grid, {.level = iso.level});
    drop_specks(mesh);
    return mesh;
}

}  // namespace

TriangleMesh mesh_part(const FigurePart& part, const PartMeshOptions& options) {
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
