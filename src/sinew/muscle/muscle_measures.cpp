#include "sinew/muscle/muscle_measures.h"

#include "sinew/geometry/measure.h"

#include <algorithm>
#include <cmath>

// Numbers of a muscle that can be compared with measurements: volume, stretch of belly and tendons
// (means by volume at rest), length along the middle, largest section. The path from origin to
// insertion is cut into 16 bins by the vertices' fraction of the path; centroids of the bins are
// the middle line, volume over length is the section.

namespace sinew {

namespace {

constexpr int kBins = 16;  // along the way from origin to insertion

double share_of_tet(const MuscleVolume& v, Eigen::Index t) {
    double share = 0.0;
    for (int c = 0; c < 4; ++c) {
        share += 0.25 * v.share[at(v.mesh.tets(t, c))];
    }
    return share;
}

int bin_of(double share) {
    return std::clamp(static_cast<int>(share * kBins), 0, kBins - 1);
}

/// Middles of the bins of one muscle, and the volume in each.
struct Middle {
    std::vector<Vec3> centre = std::vector<Vec3>(kBins, Vec3::Zero());
    std::vector<double> volume = std::vector<double>(kBins, 0.0);
};

// The length of the line through the middles of the bins, and the largest section across it.
void measure_along(const Middle& middle, const Vec3& first, const Vec3& last, MuscleState& s) {
    std::vector<Vec3> line = {first};
    std::vector<double> volume = {0.0};
    for (int b = 0; b < kBins; ++b) {
        const auto k = at(b);
        if (middle.volume[k] > 0.0) {
            line.push_back(middle.centre[k] / middle.volume[k]);
            volume.push_back(middle.volume[k]);
        }
    }
    line.push_back(last);
    for (std::size_t i = 1; i < line.size(); ++i) {
        s.length += (line[i] - line[i - 1]).norm();
    }
    // Three bins together: middles of single ones move to and fro by as much as an element. The
    // length that belongs to them ends halfway to the next.
    const auto between = [&](std::size_t i) { return (line[i + 1] - line[i]).norm(); };
    for (std::size_t i = 3; i + 3 < line.size(); ++i) {
        const double along =
            0.5 * between(i - 2) + between(i - 1) + between(i) + 0.5 * between(i + 1);
        if (along > 0.0) {
            s.belly_section =
                std::max(s.belly_section, (volume[i - 1] + volume[i] + volume[i + 1]) / along);
        }
    }
}

Vec3 mean_of(const std::vector<Index>& vertices, Index first, Index last, const Points& x) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (const Index v : vertices) {
        if (v >= first && v < last) {
            sum += point(x, v);
            ++count;
        }
    }
    return count > 0 ? Vec3(sum / count) : sum;
}

}  // namespace

std::vector<MuscleState> measure_muscles(const MuscleScene& scene, const MuscleTets& tets,
                                         const Points& x) {
    const MuscleVolume& v = scene.volume;
    std::vector<MuscleState> states(scene.names.size());
    std::vector<Middle> middle(states.size());
    std::vector<double> rest(states.size(), 0.0), now(states.size(), 0.0);
    std::vector<double> belly(states.size(), 0.0), tendon(states.size(), 0.0);
    std::vector<double> belly_sum(states.size(), 0.0), tendon_sum(states.size(), 0.0);
    const std::vector<MuscleStress> stress = tets.stresses(x);
    const Eigen::VectorXd volumes = tet_volumes(x, v.mesh.tets);
    // One pass over the tetrahedra: volumes, stretches of belly and tendon, middles along the path.
    for (Eigen::Index t = 0; t < v.mesh.tets.rows(); ++t) {
        const auto k = at(t);
        const auto m = static_cast<std::size_t>(v.muscle[k]);
        const double V = tets.elements().volume(t);
        rest[m] += V;
        now[m] += volumes[t];
        states[m].least_volume_ratio = std::min(states[m].least_volume_ratio, volumes[t] / V);
        if (v.tendon[k] < 0.5) {
            belly[m] += V;
            belly_sum[m] += V * stress[k].stretch;
            states[m].max_fibre_stress =
                std::max(states[m].max_fibre_stress, stress[k].fibre_stress);
        } else {
            tendon[m] += V;
            tendon_sum[m] += V * stress[k].stretch;
        }
        const auto b = static_cast<std::size_t>(bin_of(share_of_tet(v, t)));
        Vec3 centre = Vec3::Zero();
        for (int c = 0; c < 4; ++c) {
            centre += 0.25 * point(x, v.mesh.tets(t, c));
        }
        middle[m].centre[b] += volumes[t] * centre;
        middle[m].volume[b] += volumes[t];
    }
    // Sums become means, and middles become lengths.
    for (std::size_t m = 0; m < states.size(); ++m) {
        MuscleState& s = states[m];
        s.name = scene.names[m];
        s.volume_change = now[m] / rest[m] - 1.0;
        s.mean_fibre_stretch = belly[m] > 0.0 ? belly_sum[m] / belly[m] : 1.0;
        s.mean_tendon_stretch = tendon[m] > 0.0 ? tendon_sum[m] / tendon[m] : 1.0;
        const Index first = scene.first_vertex[m];
        const Index last = scene.first_vertex[m + 1];
        measure_along(middle[m], mean_of(v.origin, first, last, x),
                      mean_of(v.insertion, first, last, x), s);
    }
    return states;
}

TetMesh muscle_frame(const MuscleScene& scene, const MuscleTets& tets,
                     std::span<const double> activation, const Points& x) {
    const MuscleVolume& v = scene.volume;
    const auto count = at(v.mesh.tets.rows());
    TetMesh frame{.points = x, .tets = v.mesh.tets};
    Attribute displacement{.name = "displacement", .components = 3, .values = {}, .unit = "m"};
    displacement.values.resize(3 * at(x.rows()));
    const Points moved = x - v.mesh.points;
    std::copy(moved.data(), moved.data() + moved.size(), displacement.values.begin());
    frame.point_data.push_back(std::move(displacement));

    const auto data = [&](const char* name, const char* unit) {
        return Attribute{
            .name = name, .components = 1, .values = std::vector<double>(count), .unit = unit};
    };
    // Names and units of the file's data, as docs/muscle.md lists them.
    Attribute stretch = data("fibre_stretch", "");
    Attribute pull = data("fibre_stress", "Pa");
    Attribute ratio = data("volume_ratio", "");
    Attribute active = data("activation", "");
    Attribute tendon = data("tendon", "");
    Attribute muscle = data("muscle", "");
    Attribute fibre{.name = "fibre", .components = 3, .values = {}};
    const std::vector<MuscleStress> stress = tets.stresses(x);
    const Eigen::VectorXd volumes = tet_volumes(x, v.mesh.tets);
    for (std::size_t t = 0; t < count; ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const Vec3 a =
            (tets.elements().deformation_gradient(x, row) * point(v.fibre, row)).normalized();
        stretch.values[t] = stress[t].stretch;
        pull.values[t] = stress[t].fibre_stress;
        ratio.values[t] = volumes[row] / tets.elements().volume(row);
        active.values[t] = activation[at(v.muscle[t])];
        tendon.values[t] = v.tendon[t];
        muscle.values[t] = v.muscle[t];
        fibre.values.insert(fibre.values.end(), {a.x(), a.y(), a.z()});
    }
    for (Attribute* a : {&stretch, &pull, &ratio, &active, &tendon, &muscle, &fibre}) {
        frame.tet_data.push_back(std::move(*a));
    }
    return frame;
}

}  // namespace sinew
