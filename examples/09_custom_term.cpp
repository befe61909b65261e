// An energy term of one's own, for both solvers: vertices are drawn to the surface of a ball.
#include "sinew/base/error.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/tetrahedralise.h"
#include "sinew/solver/local_global.h"
#include "sinew/solver/newton.h"

#include <algorithm>
#include <cstdio>

using namespace sinew;

namespace {

///   E(x) = sum_i w/2 |x_i - p_i|^2,   p_i = c + r n_i,   n_i = (x_i - c) / |x_i - c|
///
/// p_i is the point of the sphere nearest to x_i, so that the term is a projection. Its Hessian is
///   w (n n^T + (1 - r / |x - c|) (I - n n^T))
class OntoBall final : public EnergyTerm {
public:
    OntoBall(std::vector<Index> vertices, double radius, double weight)
        : vertices_(std::move(vertices)), radius_(radius), weight_(weight) {}

    TermOffers offers() const override {
        return {.hessian = true, .projection = true};
    }
    double value(const Points& x) const override {
        double sum = 0.0;
        for (const Index v : vertices_) {
            const double gap = x.row(v).norm() - radius_;
            sum += 0.5 * weight_ * gap * gap;
        }
        return sum;
    }
    void add_gradient(const Points& x, Points& gradient) const override {
        for (const Index v : vertices_) {
            gradient.row(v) += weight_ * (x.row(v) - radius_ * x.row(v).normalized());
        }
    }
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override {
        for (const Index v : vertices_) {
            const Vec3 n = point(x, v).normalized();
            double across = 1.0 - radius_ / x.row(v).norm();
            across = kind == Tangent::PositiveSemidefinite ? std::max(across, 0.0) : across;
            const Mat3 along = n * n.transpose();
            H.add(v, v, weight_ * (along + across * (Mat3::Identity() - along)));
        }
    }
    // The quadratic part of the projection; forces follow from the gradient.
    void add_quadratic(Triplets& A) const override {
        for (const Index v : vertices_) {
            A.add(v, v, weight_);
        }
    }

private:
    std::vector<Index> vertices_;
    double radius_;
    double weight_;
};

TriangleMesh box_surface() {
    const auto distance = [](const Points& at, Eigen::VectorXd& d) {
        d = at.rowwise().lpNorm<Eigen::Infinity>().array() - 0.05;
    };
    const Bounds box{.low = Vec3::Constant(-0.07), .high = Vec3::Constant(0.07)};
    return LevelSet::from_function(distance, box, {.voxel = 0.01}).to_mesh();
}

}  // namespace

int main() try {
    // A cube of soft matter; its surface is drawn outward to a ball.
    const TriangleMesh surface = box_surface();
    const TetMesh cube = tetrahedralise({surface});
    std::vector<Index> skin(static_cast<std::size_t>(surface.points.rows()));
    for (std::size_t i = 0; i < skin.size(); ++i) {
        skin[i] = static_cast<Index>(i);  // the surface's points come first
    }
    const std::vector<double> soft(static_cast<std::size_t>(cube.tets.rows()), 1e3);
    const EnergyTerms terms = {std::make_shared<ProjectiveTets>(cube, soft, soft),
                               std::make_shared<OntoBall>(skin, 0.08, 50.0)};

    // The same list of terms in both solvers: they must agree.
    Points x = cube.points;
    LocalGlobal projective(x.rows(), terms);
    const LocalGlobalReport report =
        projective.minimise(x, {.max_iterations = 2000, .tolerance = 1e-7});
    const NewtonResult newton = minimise(terms, {}, cube.points);
    const double radius = newton.x.topRows(surface.points.rows()).rowwise().norm().mean();
    std::printf(
        "local/global: %d iterations, Newton: %d; they differ by %.1e m; mean radius %.1f mm\n",
        report.iterations, newton.report.iterations, (newton.x - x).rowwise().norm().maxCoeff(),
        1e3 * radius);
    return (newton.x - x).rowwise().norm().maxCoeff() < 1e-4 ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
