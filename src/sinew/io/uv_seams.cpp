#include "sinew/io/uv_seams.h"

#include <array>
#include <map>

namespace sinew {

std::optional<SeamPoints> seam_points(const TriangleMesh& mesh) {
    const Attribute* corners = find_attribute(mesh.triangle_data, kCornerUv);
    if (corners == nullptr || corners->components != 6 ||
        corners->count() != at(mesh.triangles.rows())) {
        return std::nullopt;
    }
    const std::size_t own = at(mesh.points.rows());
    SeamPoints seams{.triangles = mesh.triangles, .uv = std::vector<double>(2 * own, 0.0)};
    std::vector<char> is_known(own, 0);
    std::map<std::array<double, 3>, Index> number;  // of a point again, by point and coordinates
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (Eigen::Index k = 0; k < 3; ++k) {
            const Index v = mesh.triangles(t, k);
            const double* uv = corners->values.data() + 6 * t + 2 * k;
            if (is_known[at(v)] == 0) {
                is_known[at(v)] = 1;
                seams.uv[2 * at(v)] = uv[0];
                seams.uv[2 * at(v) + 1] = uv[1];
            } else if (seams.uv[2 * at(v)] != uv[0] || seams.uv[2 * at(v) + 1] != uv[1]) {
                const auto [found, is_new] =
                    number.try_emplace({static_cast<double>(v), uv[0], uv[1]},
                                       static_cast<Index>(own + seams.again.size()));
                if (is_new) {
                    seams.again.push_back(v);
                    seams.uv.insert(seams.uv.end(), {uv[0], uv[1]});
                }
                seams.triangles(t, k) = found->second;
            }
        }
    }
    return seams;
}

}  // namespace sinew
