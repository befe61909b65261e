#include "bench/fibre_course.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/render/fibre_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace sinew::bench {

namespace {

constexpr double kDegreesPerRadian = 57.29577951308232;

double angle_between(const Vec3& a, const Vec3& b) {
    return kDegreesPerRadian * std::atan2(a.cross(b).norm(), a.dot(b));
}

/// What a muscle's mesh says about the course of its fibres.
class KnownCourse {
public:
    explicit KnownCourse(const TriangleMesh& mesh) : line_(centre_line(mesh)) {
        const Attribute* fibre = find_attribute(mesh.point_data, "fibre");
        if (fibre != nullptr && fibre->components == 3 && mesh.triangles.rows() > 0) {
            fibre_ = fibre;
            mesh_ = &mesh;
            tree_.emplace(mesh);
        }
    }

    bool is_known() const {
        return line_.size() >= 2;
    }
    const std::vector<Vec3>& line() const {
        return line_;
    }

    /// Of the strokes at the nearest place of the surface, else of the centre line.
    Vec3 near(const Vec3& x) const {
        return tree_ ? stroke_near(x) : tangent_near(x);
    }

private:
    Vec3 stroke_near(const Vec3& x) const {
        const ClosestPoint c = tree_->closest_point(x);
        Vec3 sum = Vec3::Zero();
        for (int k = 0; k < 3; ++k) {
            const auto v = 3 * static_cast<std::size_t>(mesh_->triangles(c.triangle, k));
            sum += c.barycentric[k] *
                   Vec3(fibre_->values[v], fibre_->values[v + 1], fibre_->values[v + 2]);
        }
        return sum;
    }
    Vec3 tangent_near(const Vec3& x) const {
        double least = std::numeric_limits<double>::infinity();
        Vec3 tangent = Vec3::Zero();
        for (std::size_t i = 0; i + 1 < line_.size(); ++i) {
            const double d = (0.5 * (line_[i] + line_[i + 1]) - x).norm();
            if (d < least) {
                least = d;
                tangent = line_[i + 1] - line_[i];
            }
        }
        return tangent;
    }

    std::vector<Vec3> line_;
    const Attribute* fibre_ = nullptr;
    const TriangleMesh* mesh_ = nullptr;
    std::optional<SurfaceTree> tree_;
};

/// Of a tetrahedron's volume, belly and tendon.
double muscle_share(const Body& body, std::size_t tet, Index muscle) {
    double share = 0.0;
    for (Index e = body.shares.start[tet]; e < body.shares.start[tet + 1]; ++e) {
        const auto i = static_cast<std::size_t>(e);
        const Tissue tissue = body.materials[at(body.shares.material[i])].tissue;
        const bool is_muscle = tissue == Tissue::Muscle || tissue == Tissue::Tendon;
        share += is_muscle && body.shares.part[i] == muscle ? body.shares.fraction[i] : 0.0;
    }
    return share;
}

struct Entry {
    Index tet = 0;
    Index fibre = 0;  // into Fibres::direction
};

/// Which tetrahedra each muscle fills.
std::vector<std::vector<Entry>> entries_of_muscles(const Body& body) {
    std::vector<std::vector<Entry>> entries(body.muscles.size());
    for (std::size_t t = 0; t + 1 < body.fibres.start.size(); ++t) {
        for (Index e = body.fibres.start[t]; e < body.fibres.start[t + 1]; ++e) {
            entries[at(body.fibres.muscle[at(e)])].push_back(
                {.tet = static_cast<Index>(t), .fibre = e});
        }
    }
    return entries;
}

std::optional<double> stroke_angle(const Body& body, Index muscle, const KnownCourse& course,
                                   const std::vector<Entry>& entries) {
    double sum = 0.0, weight = 0.0;
    for (const Entry& entry : entries) {
        Vec3 middle = Vec3::Zero();
        std::array<Vec3, 4> p;
        for (int k = 0; k < 4; ++k) {
            p[at(k)] = point(body.tets.points, body.tets.tets(entry.tet, k));
            middle += 0.25 * p[at(k)];
        }
        const double volume = std::abs((p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0]))) / 6.0;
        const double w = volume * muscle_share(body, static_cast<std::size_t>(entry.tet), muscle);
        sum += w * angle_between(course.near(middle), point(body.fibres.direction, entry.fibre));
        weight += w;
    }
    return weight > 0.0 ? std::optional(sum / weight) : std::nullopt;
}

/// The place of a polyline nearest to x: its number of segments from the beginning, with fraction.
double nearest_on_line(const std::vector<Vec3>& line, const Vec3& x) {
    double least = std::numeric_limits<double>::infinity();
    double place = 0.0;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const Vec3 way = line[i + 1] - line[i];
        const double length2 = way.squaredNorm();
        const double s =
            length2 > 0.0 ? std::clamp((x - line[i]).dot(way) / length2, 0.0, 1.0) : 0.0;
        const double d = (x - line[i] - s * way).squaredNorm();
        if (d < least) {
            least = d;
            place = static_cast<double>(i) + s;
        }
    }
    return place;
}

Vec3 place_on_line(const std::vector<Vec3>& line, double place) {
    const auto i = std::min(static_cast<std::size_t>(place), line.size() - 2);
    return line[i] + (place - static_cast<double>(i)) * (line[i + 1] - line[i]);
}

/// From end to end of a streamline, against the centre line beside it, from end to end too: lines
/// that begin or leave half-way along a bent muscle are compared with that half. Where fibres run
/// across the centre line, nothing of it lies beside them and its whole chord counts.
double end_to_end_angle(const std::vector<Vec3>& line, const std::vector<Vec3>& centre) {
    constexpr double kAcross = 0.25;  // of a streamline's length
    const Vec3 ends = line.back() - line.front();
    const auto [from, to] =
        std::minmax({nearest_on_line(centre, line.front()), nearest_on_line(centre, line.back())});
    Vec3 chord = place_on_line(centre, to) - place_on_line(centre, from);
    if (chord.norm() < kAcross * ends.norm()) {
        chord = centre.back() - centre.front();
    }
    return angle_between(ends, chord);
}

/// Means over the streamlines, by name of the muscle.
std::map<std::string, double> end_to_end_angles(const Body& body) {
    std::map<std::string, const TriangleMesh*> meshes;
    for (const Muscle& muscle : body.muscles) {
        meshes.emplace(muscle.name, &muscle.mesh);
    }
    std::map<std::string, double> angles;
    for (const SceneLines& bundle :
         fibre_lines(body, {.spacing = 0.008, .step = 0.0015, .show_passive = true})) {
        const std::vector<Vec3> centre = centre_line(*meshes.at(bundle.name));
        if (centre.size() < 2) {
            continue;
        }
        double sum = 0.0;
        for (const std::vector<Vec3>& line : bundle.lines) {
            sum += end_to_end_angle(line, centre);
        }
        angles[bundle.name] = sum / static_cast<double>(bundle.lines.size());
    }
    return angles;
}

}  // namespace

std::vector<Vec3> centre_line(const TriangleMesh& mesh) {
    constexpr std::size_t kSections = 12;
    const Attribute* share = find_attribute(mesh.point_data, "share");
    std::array<Vec3, kSections> sum = {};
    std::array<int, kSections> count = {};
    sum.fill(Vec3::Zero());
    for (std::size_t i = 0; share != nullptr && i < share->values.size(); ++i) {
        const auto k = static_cast<std::size_t>(
            std::clamp(share->values[i] * kSections, 0.0, kSections - 1.0));
        sum[k] += point(mesh.points, static_cast<Eigen::Index>(i));
        ++count[k];
    }
    std::vector<Vec3> line;
    for (std::size_t k = 0; k < kSections; ++k) {
        if (count[k] > 0) {
            line.push_back(sum[k] / count[k]);
        }
    }
    return line;
}

std::vector<FibreCourse> measure_fibres(const Body& body) {
    const std::vector<std::vector<Entry>> entries = entries_of_muscles(body);
    const std::map<std::string, double> ends = end_to_end_angles(body);
    std::vector<std::optional<double>> angles(body.muscles.size());
    parallel_for(body.muscles.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) {
            const KnownCourse course(body.muscles[m].mesh);
            if (course.is_known()) {
                angles[m] = stroke_angle(body, static_cast<Index>(m), course, entries[m]);
            }
        }
    });
    std::vector<FibreCourse> courses;
    for (std::size_t m = 0; m < angles.size(); ++m) {
        if (angles[m]) {
            const auto found = ends.find(body.muscles[m].name);
            courses.push_back({.muscle = body.muscles[m].name,
                               .stroke_angle = *angles[m],
                               .end_to_end_angle = found == ends.end() ? -1.0 : found->second});
        }
    }
    return courses;
}

}  // namespace sinew::bench
