#include "sinew/body/summary.h"

#include "sinew/geometry/measure.h"

namespace sinew {

namespace {

void add_tissues(const Body& body, BodySummary& s) {
    double fat = 0.0;
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        const double volume = volumes[t];
        s.volume += volume;
        if (body.shares.fraction.empty()) {
            continue;
        }
        const auto row = at(t);
        for (Index e = body.shares.start[row]; e < body.shares.start[row + 1]; ++e) {
            const auto i = at(e);
            const TissueMaterial& material = body.materials[at(body.shares.material[i])];
            const double share = body.shares.fraction[i] * volume;
            s.tissue_volume[at(material.tissue)] += share;
            s.mass += share * material.density;
            if (material.tissue == Tissue::Fat) {
                fat += share * material.density;
            }
        }
    }
    s.body_fat = s.mass > 0.0 ? fat / s.mass : 0.0;
}

}  // namespace

BodySummary summarise(const Body& body) {
    BodySummary s;
    s.name = body.name;
    s.sex = body.sex;
    s.points = at(body.tets.points.rows());
    s.tets = at(body.tets.tets.rows());
    s.skin_vertices = at(body.skin.mesh.points.rows());
    s.skin_triangles = at(body.skin.mesh.triangles.rows());
    const Points& outline =
        body.skin.mesh.points.rows() > 0 ? body.skin.mesh.points : body.tets.points;
    if (outline.rows() > 0) {
        s.low = outline.colwise().minCoeff().transpose();
        s.high = outline.colwise().maxCoeff().transpose();
    }
    s.stature = s.high.y() - s.low.y();
    s.skin_area = surface_area(body.skin.mesh);
    add_tissues(body, s);
    for (const Bone& bone : body.bones) {
        s.bones.push_back(bone.name);
    }
    for (const Muscle& muscle : body.muscles) {
        s.muscles.push_back({.name = muscle.name, .group = muscle.group, .volume = muscle.volume});
    }
    for (const Segment& segment : body.skeleton.segments) {
        s.segments.push_back(
            {.name = segment.name, .group = {}, .mass = segment.mass, .com = segment.com});
    }
    return s;
}

std::vector<double> muscle_volumes_in_tets(const Body& body) {
    std::vector<double> volumes(body.muscles.size(), 0.0);
    if (body.shares.fraction.empty()) {
        return volumes;
    }
    const Eigen::VectorXd tet_volume = tet_volumes(body.tets);
    for (Eigen::Index t = 0; t < body.tets.tets.rows(); ++t) {
        const double volume = tet_volume[t];
        const auto row = at(t);
        for (Index e = body.shares.start[row]; e < body.shares.start[row + 1]; ++e) {
            const auto i = at(e);
            const Tissue tissue = body.materials[at(body.shares.material[i])].tissue;
            if (body.shares.part[i] >= 0 &&
                (tissue == Tissue::Muscle || tissue == Tissue::Tendon)) {
                volumes[at(body.shares.part[i])] += body.shares.fraction[i] * volume;
            }
        }
    }
    return volumes;
}

}  // namespace sinew
