#include "sinew/motion/muscle_lines.h"

#include "sinew/linalg/dense.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

// The line through the middle of a muscle's surface. The mesh says for each vertex how far along
// the muscle it lies; means of the vertices at equal fractions are the line. Two kinds of muscles
// need more. In sheets with fibres askew to their outline the line walks along the fibres, midway
// between both faces. In muscles with several strands (toes) equal fractions lie side by side, and
// the line goes over the surface by distances along edges.
//
// Volumes end where an atlas ends them, often short of the bone: a tendon that is a part of its own
// carries the line on, and the last piece goes straight.

namespace sinew {

namespace {

constexpr double kAlongCost = 0.3;      // of a metre along the course against one beside it
constexpr double kTendonReach = 0.015;  // m; from a muscle's end to the tendon that carries it on
constexpr double kNearer = 0.004;       // m; by which a bone must have been nearer before
constexpr double kPassedReach = 0.03;   // m; from the end, where that is looked for
constexpr double kBeside = 0.012;       // m; ends this near a bone go straight to it
constexpr double kBesideEnd = 0.006;    // m
constexpr double kAttached = 0.005;     // m; ends this near a bone are on it

constexpr double kFarEnd = 0.08;  // m; ends further from their bone are on another

constexpr double kMixedSpread = 0.8;  // of the distance between a line's points
constexpr double kAligned = 0.85;     // cosine; fibres that run more askew lead the line
constexpr double kWalkReach = 0.015;  // m; of what counts along fibres
constexpr double kWalkStep = 0.005;   // m
constexpr double kLeastAhead = 0.02;  // share of what lies near that must lie ahead
constexpr int kLongestWalk = 200;     // steps
constexpr std::size_t kFiner = 3;     // points of a line between two that are kept anyway
constexpr int kSmoothings = 2;        // of a line
constexpr double kBend = 0.0015;      // m; off the straight, points between are kept too
constexpr double kBand = 0.01;        // m; as far from the insertion
constexpr double kNearBy = 0.04;      // m

Vec3 point(const Points& points, std::size_t v) {
    return points.row(static_cast<Eigen::Index>(v)).transpose();
}

// Means of the surface between neighbouring shares of the way; ends are means of the outermost.
std::vector<Vec3> means_along(const Points& points, const std::vector<double>& way,
                              std::size_t count) {
    std::vector<Vec3> sum(count, Vec3::Zero());
    std::vector<double> weight(count, 0.0);
    for (std::size_t v = 0; v < way.size(); ++v) {
        const double t = std::clamp(way[v], 0.0, 1.0) * static_cast<double>(count - 1);
        const auto k = static_cast<std::size_t>(std::lround(t));
        // Ends count only what lies closest to them.
        const double w = std::max(1e-3, 0.5 - std::abs(t - static_cast<double>(k)));
        sum[k] += w * point(points, v);
        weight[k] += w;
    }
    std::vector<Vec3> line;
    for (std::size_t k = 0; k < count; ++k) {
        if (weight[k] > 0.0) {
            line.push_back(sum[k] / weight[k]);
        }
    }
    return line;
}

// Whether equal shares lie far apart along the line: strands that count their own ways (toes).
bool strands_are_mixed(const Points& points, const std::vector<double>& way,
                       const std::vector<Vec3>& line) {
    const auto last = static_cast<double>(line.size() - 1);
    double spread = 0.0;
    double length = 0.0;
    for (std::size_t v = 0; v < way.size(); ++v) {
        const auto k = static_cast<std::size_t>(std::lround(std::clamp(way[v], 0.0, 1.0) * last));
        const Vec3 along = line[std::min(k + 1, line.size() - 1)] - line[k > 0 ? k - 1 : 0];
        const double off = along.normalized().dot(point(points, v) - line[k]);
        spread += off * off / static_cast<double>(way.size());
    }
    for (std::size_t k = 1; k < line.size(); ++k) {
        length += (line[k] - line[k - 1]).norm();
    }
    return std::sqrt(spread) > kMixedSpread * length / last;
}

// How far fibres run along the line, mean cosine: along it as a whole, or where they lie.
double mean_alignment(const std::vector<double>& fibre, const std::vector<double>& way,
                      const std::vector<Vec3>& line) {
    const auto last = static_cast<double>(line.size() - 1);
    const Vec3 chord = (line.back() - line.front()).normalized();
    double whole = 0.0;
    double sum = 0.0;
    for (std::size_t v = 0; 3 * v + 2 < fibre.size(); ++v) {
        const auto k = static_cast<std::size_t>(std::lround(std::clamp(way[v], 0.0, 1.0) * last));
        const Vec3 along = line[std::min(k + 1, line.size() - 1)] - line[k > 0 ? k - 1 : 0];
        const Vec3 f(fibre[3 * v], fibre[3 * v + 1], fibre[3 * v + 2]);
        sum += std::abs(along.normalized().dot(f));
        whole += std::abs(chord.dot(f));
    }
    const std::size_t points = fibre.size() / 3;
    return std::max(sum, whole) / static_cast<double>(points);
}

std::vector<Vec3> resampled(const std::vector<Vec3>& line, std::size_t count) {
    std::vector<double> place = {0.0};
    for (std::size_t k = 1; k < line.size(); ++k) {
        place.push_back(place.back() + (line[k] - line[k - 1]).norm());
    }
    std::vector<Vec3> out;
    std::size_t k = 1;
    for (std::size_t i = 0; i < count; ++i) {
        const double s = place.back() * static_cast<double>(i) / static_cast<double>(count - 1);
        while (k + 1 < line.size() && place[k] < s) {
            ++k;
        }
        const double t = (s - place[k - 1]) / std::max(place[k] - place[k - 1], 1e-12);
        out.push_back(line[k - 1] + t * (line[k] - line[k - 1]));
    }
    return out;
}

// Every kFiner-th point, and those between that the line bends at. Means of few vertices are
// uneven: neighbours are averaged first.
std::vector<Vec3> thinned(std::vector<Vec3> line) {
    for (int pass = 0; pass < kSmoothings; ++pass) {
        const std::vector<Vec3> before = line;
        for (std::size_t k = 1; k + 1 < line.size(); ++k) {
            line[k] = 0.25 * before[k - 1] + 0.5 * before[k] + 0.25 * before[k + 1];
        }
    }
    std::vector<Vec3> out;
    for (std::size_t first = 0; first < line.size(); first += kFiner) {
        out.push_back(line[first]);
        const std::size_t last = std::min(first + kFiner, line.size() - 1);
        const Vec3 chord = (line[last] - line[first]).normalized();
        for (std::size_t k = first + 1; k < last; ++k) {
            const Vec3 d = line[k] - line[first];
            if ((d - d.dot(chord) * chord).norm() > kBend) {
                out.push_back(line[k]);
            }
        }
        if (last == line.size() - 1 && last > first && last < first + kFiner) {
            out.push_back(line[last]);
        }
    }
    return out;
}

// Walks from the middle of a sheet along its fibres, kept midway between its two faces, until the
// surface ends.
std::vector<Vec3> walk_along_fibres(const Points& points, const std::vector<double>& fibre,
                                    const Vec3& start, Vec3 heading) {
    std::vector<Vec3> walk = {start};
    const auto n = static_cast<std::size_t>(points.rows());
    for (int step = 0; step < kLongestWalk; ++step) {
        const Vec3 x = walk.back();
        Vec3 mean = Vec3::Zero();
        Vec3 along = Vec3::Zero();
        Mat3 scatter = Mat3::Zero();
        double weight = 0.0;
        double ahead = 0.0;
        for (std::size_t v = 0; v < n; ++v) {
            const Vec3 d = point(points, v) - x;
            const double w = std::exp(-d.squaredNorm() / (2.0 * kWalkReach * kWalkReach));
            if (w < 1e-3) {
                continue;
            }
            const Vec3 f(fibre[3 * v], fibre[3 * v + 1], fibre[3 * v + 2]);
            along += (f.dot(heading) < 0.0 ? -w : w) * f;
            mean += w * d;
            scatter += w * d * d.transpose();
            weight += w;
            ahead += d.dot(heading) > kWalkStep ? w : 0.0;
        }
        if (weight <= 0.0 || ahead < kLeastAhead * weight || along.norm() < 1e-9) {
            break;
        }
        mean /= weight;
        heading = along.normalized();
        const Vec3 normal =
            symmetric_eigen(Mat3(scatter / weight - mean * mean.transpose())).vectors.col(0);
        walk.push_back(x + kWalkStep * heading + normal.dot(mean) * normal);
    }
    return walk;
}

std::vector<Vec3> line_along_fibres(const Points& points, const std::vector<double>& fibre,
                                    const std::vector<Vec3>& line, std::size_t count) {
    const Vec3 middle = points.colwise().mean().transpose();
    const Vec3 heading = (line.back() - line.front()).normalized();
    std::vector<Vec3> out = walk_along_fibres(points, fibre, middle, -heading);
    std::reverse(out.begin(), out.end());
    const std::vector<Vec3> on = walk_along_fibres(points, fibre, middle, heading);
    out.insert(out.end(), on.begin() + 1, on.end());
    return out.size() < 2 ? line : resampled(out, count);
}

// Points hard by an end would give it a course of its own.
void drop_beside_ends(std::vector<Vec3>& line) {
    while (line.size() > 2 && (line[1] - line.front()).norm() < kBesideEnd) {
        line.erase(line.begin() + 1);
    }
    while (line.size() > 2 && (line[line.size() - 2] - line.back()).norm() < kBesideEnd) {
        line.erase(line.end() - 2);
    }
}

// Ways over the edges of a surface from one vertex to all; parts that do not touch are joined where
// they are nearest.
struct SurfaceWays {
    std::vector<double> distance;
    std::vector<Index> before;  // the vertex that comes before, -1 at the source
};

class WayFinder {
public:
    explicit WayFinder(const TriangleMesh& mesh)
        : points_(mesh.points), next_(at(static_cast<Index>(mesh.points.rows()))) {
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                const Index a = mesh.triangles(t, k);
                const Index b = mesh.triangles(t, (k + 1) % 3);
                next_[at(a)].push_back(b);
                next_[at(b)].push_back(a);
            }
        }
    }

    SurfaceWays from(Index source) {
        ways_.distance.assign(next_.size(), kFar);
        ways_.before.assign(next_.size(), -1);
        ways_.distance[at(source)] = 0.0;
        spread({source});
        while (join_nearest()) {
        }
        return std::move(ways_);
    }

private:
    double edge(Index a, Index b) const {
        return (points_.row(a) - points_.row(b)).norm();
    }

    void spread(const std::vector<Index>& sources) {
        using Entry = std::pair<double, Index>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        for (const Index s : sources) {
            queue.push({ways_.distance[at(s)], s});
        }
        while (!queue.empty()) {
            const auto [d, v] = queue.top();
            queue.pop();
            if (d > ways_.distance[at(v)]) {
                continue;
            }
            for (const Index w : next_[at(v)]) {
                const double longer = d + edge(v, w);
                if (longer < ways_.distance[at(w)]) {
                    ways_.distance[at(w)] = longer;
                    ways_.before[at(w)] = v;
                    queue.push({longer, w});
                }
            }
        }
    }

    bool join_nearest() {
        double least = kFar;
        Index from = -1;
        Index to = -1;
        for (std::size_t w = 0; w < next_.size(); ++w) {
            if (ways_.distance[w] < kFar) {
                continue;
            }
            for (std::size_t v = 0; v < next_.size(); ++v) {
                if (ways_.distance[v] < kFar &&
                    edge(static_cast<Index>(v), static_cast<Index>(w)) < least) {
                    least = edge(static_cast<Index>(v), static_cast<Index>(w));
                    from = static_cast<Index>(v);
                    to = static_cast<Index>(w);
                }
            }
        }
        if (to < 0) {
            return false;
        }
        ways_.distance[at(to)] = ways_.distance[at(from)] + least;
        ways_.before[at(to)] = from;
        spread({to});
        return true;
    }

    static constexpr double kFar = 1e9;
    const Points& points_;
    std::vector<std::vector<Index>> next_;
    SurfaceWays ways_ = {};
};

// From the vertex furthest from the insertion over the surface to the insertion; at each step the
// mean of what lies as far and near by.
std::vector<Vec3> line_over_surface(const TriangleMesh& mesh, Index insertion, std::size_t count) {
    const SurfaceWays ways = WayFinder(mesh).from(insertion);
    const auto furthest = std::max_element(ways.distance.begin(), ways.distance.end());
    const double whole = *furthest;
    std::vector<Vec3> out;
    double next = whole;
    for (auto v = static_cast<Index>(furthest - ways.distance.begin()); v >= 0;
         v = ways.before[at(v)]) {
        const double d = ways.distance[at(v)];
        if (d > next + 1e-12 && v != insertion) {
            continue;
        }
        next -= whole / static_cast<double>(count - 1);
        Vec3 sum = Vec3::Zero();
        double n = 0.0;
        for (std::size_t w = 0; w < ways.distance.size(); ++w) {
            const Vec3 p = point(mesh.points, w);
            if (std::abs(ways.distance[w] - d) < kBand &&
                (p - point(mesh.points, at(v))).norm() < kNearBy) {
                sum += p;
                n += 1.0;
            }
        }
        out.push_back(sum / n);
    }
    return out;
}

}  // namespace

MuscleLines::MuscleLines(const Body& body, int points) : body_(body), points_(points) {
    trees_.resize(body.bones.size());
}

std::vector<Vec3> MuscleLines::line(const Muscle& muscle) const {
    std::vector<Vec3> line = middle(muscle);
    if (line.size() >= 2) {
        follow_tendon(line, muscle);
        reach_bone(line, muscle.origin, true);
        reach_bone(line, muscle.insertion, false);
        drop_beside_ends(line);
    }
    return line;
}

MuscleLines::Ends MuscleLines::ends(const Muscle& muscle) const {
    std::vector<Vec3> line = middle(muscle);
    if (line.size() < 2) {
        return {muscle.origin, muscle.insertion};
    }
    follow_tendon(line, muscle);
    return {bone_near(line.front(), muscle.origin), bone_near(line.back(), muscle.insertion)};
}

Index MuscleLines::bone_near(const Vec3& end, Index bone) const {
    double least = tree_of(bone).closest_point(end).distance;
    if (least < kFarEnd) {
        return bone;
    }
    for (std::size_t b = 0; b < body_.bones.size(); ++b) {
        if (body_.bones[b].mesh.triangles.rows() == 0) {
            continue;
        }
        const double distance = tree_of(static_cast<Index>(b)).closest_point(end).distance;
        if (distance < least) {
            least = distance;
            bone = static_cast<Index>(b);
        }
    }
    return bone;
}

std::vector<Vec3> MuscleLines::middle(const Muscle& muscle) const {
    const TriangleMesh& mesh = muscle.mesh;
    const auto n = static_cast<std::size_t>(mesh.points.rows());
    const auto count = static_cast<std::size_t>(points_);
    const std::size_t fine = kFiner * (count - 1) + 1;
    const Attribute* share = find_attribute(mesh.point_data, "share");
    if (share == nullptr || share->components != 1 || share->values.size() != n) {
        return means_along(mesh.points, shares_between_bones(muscle), count);
    }
    const std::vector<Vec3> line = means_along(mesh.points, share->values, count);
    if (line.size() < 2) {
        return line;
    }
    if (strands_are_mixed(mesh.points, share->values, line)) {
        return thinned(
            line_over_surface(mesh, nearest_vertex(mesh.points, muscle.insertion), fine));
    }
    const Attribute* fibre = find_attribute(mesh.point_data, "fibre");
    if (fibre != nullptr && fibre->components == 3 && fibre->values.size() == 3 * n &&
        mean_alignment(fibre->values, share->values, line) < kAligned) {
        return thinned(line_along_fibres(mesh.points, fibre->values, line, fine));
    }
    return thinned(means_along(mesh.points, share->values, fine));
}

Index MuscleLines::nearest_vertex(const Points& points, Index bone) const {
    const std::vector<ClosestPoint> near = tree_of(bone).closest_points(points);
    const auto best = std::min_element(near.begin(), near.end(), [](const auto& a, const auto& b) {
        return a.distance < b.distance;
    });
    return static_cast<Index>(best - near.begin());
}

// Where the mesh does not say: by distances to the bones at both ends.
std::vector<double> MuscleLines::shares_between_bones(const Muscle& muscle) const {
    const std::vector<ClosestPoint> from =
        tree_of(muscle.origin).closest_points(muscle.mesh.points);
    const std::vector<ClosestPoint> to =
        tree_of(muscle.insertion).closest_points(muscle.mesh.points);
    std::vector<double> way;
    for (std::size_t v = 0; v < from.size(); ++v) {
        way.push_back(from[v].distance - to[v].distance);
    }
    const auto [low, high] = std::minmax_element(way.begin(), way.end());
    const double first = *low;
    const double span = std::max(*high - first, 1e-9);
    for (double& w : way) {
        w = (w - first) / span;
    }
    return way;
}

const SurfaceTree& MuscleLines::tree_of(Index bone) const {
    auto& tree = trees_[at(bone)];
    if (!tree) {
        tree = std::make_unique<SurfaceTree>(body_.bones[at(bone)].mesh);
    }
    return *tree;
}

// Where the line ends short of its insertion, it goes on along a tendon that is a part of its
// own and ends on that bone.
void MuscleLines::follow_tendon(std::vector<Vec3>& line, const Muscle& muscle) const {
    if (tree_of(muscle.insertion).closest_point(line.back()).distance <= kAttached) {
        return;
    }
    for (const Muscle& tendon : body_.muscles) {
        if (!tendon.is_passive || tendon.insertion != muscle.insertion ||
            tendon.mesh.points.rows() == 0 ||
            SurfaceTree(tendon.mesh).closest_point(line.back()).distance > kTendonReach) {
            continue;
        }
        // Only what lies beyond the muscle's end, on the way to the tendon's.
        const std::vector<Vec3> along = middle(tendon);
        const Vec3 end = line.back();
        for (const Vec3& p : along) {
            if ((p - along.back()).norm() < (end - along.back()).norm() - kTendonReach) {
                line.push_back(p);
            }
        }
        return;
    }
}

// Where the line ends short of its bone all the same, it runs on straight: to the point of the
// bone that is near its course. Where it has passed the bone already, it ends there.
void MuscleLines::reach_bone(std::vector<Vec3>& line, Index bone, bool at_begin) const {
    if (at_begin) {
        std::reverse(line.begin(), line.end());
        reach_bone(line, bone, false);
        std::reverse(line.begin(), line.end());
        return;
    }
    const double ends = tree_of(bone).closest_point(line.back()).distance;
    if (ends <= kAttached) {
        return;
    }
    double nearest = ends - kNearer;
    std::size_t kept = line.size();
    for (std::size_t k = line.size() - 2; k > 0; --k) {
        if ((line[k] - line.back()).norm() > kPassedReach) {
            break;
        }
        const double d = tree_of(bone).closest_point(line[k]).distance;
        if (d < nearest) {
            nearest = d;
            kept = k + 1;
        }
    }
    line.resize(kept);
    const Vec3 end = line.back();
    const ClosestPoint near = tree_of(bone).closest_point(end);
    if (near.distance <= kAttached) {
        return;
    }
    if (near.distance < kBeside) {
        while (line.size() > 2 &&
               (near.point - line.back()).dot(line.back() - line[line.size() - 2]) < 0.0) {
            line.pop_back();  // it would turn back
        }
        line.push_back(near.point);
        return;
    }
    const Vec3 course = (end - line[line.size() - 2]).normalized();
    const Points& points = body_.bones[at(bone)].mesh.points;
    double best = 1e9;
    Vec3 reached = end;
    for (Eigen::Index v = 0; v < points.rows(); ++v) {
        const Vec3 d = points.row(v).transpose() - end;
        const double along = d.dot(course);
        const double cost = (d - along * course).norm() + kAlongCost * std::abs(along);
        if (cost < best) {
            best = cost;
            reached = points.row(v).transpose();
        }
    }
    line.push_back(reached);
}

}  // namespace sinew
