#include "sinew/meshing/decimate.h"

#include "sinew/base/error.h"
#include "sinew/meshing/edit_mesh.h"
#include "sinew/meshing/require_manifold.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>

namespace sinew {

namespace {

// Q(x) = x' A x + 2 b' x + c: sum of w (n . x - d)^2 over planes; w sums the weights.
struct Quadric {
    Mat3 A = Mat3::Zero();
    Vec3 b = Vec3::Zero();
    double c = 0.0;
    double weight = 0.0;

    void add_plane(const Vec3& n, double d, double w) {
        A += w * n * n.transpose();
        b -= w * d * n;
        c += w * d * d;
        weight += w;
    }
    Quadric& operator+=(const Quadric& o) {
        A += o.A;
        b += o.b;
        c += o.c;
        weight += o.weight;
        return *this;
    }
    // Mean squared distance, m^2.
    double error(const Vec3& x) const {
        const double q = x.dot(A * x) + 2.0 * b.dot(x) + c;
        return weight > 0.0 ? std::max(q, 0.0) / weight : 0.0;
    }
};

// Leading binary digits of an error that count where even edges are asked for. Edges of regular
// meshes have equal errors up to rounding, which differs between compilers (fused multiply-add); so
// rounded, they are equal and their numbers decide.
constexpr int kErrorDigits = 20;

double rounded_error(double error) {
    int exponent = 0;
    const double share = std::frexp(error, &exponent);
    return std::ldexp(std::round(std::ldexp(share, kErrorDigits)), exponent - kErrorDigits);
}

struct Candidate {
    double error;
    Index a, b;
    std::uint32_t stamp_a, stamp_b;

    // Smallest error first; equal ones by number, so that the order is always the same.
    friend bool operator<(const Candidate& x, const Candidate& y) {
        if (x.error != y.error) {
            return x.error > y.error;
        }
        return x.a != y.a ? x.a > y.a : x.b > y.b;
    }
};

class Decimation {
public:
    Decimation(const TriangleMesh& source, const DecimateOptions& options)
        : mesh_(source),
          origin_(source.points.colwise().mean().transpose()),
          quadric_(static_cast<std::size_t>(source.points.rows())),
          stamp_(quadric_.size(), 0),
          is_border_(quadric_.size(), 0),
          options_(options) {
        for (Index t = 0; t < mesh_.triangle_count(); ++t) {
            const Vec3 n = mesh_.normal(t);
            const double area = 0.5 * n.norm();
            if (area > 0.0) {
                const Vec3 unit = n.normalized();
                const double d = unit.dot(mesh_.position(mesh_.corners(t)[0]) - origin_);
                for (const Index v : mesh_.corners(t)) {
                    quadric_[at(v)].add_plane(unit, d, area);
                }
            }
        }
        for (Index v = 0; v < mesh_.vertex_count(); ++v) {
            is_border_[at(v)] = mesh_.is_border(v);
        }
        std::vector<Candidate> all;
        for (Index v = 0; v < mesh_.vertex_count(); ++v) {
            for (const Index w : mesh_.neighbours(v)) {
                if (const std::optional<Candidate> c = w > v ? candidate(v, w) : std::nullopt) {
                    all.push_back(*c);
                }
            }
        }
        queue_ = std::priority_queue<Candidate>({}, std::move(all));
    }

    void run(Progress::Stage& stage) {
        std::uint64_t steps = 0;
        while (!queue_.empty() && mesh_.alive_triangles() > options_.target_triangles) {
            const Candidate next = queue_.top();
            queue_.pop();
            if (stamp_[at(next.a)] != next.stamp_a || stamp_[at(next.b)] != next.stamp_b) {
                continue;
            }
            const auto [keep, gone] = roles(next.a, next.b);
            const Vec3 target = best_position(keep, gone).place;
            if (!mesh_.can_collapse(keep, gone, target)) {
                continue;
            }
            mesh_.collapse(keep, gone, target);
            quadric_[at(keep)] += quadric_[at(gone)];
            ++stamp_[at(gone)];
            // Neighbours get fresh candidates too: a collapse refused before may be possible now.
            ++stamp_[at(keep)];
            for (const Index w : mesh_.neighbours(keep)) {
                if (const std::optional<Candidate> c = candidate(keep, w)) {
                    queue_.push(*c);
                }
            }
            if (++steps % 1024 == 0) {
                stage.advance(1024);
            }
        }
    }

    TriangleMesh result() const {
        return mesh_.result();
    }

private:
    // A border vertex stays and swallows the other one.
    std::pair<Index, Index> roles(Index a, Index b) const {
        return is_border_[at(b)] ? std::pair(b, a) : std::pair(a, b);
    }

    double size_at(Index v) const {
        return options_.size.empty() ? 1.0 : options_.size[at(v)];
    }

    struct Target {
        Vec3 place = Vec3::Zero();
        double error = 0.0;
    };

    Target best_position(Index keep, Index gone) const {
        Quadric q = quadric_[at(keep)];
        q += quadric_[at(gone)];
        const Vec3 a = mesh_.position(keep) - origin_;
        if (is_border_[at(keep)]) {
            return {mesh_.position(keep), q.error(a)};
        }
        const Vec3 b = mesh_.position(gone) - origin_;
        const Vec3 middle = 0.5 * (a + b);
        // A little pull to the middle of the edge decides where the planes leave the place open.
        constexpr double kPull = 1e-4;
        constexpr double kLittle = 1e-9;
        const double pull = kPull * q.A.trace() / 3.0;
        Target best{middle, q.error(middle)};
        // Better by more than rounding, m^2.
        const double little = options_.evenness > 0.0 ? kLittle * (a - b).squaredNorm() : 0.0;
        const auto compare = [&](const Vec3& x) {
            const double error = q.error(x);
            if (error < best.error - little) {
                best = {x, error};
            }
        };
        if (pull > 0.0) {
            const Mat3 A = q.A + pull * Mat3::Identity();
            const Vec3 x = A.inverse() * (pull * middle - q.b);
            if (x.allFinite() && (x - middle).norm() <= 2.0 * (a - b).norm()) {
                compare(x);
            }
        }
        compare(a);
        compare(b);
        best.place += origin_;
        return best;
    }

    /// Nothing for an edge between borders, and for one whose error is more than allowed.
    std::optional<Candidate> candidate(Index v, Index w) const {
        const Index a = std::min(v, w);
        const Index b = std::max(v, w);
        if (is_border_[at(a)] && is_border_[at(b)]) {
            return std::nullopt;
        }
        const auto [keep, gone] = roles(a, b);
        const double length = (mesh_.position(a) - mesh_.position(b)).norm();
        const double uneven = options_.evenness * length / size_at(keep);
        const double error = best_position(keep, gone).error + uneven * uneven;
        if (std::sqrt(error) > options_.max_error) {
            return std::nullopt;
        }
        return Candidate{options_.evenness > 0.0 ? rounded_error(error) : error, a, b,
                         stamp_[at(a)], stamp_[at(b)]};
    }

    EditMesh mesh_;
    Vec3 origin_;
    std::vector<Quadric> quadric_;
    std::vector<std::uint32_t> stamp_;
    std::vector<char> is_border_;
    std::priority_queue<Candidate> queue_;
    DecimateOptions options_;
};

}  // namespace

TriangleMesh decimated(const TriangleMesh& mesh, const DecimateOptions& options,
                       const Progress& progress) {
    require_manifold(mesh, "decimate");
    if (options.target_triangles < 0 || !(options.max_error >= 0.0)) {
        throw InputError({.where = "decimate, options",
                          .found = "a negative count or error",
                          .needs = "target_triangles >= 0 and max_error >= 0",
                          .remedy = "correct the options"});
    }
    if (!options.size.empty() &&
        (options.size.size() != static_cast<std::size_t>(mesh.points.rows()) ||
         std::any_of(options.size.begin(), options.size.end(),
                     [](double s) { return !(s > 0.0) || !std::isfinite(s); }))) {
        throw InputError({.where = "decimate, options",
                          .found = fmt::format("{} sizes", options.size.size()),
                          .needs = fmt::format("{} numbers > 0", mesh.points.rows()),
                          .remedy = "give one size per vertex, or none"});
    }
    if (mesh.triangles.rows() <= options.target_triangles) {
        return mesh;
    }
    Decimation work(mesh, options);
    Progress::Stage stage = progress.stage(
        "decimate",
        static_cast<std::uint64_t>(mesh.triangles.rows() - options.target_triangles) / 2);
    work.run(stage);
    TriangleMesh result = work.result();
    transfer_point_data(mesh, result);
    return result;
}

}  // namespace sinew
