#include "sinew/fit/average_body.h"

#include "sinew/base/error.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/rest_shape.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/inversions.h"

#include <fmt/format.h>

#include <functional>

// The mean of people with one topology: positions are averaged, fractions as volumes, strengths as
// numbers; all that follows from these is made anew. Means of positions may invert tetrahedra where
// poses differ, and these are mended and counted.

namespace sinew {

namespace {

bool has_same_tets(const Body& a, const Body& b) {
    return a.tets.points.rows() == b.tets.points.rows() &&
           a.tets.tets.rows() == b.tets.tets.rows() && a.tets.tets == b.tets.tets;
}

// What people must share for their means to be a person, by name for messages.
std::string difference(const Body& a, const Body& b) {
    const auto differ = [](const auto& x, const auto& y, const auto& same) {
        bool is_same = x.size() == y.size();
        for (std::size_t i = 0; is_same && i < x.size(); ++i) {
            is_same = same(x[i], y[i]);
        }
        return !is_same;
    };
    if (!has_same_tets(a, b)) {
        return "tetrahedra";
    }
    if (differ(a.bones, b.bones, [](const Bone& x, const Bone& y) {
            return x.name == y.name && x.mesh.points.rows() == y.mesh.points.rows();
        })) {
        return "bones";
    }
    if (differ(a.muscles, b.muscles,
               [](const Muscle& x, const Muscle& y) { return x.name == y.name; })) {
        return "muscles";
    }
    if (differ(a.materials, b.materials, [](const TissueMaterial& x, const TissueMaterial& y) {
            return x.tissue == y.tissue && x.density == y.density;
        })) {
        return "materials";
    }
    if (differ(a.skeleton.joints, b.skeleton.joints,
               [](const Joint& x, const Joint& y) { return x.name == y.name; })) {
        return "joints";
    }
    if (a.attachments.points.size() != b.attachments.points.size()) {
        return "attachments";
    }
    return {};
}

void require_one_topology(std::span<const Body> people) {
    if (people.size() < 2) {
        throw InputError({.where = "people to average",
                          .found = fmt::format("{}", people.size()),
                          .needs = "two or more",
                          .remedy = "name several bodies"});
    }
    for (const Body& person : people) {
        const std::string other = difference(people.front(), person);
        if (!other.empty() || person.tets.tets.rows() == 0) {
            throw InputError({.where = fmt::format("people to average: '{}'", person.name),
                              .found = other.empty() ? "no tetrahedra"
                                                     : fmt::format("other {} than those of '{}'",
                                                                   other, people.front().name),
                              .needs = "bodies that were fitted with, or grown from, one template",
                              .remedy = "fit them all with the same sex, resolution and version"});
        }
    }
}

Points mean_of(std::span<const Body> people, const std::function<Points(const Body&)>& points_of) {
    Points mean = points_of(people.front());
    for (std::size_t i = 1; i < people.size(); ++i) {
        mean += points_of(people[i]);
    }
    return mean / static_cast<double>(people.size());
}

MovedBones mean_bones(std::span<const Body> people) {
    MovedBones mean;
    for (std::size_t b = 0; b < people.front().bones.size(); ++b) {
        mean.bones.push_back(
            mean_of(people, [b](const Body& body) { return body.bones[b].mesh.points; }));
    }
    mean.attachments = mean_of(people, [](const Body& body) {
        return positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    });
    for (std::size_t j = 0; j < people.front().skeleton.joints.size(); ++j) {
        Vec3 centre = Vec3::Zero();
        for (const Body& person : people) {
            centre += person.skeleton.joints[j].centre / static_cast<double>(people.size());
        }
        mean.joints.push_back(centre);
    }
    return mean;
}

// Per tetrahedron the volumes of what people have there, over their sum. A part that one person
// has and another lacks keeps its place behind those of the first.
TissueShares mean_shares(std::span<const Body> people) {
    std::vector<Eigen::VectorXd> volumes;
    for (const Body& person : people) {
        volumes.push_back(tet_volumes(person.tets));
    }
    TissueShares mean;
    const Eigen::Index count = people.front().tets.tets.rows();
    for (Eigen::Index t = 0; t < count; ++t) {
        const std::size_t first = mean.material.size();
        double all = 0.0;
        for (std::size_t p = 0; p < people.size(); ++p) {
            const TissueShares& shares = people[p].shares;
            all += volumes[p][t];
            for (Index e = shares.start[at(t)]; e < shares.start[at(t) + 1]; ++e) {
                std::size_t k = first;
                while (k < mean.material.size() && (mean.material[k] != shares.material[at(e)] ||
                                                    mean.part[k] != shares.part[at(e)])) {
                    ++k;
                }
                if (k == mean.material.size()) {
                    mean.material.push_back(shares.material[at(e)]);
                    mean.part.push_back(shares.part[at(e)]);
                    mean.fraction.push_back(0.0);
                }
                mean.fraction[k] += shares.fraction[at(e)] * volumes[p][t];
            }
        }
        for (std::size_t k = first; k < mean.fraction.size(); ++k) {
            mean.fraction[k] /= all;
        }
        mean.start.push_back(static_cast<Index>(mean.material.size()));
    }
    return mean;
}

// Maps that all have, by name.
std::vector<Attribute> mean_maps(std::span<const Body> people) {
    std::vector<Attribute> means;
    for (Attribute map : people.front().maps) {
        bool is_everywhere = true;
        for (std::size_t p = 1; p < people.size(); ++p) {
            const Attribute* other = find_attribute(people[p].maps, map.name);
            is_everywhere =
                is_everywhere && other != nullptr && other->values.size() == map.values.size();
            for (std::size_t i = 0; is_everywhere && i < map.values.size(); ++i) {
                map.values[i] += other->values[i];
            }
        }
        if (is_everywhere) {
            for (double& value : map.values) {
                value /= static_cast<double>(people.size());
            }
            means.push_back(std::move(map));
        }
    }
    return means;
}

}  // namespace

AverageBody average_body(std::span<const Body> people) {
    require_one_topology(people);
    const Body& first = people.front();
    const MendedInversions mended = mend_inversions(
        first.tets, mean_of(people, [](const Body& body) { return body.tets.points; }), {},
        first.skin.tet_vertex);
    AverageBody result{.body = with_rest_shape(first, mended.x, mean_bones(people)),
                       .inverted_before = mended.before,
                       .inverted_tets = mended.after};
    Body& body = result.body;
    body.shares = mean_shares(people);
    body.maps = mean_maps(people);
    for (std::size_t m = 0; m < body.muscles.size(); ++m) {
        double fmax = 0.0;
        for (const Body& person : people) {
            fmax += person.muscles[m].fmax / static_cast<double>(people.size());
        }
        body.muscles[m].fmax = fmax;
    }
    fit_muscle_meshes(first, body);
    for (const Body& person : people) {
        body.sex = person.sex == body.sex ? body.sex : Sex::Unknown;
    }
    body.name = fmt::format("mean_of_{}", people.size());
    body.provenance.inputs.clear();
    body.provenance.notes = {fmt::format("mean of {} people", people.size())};
    return result;
}

}  // namespace sinew
