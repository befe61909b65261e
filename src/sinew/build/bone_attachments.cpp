#include "sinew/build/bone_attachments.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"

#include <array>
#include <cmath>
#include <unordered_map>

namespace sinew {

namespace {

/// Points in cubic cells of one length, for "is one nearer than that length?".
class SparseCells {
public:
    explicit SparseCells(double length) : length_(length) {}

    bool has_near(const Vec3& p) const {
        const auto at = cell(p);
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
            for (std::int64_t dy = -1; dy <= 1; ++dy) {
                for (std::int64_t dz = -1; dz <= 1; ++dz) {
                    const auto found = cells_.find(key(at[0] + dx, at[1] + dy, at[2] + dz));
                    if (found == cells_.end()) {
                        continue;
                    }
                    for (const Vec3& other : found->second) {
                        if ((other - p).squaredNorm() < length_ * length_) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    void add(const Vec3& p) {
        const auto at = cell(p);
        cells_[key(at[0], at[1], at[2])].push_back(p);
    }

private:
    std::array<std::int64_t, 3> cell(const Vec3& p) const {
        return {static_cast<std::int64_t>(std::floor(p.x() / length_)),
                static_cast<std::int64_t>(std::floor(p.y() / length_)),
                static_cast<std::int64_t>(std::floor(p.z() / length_))};
    }
    static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
        constexpr std::int64_t kHalf = 1 << 20;  // 21 bits each
        const auto bits = [](std::int64_t i) { return static_cast<std::uint64_t>(i + kHalf); };
        return bits(x) << 42 ^ bits(y) << 21 ^ bits(z);
    }

    double length_;
    std::unordered_map<std::uint64_t, std::vector<Vec3>> cells_;
};

/// Random places of the surface, each kept unless an earlier one is too near.
Points spread_over(const TriangleMesh& mesh, double spacing, Seed seed) {
    constexpr double kTries = 10.0;  // per square of that spacing: few gaps are left
    const double area = surface_area(mesh);
    if (!(area > 0.0)) {
        return Points(0, 3);
    }
    const auto tries =
        static_cast<Eigen::Index>(std::ceil(kTries * area / (spacing * spacing))) + 1;
    const SurfaceSamples candidates = sample_surface(mesh, tries, seed);
    SparseCells kept(spacing);
    Points points(tries, 3);
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < tries; ++i) {
        const Vec3 p = point(candidates.points, i);
        if (!kept.has_near(p)) {
            kept.add(p);
            points.row(count++) = p.transpose();
        }
    }
    return points.topRows(count);
}

/// Rows that lie near enough to the tets.
Points within_reach(const Points& points, const TetLocator& locator, double max_outside) {
    const std::vector<TetLocation> where = locator.nearest_all(points, max_outside);
    Points kept(points.rows(), 3);
    Eigen::Index count = 0;
    for (std::size_t i = 0; i < where.size(); ++i) {
        if (where[i].tet >= 0) {
            kept.row(count++) = points.row(static_cast<Eigen::Index>(i));
        }
    }
    return kept.topRows(count);
}

template <class Parts>
std::vector<EmbeddedPoints> embed_all(const Parts& parts, const TetLocator& locator,
                                      double max_outside) {
    std::vector<EmbeddedPoints> embedded;
    embedded.reserve(parts.size());
    for (const auto& part : parts) {
        embedded.push_back(embed_points(part.mesh.points, locator, max_outside));
    }
    return embedded;
}

}  // namespace

EmbeddedPoints embed_points(const Points& points, const TetLocator& locator, double max_outside) {
    TetEmbedding embedding = embed(points, locator, {.max_outside = max_outside});
    return {.tet = std::move(embedding.tet), .weights = std::move(embedding.weights)};
}

Attachments sample_bone_attachments(const std::vector<Bone>& bones, const TetLocator& locator,
                                    const AttachmentOptions& options, const Progress& progress) {
    check_ranges(options, "options of bone attachments");
    auto stage = progress.stage("bone attachments", bones.size());
    std::vector<Points> samples(bones.size(), Points(0, 3));
    parallel_for(bones.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (bones[i].kind != BoneKind::Disc) {
                const auto own = static_cast<std::uint64_t>(options.seed) << 32 | i;
                samples[i] = within_reach(spread_over(bones[i].mesh, options.spacing, Seed{own}),
                                          locator, options.max_outside);
            }
        }
    });
    Eigen::Index count = 0;
    for (const Points& own : samples) {
        count += own.rows();
    }
    Points all(count, 3);
    Attachments attachments;
    count = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        all.middleRows(count, samples[i].rows()) = samples[i];
        count += samples[i].rows();
        attachments.bone.resize(static_cast<std::size_t>(count), static_cast<Index>(i));
    }
    attachments.points = embed_points(all, locator, options.max_outside);
    stage.advance(bones.size());
    return attachments;
}

std::vector<EmbeddedPoints> embed_parts(const std::vector<Bone>& bones, const TetLocator& locator,
                                        double max_outside) {
    return embed_all(bones, locator, max_outside);
}

std::vector<EmbeddedPoints> embed_parts(const std::vector<Muscle>& muscles,
                                        const TetLocator& locator, double max_outside) {
    return embed_all(muscles, locator, max_outside);
}

}  // namespace sinew
