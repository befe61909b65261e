#include "sinew/body/body.h"

#include "sinew/base/parallel.h"

namespace sinew {

Points positions_of(const EmbeddedPoints& embedded, const Points& tet_points, const Tets& tets) {
    constexpr std::size_t kPiece = 8192;  // points per piece of parallel work
    Points result(static_cast<Eigen::Index>(embedded.size()), 3);
    parallel_for(embedded.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const auto i = static_cast<Eigen::Index>(p);
            result.row(i).setZero();
            for (int k = 0; k < 4; ++k) {
                result.row(i) += embedded.weights(i, k) * tet_points.row(tets(embedded.tet[p], k));
            }
        }
    });
    return result;
}

Points positions_of(const TetSurface& surface, const Points& tet_points) {
    Points result(static_cast<Eigen::Index>(surface.tet_vertex.size()), 3);
    for (Eigen::Index i = 0; i < result.rows(); ++i) {
        result.row(i) = tet_points.row(surface.tet_vertex[at(i)]);
    }
    return result;
}

State rest_state(const Body& body) {
    return {.positions = body.tets.points};
}

}  // namespace sinew
