#include "sinew/body/body.h"

namespace sinew {

Points positions_of(const EmbeddedPoints& embedded, const Points& tet_points, const Tets& tets) {
    Points result(static_cast<Eigen::Index>(embedded.size()), 3);
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
        const Index t = embedded.tet[static_cast<std::size_t>(i)];
        result.row(i).setZero();
        for (int k = 0; k < 4; ++k) {
            result.row(i) += embedded.weights(i, k) * tet_points.row(tets(t, k));
        }
    }
    return result;
}

}  // namespace sinew
