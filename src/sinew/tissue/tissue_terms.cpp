#include "sinew/tissue/tissue_terms.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <array>

namespace sinew {

namespace {

void require_flesh(const Body& body) {
    if (body.tets.tets.rows() == 0 || body.shares.start.size() != at(body.tets.tets.rows()) + 1) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = fmt::format("{} tetrahedra with {} lists of tissues",
                                               body.tets.tets.rows(), body.shares.start.size() - 1),
                          .needs = "tetrahedra that know what they are made of",
                          .remedy = "make the body with 'sinew build'"});
    }
}

/// sum over shares of fraction * value(material), one per tetrahedron.
template <class Value>
std::vector<double> blend(const Body& body, Value&& value) {
    require_flesh(body);
    std::vector<double> per_material;
    for (const TissueMaterial& material : body.materials) {
        per_material.push_back(value(material));
    }
    const TissueShares& s = body.shares;
    std::vector<double> result(s.start.size() - 1, 0.0);
    for (std::size_t t = 0; t < result.size(); ++t) {
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            result[t] += s.fraction[at(e)] * per_material[at(s.material[at(e)])];
        }
    }
    return result;
}

}  // namespace

TetWeights blended_weights(const Body& body, const TissueStiffness& stiffness) {
    check_ranges(stiffness, "tissue stiffness");
    std::array<double, kTissueCount> w_rot = {};
    w_rot[at(Tissue::Generic)] = stiffness.generic;
    w_rot[at(Tissue::Muscle)] = stiffness.muscle;
    w_rot[at(Tissue::Fat)] = stiffness.fat;
    w_rot[at(Tissue::Bone)] = stiffness.bone;
    w_rot[at(Tissue::Tendon)] = stiffness.tendon;
    // The paper's energies lack the factor 1/2, so its weights count twice here.
    const double scale = 2.0 * stiffness.unit;
    TetWeights weights;
    weights.rotation =
        blend(body, [&](const TissueMaterial& m) { return scale * w_rot[at(m.tissue)]; });
    weights.volume.assign(weights.rotation.size(), scale * stiffness.volume);
    return weights;
}

std::shared_ptr<ProjectiveTets> make_tet_term(const Body& body, const TissueStiffness& stiffness) {
    const TetWeights weights = blended_weights(body, stiffness);
    return std::make_shared<ProjectiveTets>(body.tets, weights.rotation, weights.volume);
}

std::shared_ptr<Pins> make_attachment_term(const Body& body, const TissueStiffness& stiffness) {
    const EmbeddedPoints& points = body.attachments.points;
    Tets corners(static_cast<Eigen::Index>(points.size()), 4);
    for (std::size_t i = 0; i < points.size(); ++i) {
        corners.row(static_cast<Eigen::Index>(i)) = body.tets.tets.row(points.tet[i]);
    }
    const std::vector<double> weights(points.size(), 2.0 * stiffness.unit * stiffness.springs);
    return std::make_shared<Pins>(corners, points.weights,
                                  positions_of(points, body.tets.points, body.tets.tets), weights);
}

std::vector<double> densities_of_tets(const Body& body) {
    return blend(body, [](const TissueMaterial& m) { return m.density; });
}

std::vector<double> tissue_share_of_tets(const Body& body, Tissue tissue) {
    return blend(body, [&](const TissueMaterial& m) { return m.tissue == tissue ? 1.0 : 0.0; });
}

}  // namespace sinew
