#include "sinew/build/figure_skin.h"

#include "sinew/base/parallel.h"
#include "sinew/build/figure_digits.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/figure_shape.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/grid_topology.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sinew {

namespace {

constexpr double kSkinReach = 0.030;  // m: strokes count up to this distance of their skin
constexpr float kFar = 0.030f;        // m: the field is not larger than this
constexpr double kMaskBlur = 0.008;   // m: between fine and coarse regions
constexpr float kFilled = -0.004f;    // m: value of what the air does not reach
constexpr int kSkinBlock = 4;

struct SkinShape {
    FigureShape shape;
    bool is_fine = false;
};

/// Shapes that matter for the half x >= 0.
std::vector<SkinShape> skin_shapes(const FigureTable& table) {
    std::vector<SkinShape> shapes;
    for (const FigurePart& part : table.parts) {
        if (part.group == kDigitGroup) {
            continue;
        }
        const auto& fine = table.skin.fine_groups;
        const bool is_fine = std::find(fine.begin(), fine.end(), part.group) != fine.end();
        for (FigureShape& shape : shapes_of(part)) {
            if (shape.is_cut()) {
                continue;
            }
            if (part.mirror) {
                FigureShape other = shape.reflected();
                if (other.bounds(FigureLayer::Skin).high.x() > -kSkinReach) {
                    shapes.push_back({std::move(other), is_fine});
                }
            }
            if (shape.bounds(FigureLayer::Skin).high.x() > -kSkinReach) {
                shapes.push_back({std::move(shape), is_fine});
            }
        }
    }
    return shapes;
}

/// Fields on the half grid, x >= 0, with values at x = 0.
struct HalfFields {
    ScalarGrid body;  // joined with the blend of the body
    ScalarGrid fine;  // joined with the blend of face, hands and feet
    ScalarGrid mask;  // 1 where the nearest stroke is fine
};

HalfFields empty_fields(const std::vector<SkinShape>& shapes, double cell) {
    Bounds box;
    for (const SkinShape& s : shapes) {
        box.add(s.shape.bounds(FigureLayer::Skin));
    }
    const double margin = 0.020 + 4.0 * cell;
    ScalarGrid grid;
    grid.cell = cell;
    // On multiples of the cell: what lies at one end of the body does not shift the grid elsewhere.
    const auto snapped = [&](double x) { return cell * std::floor(x / cell); };
    grid.origin = Vec3(0.0, snapped(box.low.y() - margin), snapped(box.low.z() - margin));
    const Vec3 extent = box.high + Vec3::Constant(margin) - grid.origin;
    for (int a = 0; a < 3; ++a) {
        grid.size[static_cast<std::size_t>(a)] = static_cast<int>(std::ceil(extent[a] / cell)) + 1;
    }
    grid.values.assign(grid.index(0, 0, grid.size[2]), kFar);
    HalfFields fields{.body = grid, .fine = grid, .mask = grid};
    std::fill(fields.mask.values.begin(), fields.mask.values.end(), 0.0f);
    return fields;
}

/// Steps 1 and 2 on one block of values.
void join_strokes(const std::vector<SkinShape>& shapes, const FigureSkin& skin,
                  const std::array<int, 3>& low, const std::array<int, 3>& high,
                  HalfFields& fields) {
    struct Nearest {
        float d1 = kFar, d2 = kFar;
        bool is_fine = false;
    };
    constexpr std::size_t kPoints = static_cast<std::size_t>(kSkinBlock) * kSkinBlock * kSkinBlock;
    std::array<Nearest, kPoints> nearest;
    const ScalarGrid& grid = fields.body;
    const Vec3 p = grid.position(low[0], low[1], low[2]);
    const Vec3 q = grid.position(high[0] - 1, high[1] - 1, high[2] - 1);
    const double radius = 0.5 * (q - p).norm();
    std::vector<Index> pieces;
    const auto for_each = [&](auto&& visit) {
        std::size_t k = 0;
        for (int z = low[2]; z < high[2]; ++z) {
            for (int y = low[1]; y < high[1]; ++y) {
                for (int x = low[0]; x < high[0]; ++x, ++k) {
                    visit(k, x, y, z);
                }
            }
        }
    };
    // Near shapes, the nearest first: once two are nearer everywhere, the rest cannot matter.
    struct Near {
        double bound = 0.0;
        const SkinShape* shape = nullptr;
        std::vector<Index> pieces = {};
    };
    std::vector<Near> near;
    for (const SkinShape& s : shapes) {
        const Bounds& box = s.shape.bounds(FigureLayer::Skin);
        if ((box.low.array() > q.array() + kSkinReach).any() ||
            (box.high.array() < p.array() - kSkinReach).any()) {
            continue;
        }
        const double bound = s.shape.find_pieces(0.5 * (p + q), radius, FigureLayer::Skin, pieces);
        if (bound < kSkinReach) {
            near.push_back({bound, &s, pieces});
        }
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const Near& a, const Near& b) { return a.bound < b.bound; });
    for (const Near& n : near) {
        float farthest = -kFar;
        for_each(
            [&](std::size_t k, int, int, int) { farthest = std::max(farthest, nearest[k].d2); });
        if (n.bound > static_cast<double>(farthest)) {
            break;
        }
        for_each([&](std::size_t k, int x, int y, int z) {
            const auto d = static_cast<float>(
                n.shape->shape.distance(grid.position(x, y, z), FigureLayer::Skin, n.pieces));
            Nearest& at = nearest[k];
            if (d < at.d1) {
                at.d2 = at.d1;
                at.d1 = d;
                at.is_fine = n.shape->is_fine;
            } else if (d < at.d2) {
                at.d2 = d;
            }
        });
    }
    const auto joined = [](const Nearest& n, double k) {
        return static_cast<float>(
            smooth_min(static_cast<double>(n.d1), static_cast<double>(n.d2), k));
    };
    for_each([&](std::size_t k, int x, int y, int z) {
        const std::size_t i = grid.index(x, y, z);
        const Nearest& n = nearest[k];
        if (n.d1 < kFar) {
            fields.body.values[i] = joined(n, skin.smooth_body);
            fields.fine.values[i] = joined(n, skin.smooth_fine);
            fields.mask.values[i] = n.is_fine ? 1.0f : 0.0f;
        }
    });
}

void join_all(const std::vector<SkinShape>& shapes, const FigureSkin& skin, HalfFields& fields) {
    const std::array<int, 3> size = fields.body.size;
    std::array<std::size_t, 3> blocks = {};
    for (std::size_t a = 0; a < 3; ++a) {
        blocks[a] = static_cast<std::size_t>((size[a] + kSkinBlock - 1) / kSkinBlock);
    }
    parallel_for(blocks[0] * blocks[1] * blocks[2], 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::array<std::size_t, 3> at = {i % blocks[0], i / blocks[0] % blocks[1],
                                                   i / (blocks[0] * blocks[1])};
            std::array<int, 3> low = {}, high = {};
            for (std::size_t a = 0; a < 3; ++a) {
                low[a] = static_cast<int>(at[a]) * kSkinBlock;
                high[a] = std::min(low[a] + kSkinBlock, size[a]);
            }
            join_strokes(shapes, skin, low, high, fields);
        }
    });
}

/// One pass of a Gaussian along an axis; beyond x = 0 the field goes on mirrored, beyond the other
/// borders unchanged.
void blur_axis(ScalarGrid& grid, int axis, const std::vector<float>& weights) {
    const auto radius = static_cast<int>(weights.size()) - 1;
    const int n = grid.size[static_cast<std::size_t>(axis)];
    const std::size_t stride = axis == 0 ? 1 : grid.index(0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0);
    const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    const auto nu = static_cast<std::size_t>(grid.size[static_cast<std::size_t>(u)]);
    const auto nv = static_cast<std::size_t>(grid.size[static_cast<std::size_t>(v)]);
    const std::size_t stride_u = u == 0 ? 1 : grid.index(0, 1, 0);
    const std::size_t stride_v = v == 1 ? grid.index(0, 1, 0) : grid.index(0, 0, 1);
    // Lines are taken in bundles, so that memory is read in runs.
    constexpr std::size_t kBundle = 16;
    const std::size_t bundles = axis == 0 ? nu : (nu + kBundle - 1) / kBundle;
    const std::size_t width = axis == 0 ? 1 : kBundle;
    parallel_for(bundles * nv, 32, [&](std::size_t begin, std::size_t end) {
        std::vector<float> line(static_cast<std::size_t>(n + 2 * radius) * width);
        for (std::size_t job = begin; job < end; ++job) {
            const std::size_t first = job % bundles * width;
            const std::size_t count = std::min(width, nu - first);
            float* base = grid.values.data() + first * stride_u + job / bundles * stride_v;
            for (int i = -radius; i < n + radius; ++i) {
                int j = i;
                if (j < 0) {
                    j = axis == 0 ? -j : 0;
                }
                j = std::min(j, n - 1);
                float* to = line.data() + static_cast<std::size_t>(i + radius) * width;
                const float* from = base + static_cast<std::size_t>(j) * stride;
                for (std::size_t k = 0; k < count; ++k) {
                    to[k] = from[k * stride_u];
                }
            }
            for (int i = 0; i < n; ++i) {
                std::array<float, kBundle> sum = {};
                const float* at = line.data() + static_cast<std::size_t>(i + radius) * width;
                for (std::size_t k = 0; k < width; ++k) {
                    sum[k] = weights[0] * at[k];
                }
                for (int r = 1; r <= radius; ++r) {
                    const float w = weights[static_cast<std::size_t>(r)];
                    const float* after = at + static_cast<std::size_t>(r) * width;
                    const float* before =
                        at - static_cast<std::ptrdiff_t>(r) * static_cast<std::ptrdiff_t>(width);
                    for (std::size_t k = 0; k < width; ++k) {
                        sum[k] += w * (after[k] + before[k]);
                    }
                }
                float* to = base + static_cast<std::size_t>(i) * stride;
                for (std::size_t k = 0; k < count; ++k) {
                    to[k * stride_u] = sum[k];
                }
            }
        }
    });
}

void blur(ScalarGrid& grid, double sigma) {
    const double cells = sigma / grid.cell;
    const int radius = static_cast<int>(std::ceil(3.0 * cells));
    std::vector<float> weights;
    double sum = 0.0;
    for (int r = 0; r <= radius; ++r) {
        const double w = cells > 0.0 ? std::exp(-0.5 * r * r / (cells * cells)) : 1.0;
        weights.push_back(static_cast<float>(w));
        sum += r == 0 ? w : 2.0 * w;
    }
    for (float& w : weights) {
        w = static_cast<float>(static_cast<double>(w) / sum);
    }
    for (int axis = 0; axis < 3; ++axis) {
        blur_axis(grid, axis, weights);
    }
}

/// low + mask * (high - low), value by value.
void mix(ScalarGrid& low, const ScalarGrid& high, const ScalarGrid& mask) {
    parallel_for(low.values.size(), 65536, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            low.values[i] += mask.values[i] * (high.values[i] - low.values[i]);
        }
    });
}

ScalarGrid mirrored(const ScalarGrid& half) {
    ScalarGrid whole = half;
    const int n = half.size[0];
    whole.size[0] = 2 * n - 1;
    whole.origin.x() = -half.cell * (n - 1);
    whole.values.resize(whole.index(0, 0, whole.size[2]));
    const auto rows =
        static_cast<std::size_t>(half.size[1]) * static_cast<std::size_t>(half.size[2]);
    parallel_for(rows, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
            const float* from = half.values.data() + r * static_cast<std::size_t>(n);
            float* to = whole.values.data() + r * static_cast<std::size_t>(2 * n - 1) + (n - 1);
            for (int x = 0; x < n; ++x) {
                to[x] = to[-x] = from[x];
            }
        }
    });
    return whole;
}

double smooth_rise(double x, double from, double to) {
    const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

double value_between(const ScalarGrid& grid, const Vec3& x) {
    std::array<int, 3> c = {};
    Vec3 f;
    for (int a = 0; a < 3; ++a) {
        const auto i = static_cast<std::size_t>(a);
        const double s = (x[a] - grid.origin[a]) / grid.cell;
        c[i] = std::clamp(static_cast<int>(std::floor(s)), 0, grid.size[i] - 2);
        f[a] = std::clamp(s - c[i], 0.0, 1.0);
    }
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
        const int x1 = k & 1, y1 = k >> 1 & 1, z1 = k >> 2;
        const double w = (x1 == 1 ? f[0] : 1.0 - f[0]) * (y1 == 1 ? f[1] : 1.0 - f[1]) *
                         (z1 == 1 ? f[2] : 1.0 - f[2]);
        sum += w * static_cast<double>(grid.values[grid.index(c[0] + x1, c[1] + y1, c[2] + z1)]);
    }
    return sum;
}

constexpr double kWebEnd = 0.1;          // how fast the palm ends at first where a finger begins
constexpr double kWebSteep = 60.0;       // 1/m: how much faster further on
constexpr double kWebBegin = 0.5;        // how fast a finger's skin ends before its web
constexpr double kWebFold = 0.008;       // m: before the web, where the palm begins to end
constexpr double kSleeveBlend = 0.005;   // m: between palm and fingers
constexpr double kCleftEdge = 0.0025;    // m: roundness of the clefts' edges
constexpr double kDigitOverlap = 0.012;  // m: of the patch, behind the cut
constexpr double kDigitFade = 0.025;     // m: over which the finer skin takes over
constexpr double kDigitNear = 0.016;     // m: values further from the surface do not matter

/// The skin of fingers or toes on a grid of its own: `coarse` up to the webs, beyond them the skin
/// of the single digits, parted along the clefts.
ScalarGrid digit_field(const ScalarGrid& coarse, const TriangleMesh& mesh,
                       const DigitClefts& clefts, double cell) {
    GraftRegion behind = clefts.region();
    behind.point -= kDigitOverlap * behind.normal;
    Bounds box;
    const std::vector<char> is_inside = vertices_in_region(mesh, behind);
    for (std::size_t i = 0; i < is_inside.size(); ++i) {
        if (is_inside[i]) {
            box.add(point(mesh.points, static_cast<Eigen::Index>(i)));
        }
    }
    if (box.is_empty()) {
        return {};
    }
    const double margin = 0.004 + 3.0 * cell;
    ScalarGrid field;
    field.cell = cell;
    for (int a = 0; a < 3; ++a) {
        field.origin[a] = cell * std::floor((box.low[a] - margin) / cell);
        field.size[static_cast<std::size_t>(a)] =
            static_cast<int>(std::ceil((box.high[a] + margin - field.origin[a]) / cell)) + 1;
    }
    field.values.resize(field.index(0, 0, field.size[2]));
    const auto rows = static_cast<std::size_t>(field.size[1] * field.size[2]);
    const auto for_each = [&](auto&& visit) {
        parallel_for(rows, 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = begin; r < end; ++r) {
                const int y = static_cast<int>(r) % field.size[1];
                const int z = static_cast<int>(r) / field.size[1];
                for (int x = 0; x < field.size[0]; ++x) {
                    visit(field.index(x, y, z), field.position(x, y, z));
                }
            }
        });
    };
    for_each([&](std::size_t i, const Vec3& x) {
        field.values[i] = static_cast<float>(value_between(coarse, x));
    });

    ScalarGrid even = field;
    blur(even, 0.4 * coarse.cell);  // takes the edges of the coarse cells off
    const GraftRegion& region = clefts.region();
    for_each([&](std::size_t i, const Vec3& x) {
        const auto base = static_cast<double>(field.values[i]);
        const double beyond_cut = (x - region.point).dot(region.normal);
        if (beyond_cut <= 0.0 || std::abs(base) > kDigitNear) {
            return;
        }
        const DigitClefts::Place place = clefts.place_of(x);
        // Beyond the webs palm and sole give way to the digits.
        const double s = std::max(0.0, place.beyond_web + kWebFold);
        const double palm = static_cast<double>(even.values[i]) + kWebEnd * s + kWebSteep * s * s;
        const double digit =
            clefts.sleeve_distance(x) + kWebBegin * std::max(0.0, -place.beyond_web - kWebFold);
        const double fine = smooth_min(palm, digit, kSleeveBlend);
        const double mixed = base + smooth_rise(beyond_cut, 0.0, kDigitFade) * (fine - base);
        field.values[i] =
            static_cast<float>(smooth_max(mixed, std::max(place.depth, -0.01), kCleftEdge));
    });
    // Closed behind the cut, where the graft takes nothing.
    std::size_t i = 0;
    for (int z = 0; z < field.size[2]; ++z) {
        for (int y = 0; y < field.size[1]; ++y) {
            for (int x = 0; x < field.size[0]; ++x, ++i) {
                const bool is_border = x == 0 || y == 0 || z == 0 || x + 1 == field.size[0] ||
                                       y + 1 == field.size[1] || z + 1 == field.size[2];
                if (is_border) {
                    field.values[i] = std::max(field.values[i], 0.5f * static_cast<float>(cell));
                }
            }
        }
    }
    return field;
}

/// Takes off the front of the trunk what is one specimen's: stripes beside rectus abdominis, the
/// edge below the breast, the folds where his genitals were left out. A wider blur from the groin
/// to the nipples, between the iliac spines; nothing when these landmarks are missing.
ScalarGrid with_even_front(const ScalarGrid& field, const FigureTable& table) {
    const auto find = [&](std::string_view name) -> const Landmark* {
        for (const Landmark& landmark : table.landmarks) {
            if (landmark.name == name) {
                return &landmark;
            }
        }
        return nullptr;
    };
    const Landmark* pubis = find("pubis");
    const Landmark* spine = find("asis_l");
    const Landmark* nipple = find("nipple_l");
    if (pubis == nullptr || spine == nullptr || nipple == nullptr) {
        return field;
    }
    constexpr double kFrontBlur = 0.016;   // m, standard deviation
    constexpr double kFrontLift = 0.0018;  // m: what that takes off on average
    constexpr double kBellyRelief = 0.25;  // what stays above the navel
    constexpr double kFrontFar = 0.025;    // m: values further from the surface do not matter
    const bool has_breasts =
        std::any_of(table.parts.begin(), table.parts.end(),
                    [](const FigurePart& part) { return part.name.starts_with("fill_breast"); });
    const double low = pubis->position.y() - 0.07;
    const double high = nipple->position.y() + (has_breasts ? -0.06 : 0.04);
    const double side = 1.35 * spine->position.x(), back = pubis->position.z() - 0.065;
    const double reach = 3.5 * kFrontBlur;
    // The box around it, so that the blur costs little.
    const auto first_of = [&](double x, int axis) {
        const double s = (x - field.origin[axis]) / field.cell;
        return std::clamp(static_cast<int>(std::floor(s)), 0,
                          field.size[static_cast<std::size_t>(axis)] - 1);
    };
    const std::array<int, 3> from = {first_of(-side - reach, 0), first_of(low - reach, 1),
                                     first_of(back - reach, 2)};
    const std::array<int, 3> to = {first_of(side + reach, 0), first_of(high + reach, 1),
                                   field.size[2] - 1};
    ScalarGrid box;
    box.cell = field.cell;
    box.origin = field.position(from[0], from[1], from[2]);
    for (std::size_t a = 0; a < 3; ++a) {
        box.size[a] = to[a] - from[a] + 1;
    }
    box.values.resize(box.index(0, 0, box.size[2]));
    ScalarGrid result = field;
    const auto for_each = [&](auto&& visit) {
        for (int z = 0; z < box.size[2]; ++z) {
            for (int y = 0; y < box.size[1]; ++y) {
                for (int x = 0; x < box.size[0]; ++x) {
                    visit(box.index(x, y, z), field.index(from[0] + x, from[1] + y, from[2] + z),
                          box.position(x, y, z));
                }
            }
        }
    };
    for_each([&](std::size_t i, std::size_t j, const Vec3&) { box.values[i] = field.values[j]; });
    blur(box, kFrontBlur);
    for_each([&](std::size_t i, std::size_t j, const Vec3& x) {
        const auto old = static_cast<double>(field.values[j]);
        if (std::abs(old) > kFrontFar) {
            return;
        }
        const double weight = smooth_rise(x.y(), low - 0.02, low + 0.03) *
                              smooth_rise(x.z(), back, back + 0.04) *
                              (1.0 - smooth_rise(x.y(), high - 0.06, high)) *
                              (1.0 - smooth_rise(std::abs(x.x()), 0.7 * side, side)) *
                              (1.0 - kBellyRelief * smooth_rise(x.y(), low + 0.15, low + 0.25));
        result.values[j] = static_cast<float>(
            old + weight * (static_cast<double>(box.values[i]) - kFrontLift - old));
    });
    return result;
}

/// The mesh with finer fingers and toes; those of a side stay as they are where the limb is not cut
/// in one loop (a hand that is grown to the thigh).
TriangleMesh with_digits(TriangleMesh mesh, const FigureTable& table, const ScalarGrid& coarse,
                         double cell) {
    for (const Extremity extremity : {Extremity::Hand, Extremity::Foot}) {
        const DigitClefts clefts(table, extremity);
        if (clefts.is_empty()) {
            continue;
        }
        ScalarGrid field = digit_field(coarse, mesh, clefts, cell);
        if (field.values.empty()) {
            continue;
        }
        if (iso_surface_euler(field, 0.0) != 2) {
            remove_handles(field, 0.0);
        }
        const TriangleMesh patch = iso_surface(field);
        GraftRegion region = clefts.region();
        region.gap = 0.5 * (coarse.cell + cell);
        // The right side by its mirror image, so that both get the same triangles.
        for (int side = 0; side < 2; ++side) {
            if (std::optional<TriangleMesh> whole = grafted(mesh, patch, region)) {
                mesh = std::move(*whole);
            }
            mesh = reflected(mesh);
        }
    }
    return mesh;
}

}  // namespace

ScalarGrid skin_field(const FigureTable& table, const SkinOptions& options) {
    const std::vector<SkinShape> shapes = skin_shapes(table);
    HalfFields fields = empty_fields(shapes, options.cell);
    join_all(shapes, table.skin, fields);
    blur(fields.mask, kMaskBlur);
    mix(fields.body, fields.fine, fields.mask);
    fill_closed_places(fields.body, {.gap = table.skin.gap, .value = kFilled, .is_mirrored = true});
    fields.fine.values = fields.body.values;
    blur(fields.body, table.skin.blur_body);
    blur(fields.fine, table.skin.blur_fine);
    mix(fields.body, fields.fine, fields.mask);
    return mirrored(fields.body);
}

SkinMeshes mesh_skins(const FigureTable& table, const SkinOptions& options) {
    ScalarGrid field = skin_field(table, options);
    SkinMeshes meshes{.plain = iso_surface(field), .detailed = {}};
    const bool is_one_piece =
        connected_components(meshes.plain.triangles, meshes.plain.points.rows()).count == 1;
    if (!is_one_piece || iso_surface_euler(field, 0.0) != 2) {
        remove_handles(field, 0.0);
        meshes.plain = iso_surface(field);
    }
    meshes.detailed = meshes.plain;
    if (options.digit_cell > 0.0) {
        ScalarGrid even = with_even_front(field, table);
        if (iso_surface_euler(even, 0.0) != 2) {
            remove_handles(even, 0.0);
        }
        meshes.detailed = with_digits(iso_surface(even), table, field, options.digit_cell);
    }
    return meshes;
}

TriangleMesh mesh_skin(const FigureTable& table, const SkinOptions& options) {
    return mesh_skins(table, options).detailed;
}

}  // namespace sinew
