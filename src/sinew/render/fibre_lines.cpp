#include "sinew/render/fibre_lines.h"

#include "sinew/base/parallel.h"
#include "sinew/body/names.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/tet_locator.h"
#include "sinew/geometry/winding_number.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sinew {

namespace {

/// A full turn of hues, spread by the golden ratio, by the name without its side.
Colour colour_of(std::string_view name) {
    std::uint32_t hash = 2166136261u;
    for (const char c : split_side(std::string(name)).stem) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    const double hue = 6.0 * std::fmod(0.6180339887 * (hash % 4096u), 1.0);
    const auto channel = [&](double shift) {
        const double k = std::fmod(hue + shift, 6.0);
        const double share = std::clamp(std::min(k, 4.0 - k), 0.0, 1.0);
        return static_cast<float>(0.75 - 0.65 * share);
    };
    return {channel(5.0), channel(3.0), channel(1.0)};
}

/// Fibres of one muscle, linear in each tetrahedron.
class MuscleFlow {
public:
    MuscleFlow(const Body& body, const TetLocator& locator, const WindingNumber& inside,
               const std::vector<std::pair<Index, Index>>& entries)
        : body_(body), locator_(locator), inside_(inside) {
        for (const auto& [tet, entry] : entries) {
            for (Eigen::Index k = 0; k < 4; ++k) {
                direction_.try_emplace(body.tets.tets(tet, k), Vec3::Zero()).first->second +=
                    point(body.fibres.direction, entry);
            }
        }
    }

    /// Unit vector, zero outside the muscle's tetrahedra.
    Vec3 at(const Vec3& x) const {
        const TetLocation where = locator_.find(x);
        Vec3 d = Vec3::Zero();
        for (Eigen::Index k = 0; where.tet >= 0 && k < 4; ++k) {
            const auto found = direction_.find(body_.tets.tets(where.tet, k));
            if (found != direction_.end() && found->second.norm() > 0.0) {
                d += where.barycentric[k] * found->second.normalized();
            }
        }
        const double length = d.norm();
        return length > 1e-3 ? (d / length).eval() : Vec3::Zero();
    }

    /// Midpoint steps from x, not counting x itself.
    std::vector<Vec3> trace(Vec3 x, double step, std::size_t most) const {
        std::vector<Vec3> line;
        while (line.size() < most && inside_.at(x) > 0.5) {
            const Vec3 first = at(x);
            const Vec3 middle = at(x + 0.5 * step * first);
            if (first.isZero() || middle.isZero()) {
                break;
            }
            x += step * middle;
            line.push_back(x);
        }
        return line;
    }

private:
    const Body& body_;
    const TetLocator& locator_;
    const WindingNumber& inside_;
    std::unordered_map<Index, Vec3> direction_;
};

std::vector<std::vector<Vec3>> trace_muscle(const MuscleFlow& flow, const TriangleMesh& mesh,
                                            const FibreLineOptions& options, Seed seed) {
    const double area = surface_area(mesh);
    if (!(area > 0.0)) {
        return {};
    }
    const auto count = static_cast<Eigen::Index>(area / (options.spacing * options.spacing)) + 1;
    const SurfaceSamples seeds = sample_surface(mesh, count, seed);
    const Points normals = triangle_normals(mesh);
    const auto most = static_cast<std::size_t>(options.max_length / options.step);
    std::vector<std::vector<Vec3>> lines;
    for (Eigen::Index i = 0; i < count; ++i) {
        const Vec3 begin =
            point(seeds.points, i) -
            options.depth * point(normals, seeds.triangle[static_cast<std::size_t>(i)]);
        std::vector<Vec3> line = flow.trace(begin, -options.step, most);
        std::reverse(line.begin(), line.end());
        line.push_back(begin);
        const std::vector<Vec3> ahead = flow.trace(begin, options.step, most);
        line.insert(line.end(), ahead.begin(), ahead.end());
        constexpr std::size_t kShortest = 4;  // points
        if (line.size() >= kShortest) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

}  // namespace

std::vector<SceneLines> fibre_lines(const Body& body, const FibreLineOptions& options) {
    const TetLocator locator(body.tets);
    std::vector<std::vector<std::pair<Index, Index>>> entries(body.muscles.size());
    for (std::size_t t = 0; t + 1 < body.fibres.start.size(); ++t) {
        for (Index e = body.fibres.start[t]; e < body.fibres.start[t + 1]; ++e) {
            entries[static_cast<std::size_t>(body.fibres.muscle[static_cast<std::size_t>(e)])]
                .emplace_back(static_cast<Index>(t), e);
        }
    }
    std::vector<SceneLines> all(body.muscles.size());
    parallel_for(body.muscles.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) {
            const Muscle& muscle = body.muscles[m];
            if (entries[m].empty() || (muscle.is_passive && !options.show_passive)) {
                continue;
            }
            const WindingNumber inside(muscle.mesh, {.accuracy = 2.0});
            const Seed seed{static_cast<std::uint64_t>(options.seed) << 32 | m};
            all[m] = {.name = muscle.name,
                      .kind = "muscle",
                      .lines = trace_muscle(MuscleFlow(body, locator, inside, entries[m]),
                                            muscle.mesh, options, seed),
                      .radius = options.radius,
                      .colour = colour_of(muscle.name)};
        }
    });
    std::erase_if(all, [](const SceneLines& lines) { return lines.lines.empty(); });
    return all;
}

}  // namespace sinew
