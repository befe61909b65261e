#include "sinew/meshing/level_set.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/geometry/winding_number.h"
#include "sinew/mesh/validity.h"
#include "sinew/meshing/marching_cubes.h"

#include <fmt/format.h>
#include <openvdb/Grid.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tree/InternalNode.h>
#include <openvdb/tree/LeafNode.h>
#include <openvdb/tree/RootNode.h>
#include <openvdb/tree/Tree.h>

#include <algorithm>
#include <cmath>

namespace sinew {

// What openvdb/openvdb.h calls FloatGrid, without the twenty other kinds of grid that it brings.
using FloatGrid = openvdb::Grid<openvdb::tree::Tree4<float, 5, 4, 3>::Type>;

}  // namespace sinew

#ifdef OPENVDB_USE_EXPLICIT_INSTANTIATION
// The library holds them compiled; to compile them again takes longer than the rest of this file.
extern template class openvdb::tree::Tree<sinew::FloatGrid::TreeType::RootNodeType>;
extern template class openvdb::Grid<sinew::FloatGrid::TreeType>;
#endif

namespace sinew {

struct LevelSet::Impl {
    FloatGrid::Ptr grid;
    LevelSetOptions options;

    double band() const {
        return options.voxel * options.half_width;
    }
};

namespace {

using Tree = FloatGrid::TreeType;
using Leaf = Tree::LeafNodeType;
using Coord = openvdb::Coord;
constexpr int kLeafSide = Leaf::DIM;

void check_options(const LevelSetOptions& o) {
    if (!(o.voxel > 0.0) || !(o.half_width >= 2.0) || !(o.max_voxels >= 1.0) ||
        !std::isfinite(o.voxel) || !(o.half_width <= 1000.0)) {
        throw InputError(
            {.where = "level set, options",
             .found = fmt::format("voxel {} m, half width {} voxels, at most {} voxels", o.voxel,
                                  o.half_width, o.max_voxels),
             .needs = "voxel > 0, 2 <= half width <= 1000, at least one voxel",
             .remedy = "correct the options"});
    }
}

[[noreturn]] void too_many(double voxels, const LevelSetOptions& o) {
    throw InputError({.where = "level set",
                      .found = fmt::format("about {:.3g} voxels of {} m", voxels, o.voxel),
                      .needs = fmt::format("at most {:.3g}", o.max_voxels),
                      .remedy = "use larger voxels, check the unit of the mesh, or raise "
                                "max_voxels"});
}

Coord at_offset(const Coord& origin, int k) {
    return origin.offsetBy(k >> 6, (k >> 3) & 7, k & 7);
}

std::vector<Coord> leaf_origins(const Tree& tree) {
    std::vector<Coord> origins;
    for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf) {
        origins.push_back(leaf->origin());
    }
    std::sort(origins.begin(), origins.end());
    return origins;
}

// Makes a narrow-band grid from values given leaf by leaf: compute(origin, values) fills the 512
// values of a leaf (x slowest) and may look only at what was there before.
template <class Compute>
FloatGrid::Ptr make_grid(const std::vector<Coord>& origins, const LevelSetOptions& options,
                         Compute&& compute) {
    const auto band = static_cast<float>(options.voxel * options.half_width);
    std::vector<std::unique_ptr<Leaf>> leaves(origins.size());
    parallel_for(origins.size(), 16, [&](std::size_t begin, std::size_t end) {
        std::array<float, 512> values;
        for (std::size_t i = begin; i < end; ++i) {
            compute(origins[i], values);
            auto leaf = std::make_unique<Leaf>(origins[i], band, false);
            bool is_needed = false;
            for (openvdb::Index k = 0; k < Leaf::SIZE; ++k) {
                const float v = values[k];
                if (std::abs(v) < band) {
                    leaf->setValueOn(k, v);
                    is_needed = true;
                } else {
                    leaf->setValueOff(k, std::copysign(band, v));
                }
            }
            if (is_needed) {
                leaves[i] = std::move(leaf);
            }
        }
    });
    auto grid = FloatGrid::create(band);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    for (auto& leaf : leaves) {
        if (leaf) {
            grid->tree().addLeaf(leaf.release());
        }
    }
    openvdb::tools::signedFloodFill(grid->tree());
    return grid;
}

// smin(a, b) = min(a, b) - h^2 k / 4,  h = max(k - |a - b|, 0) / k
double smooth_min(double a, double b, double k) {
    if (k <= 0.0) {
        return std::min(a, b);
    }
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - 0.25 * h * h * k;
}

// Grid coordinates must fit the keys of the surface builder.
void check_extent(const Bounds& box, const LevelSetOptions& o) {
    constexpr double kLimit = 500000.0;
    const double reach = std::max(box.low.cwiseAbs().maxCoeff(), box.high.cwiseAbs().maxCoeff());
    if (!(reach / o.voxel + o.half_width < kLimit)) {
        throw InputError({.where = "level set",
                          .found = fmt::format("coordinates of up to {:.3g} m with voxels of {} m",
                                               reach, o.voxel),
                          .needs = fmt::format("at most {} voxels from the origin", kLimit),
                          .remedy = "use larger voxels or move the shape to the origin"});
    }
}

// Leaves within reach of the band: those that boxes of triangles touch, and rings around them.
std::vector<Coord> leaves_near(const TriangleMesh& mesh, const LevelSetOptions& o) {
    const double side = kLeafSide * o.voxel;
    std::vector<Coord> origins;
    const auto make_unique = [&](std::vector<Coord>& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        if (static_cast<double>(list.size()) * 64.0 > o.max_voxels) {
            too_many(static_cast<double>(list.size()) * 64.0, o);
        }
    };
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        Bounds box;
        for (int k = 0; k < 3; ++k) {
            box.add(Vec3(point(mesh.points, mesh.triangles(t, k)) / side));
        }
        const Vec3 low = box.low.array().floor();
        const Vec3 high = box.high.array().floor();
        for (int x = static_cast<int>(low.x()); x <= high.x(); ++x) {
            for (int y = static_cast<int>(low.y()); y <= high.y(); ++y) {
                for (int z = static_cast<int>(low.z()); z <= high.z(); ++z) {
                    origins.emplace_back(kLeafSide * x, kLeafSide * y, kLeafSide * z);
                }
            }
        }
        if (origins.size() > 10'000'000) {
            make_unique(origins);
        }
    }
    make_unique(origins);
    const int rings = static_cast<int>(std::ceil(o.half_width / kLeafSide));
    for (int k = 0; k < rings; ++k) {
        std::vector<Coord> grown;
        for (const Coord& c : origins) {
            for (int i = 0; i < 27; ++i) {
                grown.push_back(c.offsetBy(kLeafSide * (i / 9 - 1), kLeafSide * (i / 3 % 3 - 1),
                                           kLeafSide * (i % 3 - 1)));
            }
        }
        make_unique(grown);
        origins = std::move(grown);
    }
    return origins;
}

// Signed distances in one leaf. Balls around two voxels with their distances as radii hold no
// surface; where they cover the segment between the voxels both have the same sign, so that the
// winding number is needed only where the surface passes.
void distances_in_leaf(const SurfaceTree& surface, const WindingNumber& winding,
                       const LevelSetOptions& o, const Coord& origin,
                       std::array<float, 512>& values) {
    const double band = o.voxel * o.half_width;
    const auto is_inside = [&](const Vec3& p) { return std::abs(winding.at(p)) > 0.5; };
    const Vec3 centre = o.voxel * (Vec3(origin.x(), origin.y(), origin.z()) + Vec3::Constant(3.5));
    const double reach = band + 0.5 * std::sqrt(3.0) * (kLeafSide - 1) * o.voxel;
    if (surface.closest_point(centre, reach).triangle < 0) {
        values.fill(static_cast<float>(is_inside(centre) ? -band : band));
        return;
    }
    std::array<double, 512> distance;
    for (int k = 0; k < 512; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const Coord c = at_offset(origin, k);
        const Vec3 p = o.voxel * Vec3(c.x(), c.y(), c.z());
        // The distance changes by at most a voxel from one to the next: a tight bound makes the
        // search short.
        double bound = band;
        for (const int shift : {0, 3, 6}) {
            if (((k >> shift) & 7) != 0) {
                bound = std::min(
                    bound, distance[static_cast<std::size_t>(k - (1 << shift))] + 1.001 * o.voxel);
            }
        }
        distance[i] = std::min(surface.closest_point(p, bound).distance, band);
        int same = -1;
        for (const int shift : {0, 3, 6}) {
            const int before = k - (1 << shift);
            if (((k >> shift) & 7) != 0 &&
                distance[static_cast<std::size_t>(before)] + distance[i] > 1.001 * o.voxel) {
                same = before;
            }
        }
        const bool is_in = same >= 0 ? values[static_cast<std::size_t>(same)] < 0.0f : is_inside(p);
        // A voxel right on the surface counts as outside, or its sign would be lost.
        values[i] = static_cast<float>(is_in ? -distance[i] : distance[i]);
    }
}

double distance_to_box(const Vec3& p, const Bounds& box) {
    const Vec3 q = (p - box.centre()).cwiseAbs() - 0.5 * box.size();
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

// Distances at many points, cut to the box.
Eigen::VectorXd evaluate(const DistanceFunction& distance, const Points& at, const Bounds& box) {
    Eigen::VectorXd result(at.rows());
    distance(at, result);
    for (Eigen::Index i = 0; i < at.rows(); ++i) {
        if (result.size() != at.rows() || !std::isfinite(result[i])) {
            throw InputError({.where = fmt::format("level set, distance at ({}, {}, {})", at(i, 0),
                                                   at(i, 1), at(i, 2)),
                              .found = "a value that is not finite, or too few values",
                              .needs = "a signed distance for every point",
                              .remedy = "correct the distance function"});
        }
        result[i] = std::max(result[i], distance_to_box(point(at, i), box));
    }
    return result;
}

// Cubes of `side` voxels that the band may reach, found by evaluating at the centres of larger ones
// first: a cube whose centre is further from the surface than its corners are from the centre (plus
// the band) holds nothing.
std::vector<Coord> blocks_in_band(const DistanceFunction& distance, const Bounds& box,
                                  const LevelSetOptions& o) {
    int side = kLeafSide;
    const Vec3 cells = box.size() / o.voxel + Vec3::Constant(2.0 * o.half_width + 2.0);
    while (side < cells.maxCoeff() && (cells / side).prod() > 4096.0) {
        side *= 2;
    }
    const auto low = [&](int k) {
        return static_cast<int>(std::floor((box.low[k] / o.voxel - o.half_width) / side)) * side;
    };
    const auto high = [&](int k) {
        return static_cast<int>(std::ceil(box.high[k] / o.voxel + o.half_width));
    };
    std::vector<Coord> blocks;
    for (int x = low(0); x <= high(0); x += side) {
        for (int y = low(1); y <= high(1); y += side) {
            for (int z = low(2); z <= high(2); z += side) {
                blocks.emplace_back(x, y, z);
            }
        }
    }
    for (;;) {
        Points centres(static_cast<Eigen::Index>(blocks.size()), 3);
        for (Eigen::Index i = 0; i < centres.rows(); ++i) {
            const Coord& c = blocks[static_cast<std::size_t>(i)];
            centres.row(i) << c.x(), c.y(), c.z();
        }
        centres = (centres.array() + 0.5 * (side - 1)) * o.voxel;
        const Eigen::VectorXd d = evaluate(distance, centres, box);
        const double reach = o.voxel * (0.5 * std::sqrt(3.0) * (side - 1) + o.half_width);
        std::vector<Coord> kept;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (std::abs(d[static_cast<Eigen::Index>(i)]) <= reach) {
                kept.push_back(blocks[i]);
            }
        }
        if (side == kLeafSide) {
            if (static_cast<double>(kept.size()) * Leaf::SIZE > o.max_voxels) {
                too_many(static_cast<double>(kept.size()) * Leaf::SIZE, o);
            }
            return kept;
        }
        side /= 2;
        blocks.clear();
        for (const Coord& c : kept) {
            for (int k = 0; k < 8; ++k) {
                blocks.push_back(
                    c.offsetBy(side * (k >> 2), side * ((k >> 1) & 1), side * (k & 1)));
            }
        }
        if (static_cast<double>(blocks.size()) * 64.0 > o.max_voxels) {
            too_many(static_cast<double>(blocks.size()) * 64.0, o);
        }
    }
}

}  // namespace

LevelSet::LevelSet(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

LevelSet::LevelSet(const LevelSetOptions& options) {
    check_options(options);
    impl_ = std::make_shared<const Impl>(
        Impl{make_grid({}, options, [](const Coord&, std::array<float, 512>&) {}), options});
}

LevelSet LevelSet::from_mesh(const TriangleMesh& mesh, const LevelSetOptions& options) {
    check_options(options);
    require_valid(mesh, "level set");
    if (mesh.triangles.rows() == 0) {
        throw InputError({.where = "level set",
                          .found = "a mesh without triangles",
                          .needs = "a closed surface",
                          .remedy = "check the file that it came from"});
    }
    check_extent(bounds(mesh.points), options);
    const double estimate = (surface_area(mesh) / (options.voxel * options.voxel) + 30.0) *
                            (2.0 * options.half_width + 1.0);
    if (estimate > options.max_voxels) {
        too_many(estimate, options);
    }
    const SurfaceTree surface(mesh);
    const WindingNumber winding(mesh);
    auto grid = make_grid(leaves_near(mesh, options), options,
                          [&](const Coord& origin, std::array<float, 512>& values) {
                              distances_in_leaf(surface, winding, options, origin, values);
                          });
    return LevelSet(std::make_shared<const Impl>(Impl{std::move(grid), options}));
}

LevelSet LevelSet::from_function(const DistanceFunction& distance, const Bounds& box,
                                 const LevelSetOptions& options) {
    check_options(options);
    if (box.is_empty() || !box.low.allFinite() || !box.high.allFinite()) {
        throw InputError({.where = "level set, box",
                          .found = "an empty or infinite box",
                          .needs = "a finite box around the shape",
                          .remedy = "give one"});
    }
    check_extent(box, options);
    const std::vector<Coord> origins = blocks_in_band(distance, box, options);
    auto grid = make_grid(origins, options, [&](const Coord& o, std::array<float, 512>& values) {
        Points at(512, 3);
        for (int k = 0; k < 512; ++k) {
            const Coord c = at_offset(o, k);
            at.row(k) << c.x() * options.voxel, c.y() * options.voxel, c.z() * options.voxel;
        }
        const Eigen::VectorXd d = evaluate(distance, at, box);
        for (int k = 0; k < 512; ++k) {
            values[static_cast<std::size_t>(k)] = static_cast<float>(d[k]);
        }
    });
    return LevelSet(std::make_shared<const Impl>(Impl{std::move(grid), options}));
}

double LevelSet::voxel() const {
    return impl_->options.voxel;
}

double LevelSet::half_width() const {
    return impl_->options.half_width;
}

std::size_t LevelSet::voxel_count() const {
    return static_cast<std::size_t>(impl_->grid->activeVoxelCount());
}

bool LevelSet::is_empty() const {
    return impl_->grid->tree().leafCount() == 0;
}

// What the operations share; a class so that it may see inside.
class LevelSetTool {
public:
    enum class Kind { Union, Intersection, Difference };

    static LevelSet combine(const LevelSet& a, const LevelSet& b, double blend, Kind kind) {
        if (a.voxel() != b.voxel() || !(blend >= 0.0) || !std::isfinite(blend)) {
            throw InputError({.where = "level set, joining two shapes",
                              .found = fmt::format("voxels of {} m and {} m, blend {} m", a.voxel(),
                                                   b.voxel(), blend),
                              .needs = "the same voxels and a blend >= 0",
                              .remedy = "make both with the same options"});
        }
        // On the result's surface the smaller value is at most k/4, and values that differ by more
        // than k do not matter.
        const double needed = 1.25 * blend / a.voxel() + 2.0;
        const double width = std::max({a.half_width(), b.half_width(), needed});
        return combine_bands(widened(a, width), widened(b, width), blend, kind);
    }

    static LevelSet widened(const LevelSet& a, double half_width) {
        if (a.half_width() >= half_width || a.is_empty()) {
            LevelSetOptions options = a.impl_->options;
            options.half_width = std::max(options.half_width, half_width);
            return a.is_empty() ? LevelSet(options) : a;
        }
        return rebuilt(a, half_width);
    }

    // Distances computed anew from the surface.
    static LevelSet rebuilt(const LevelSet& a, double half_width) {
        LevelSetOptions options = a.impl_->options;
        options.half_width = half_width;
        const TriangleMesh surface = a.to_mesh();
        return surface.triangles.rows() == 0 ? LevelSet(options)
                                             : LevelSet::from_mesh(surface, options);
    }

    static LevelSet shifted(const LevelSet& a, double distance) {
        const double width = a.half_width();
        const double reach = std::abs(distance) / a.voxel() + 3.0;
        const LevelSet wide = rebuilt(a, std::max(width, reach));
        auto result =
            make_grid(leaf_origins(wide.impl_->grid->tree()), wide.impl_->options,
                      [&](const Coord& o, std::array<float, 512>& values) {
                          const Leaf* const leaf = wide.impl_->grid->tree().probeConstLeaf(o);
                          for (openvdb::Index k = 0; k < Leaf::SIZE; ++k) {
                              values[k] = leaf->getValue(k) - static_cast<float>(distance);
                          }
                      });
        const LevelSet moved(
            std::make_shared<const LevelSet::Impl>(LevelSet::Impl{result, wide.impl_->options}));
        return rebuilt(moved, width);
    }

    // One pass of the kernel (1 2 1) / 4 along each axis: variance 1/2 voxel^2.
    static FloatGrid::Ptr averaged(const FloatGrid::Ptr& grid, const LevelSetOptions& options) {
        return make_grid(leaf_origins(grid->tree()), options,
                         [&](const Coord& o, std::array<float, 512>& values) {
                             average_leaf(*grid, o, values);
                         });
    }

private:
    static LevelSet combine_bands(const LevelSet& a, const LevelSet& b, double blend, Kind kind) {
        const FloatGrid& ga = *a.impl_->grid;
        const FloatGrid& gb = *b.impl_->grid;
        std::vector<Coord> origins = leaf_origins(ga.tree());
        const std::vector<Coord> more = leaf_origins(gb.tree());
        origins.insert(origins.end(), more.begin(), more.end());
        std::sort(origins.begin(), origins.end());
        origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
        const LevelSetOptions& options = a.impl_->options;
        if (static_cast<double>(origins.size()) * 64.0 > options.max_voxels) {
            too_many(static_cast<double>(origins.size()) * 64.0, options);
        }
        auto grid =
            make_grid(origins, options, [&](const Coord& o, std::array<float, 512>& values) {
                const auto in_a = ga.getConstUnsafeAccessor();
                const auto in_b = gb.getConstUnsafeAccessor();
                for (int k = 0; k < 512; ++k) {
                    const Coord c = at_offset(o, k);
                    const double x = in_a.getValue(c);
                    const double y = in_b.getValue(c);
                    const double v = kind == Kind::Union          ? smooth_min(x, y, blend)
                                     : kind == Kind::Intersection ? -smooth_min(-x, -y, blend)
                                                                  : -smooth_min(-x, y, blend);
                    values[static_cast<std::size_t>(k)] = static_cast<float>(v);
                }
            });
        return LevelSet(
            std::make_shared<const LevelSet::Impl>(LevelSet::Impl{std::move(grid), options}));
    }

    static void average_leaf(const FloatGrid& grid, const Coord& o,
                             std::array<float, 512>& values) {
        constexpr int kSide = kLeafSide + 2;
        std::array<float, kSide * kSide * kSide> block;
        const auto at = [](int x, int y, int z) {
            return static_cast<std::size_t>((x * kSide + y) * kSide + z);
        };
        const auto accessor = grid.getConstUnsafeAccessor();
        for (int x = 0; x < kSide; ++x) {
            for (int y = 0; y < kSide; ++y) {
                for (int z = 0; z < kSide; ++z) {
                    block[at(x, y, z)] = accessor.getValue(o.offsetBy(x - 1, y - 1, z - 1));
                }
            }
        }
        static constexpr std::array<float, 3> kKernel = {0.25f, 0.5f, 0.25f};
        for (int k = 0; k < 512; ++k) {
            float sum = 0.0f;
            for (int i = 0; i < 27; ++i) {
                const int dx = i / 9;
                const int dy = i / 3 % 3;
                const int dz = i % 3;
                sum += kKernel[static_cast<std::size_t>(dx)] *
                       kKernel[static_cast<std::size_t>(dy)] *
                       kKernel[static_cast<std::size_t>(dz)] *
                       block[at((k >> 6) + dx, ((k >> 3) & 7) + dy, (k & 7) + dz)];
            }
            values[static_cast<std::size_t>(k)] = sum;
        }
    }
};

LevelSet LevelSet::united(const LevelSet& other, double blend) const {
    return LevelSetTool::combine(*this, other, blend, LevelSetTool::Kind::Union);
}

LevelSet LevelSet::intersected(const LevelSet& other, double blend) const {
    return LevelSetTool::combine(*this, other, blend, LevelSetTool::Kind::Intersection);
}

LevelSet LevelSet::without(const LevelSet& other, double blend) const {
    return LevelSetTool::combine(*this, other, blend, LevelSetTool::Kind::Difference);
}

LevelSet LevelSet::offset(double distance) const {
    if (!std::isfinite(distance)) {
        throw InputError({.where = "level set, offset",
                          .found = fmt::format("{}", distance),
                          .needs = "a finite distance",
                          .remedy = "correct it"});
    }
    return distance == 0.0 || is_empty() ? *this : LevelSetTool::shifted(*this, distance);
}

LevelSet LevelSet::closed(double radius) const {
    return offset(radius).offset(-radius);
}

LevelSet LevelSet::opened(double radius) const {
    return offset(-radius).offset(radius);
}

LevelSet LevelSet::smoothed(double sigma) const {
    if (!(sigma >= 0.0) || !(sigma / voxel() < 100.0)) {
        throw InputError({.where = "level set, smoothing",
                          .found = fmt::format("a deviation of {} m", sigma),
                          .needs = "0 to 100 voxels",
                          .remedy = "use larger voxels for stronger smoothing"});
    }
    if (sigma == 0.0 || is_empty()) {
        return *this;
    }
    // n passes add up to the variance n / 2 voxels^2; the band must outlast the kernel.
    const double wanted = 2.0 * sigma * sigma / (voxel() * voxel());
    const int passes = std::max(1, static_cast<int>(std::lround(wanted)));
    const double width = std::max(half_width(), 3.0 * sigma / voxel() + 2.0);
    const LevelSet wide = LevelSetTool::widened(*this, width);
    FloatGrid::Ptr grid = wide.impl_->grid;
    for (int k = 0; k < passes; ++k) {
        grid = LevelSetTool::averaged(grid, wide.impl_->options);
    }
    const LevelSet smooth(std::make_shared<const Impl>(Impl{grid, wide.impl_->options}));
    return LevelSetTool::rebuilt(smooth, half_width());
}

double LevelSet::value(const Vec3& at) const {
    const Vec3 p = at / voxel();
    constexpr double kFar = 1e9;  // beyond what grid coordinates can count
    if (!(p.cwiseAbs().maxCoeff() < kFar)) {
        return impl_->band();
    }
    const Vec3 low = p.array().floor();
    const Vec3 t = p - low;
    const Coord c(static_cast<int>(low.x()), static_cast<int>(low.y()), static_cast<int>(low.z()));
    double sum = 0.0;
    for (int i = 0; i < 8; ++i) {
        const int x = i & 1;
        const int y = (i >> 1) & 1;
        const int z = i >> 2;
        sum += (x ? t.x() : 1.0 - t.x()) * (y ? t.y() : 1.0 - t.y()) * (z ? t.z() : 1.0 - t.z()) *
               impl_->grid->tree().getValue(c.offsetBy(x, y, z));
    }
    return sum;
}

double LevelSet::volume() const {
    const TriangleMesh surface = to_mesh();
    return surface.triangles.rows() == 0 ? 0.0 : enclosed_volume(surface);
}

TriangleMesh LevelSet::to_mesh() const {
    SurfaceBuilder builder(voxel());
    const FloatGrid& grid = *impl_->grid;
    const auto accessor = grid.getConstAccessor();
    for (const Coord& o : leaf_origins(grid.tree())) {
        const Leaf* const leaf = grid.tree().probeConstLeaf(o);
        for (int k = 0; k < 512; ++k) {
            // The band is wider than a cell, so cells on the surface begin in an active voxel.
            if (!leaf->isValueOn(static_cast<openvdb::Index>(k))) {
                continue;
            }
            const Coord c = at_offset(o, k);
            std::array<float, 8> values;
            bool has_in = false;
            bool has_out = false;
            for (int i = 0; i < 8; ++i) {
                const float v = accessor.getValue(c.offsetBy(i & 1, (i >> 1) & 1, i >> 2));
                values[static_cast<std::size_t>(i)] = v;
                has_in = has_in || v < 0.0f;
                has_out = has_out || v >= 0.0f;
            }
            if (has_in && has_out) {
                builder.add_cell({c.x(), c.y(), c.z()}, values);
            }
        }
    }
    TriangleMesh mesh;
    mesh.points = builder.points();
    mesh.triangles = builder.triangles();
    return mesh;
}

}  // namespace sinew
