#include "sinew/energy/fem_quadratic.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

constexpr std::size_t kQuadraticGrain = 256;
constexpr std::size_t kNodes = 10;
constexpr int kMiddleEnds[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

/// Barycentric coordinates of the rule of degree 2: one is a, the others b.
Eigen::Vector4d quadrature_point(int q) {
    constexpr double a = 0.58541019662496845446;
    constexpr double b = 0.13819660112501051518;
    Eigen::Vector4d l = Eigen::Vector4d::Constant(b);
    l[q] = a;
    return l;
}

double volume_of(const QuadraticTets& rest, Eigen::Index t) {
    const Vec3 o = point(rest.points, rest.tets(t, 0));
    Mat3 D;
    D << point(rest.points, rest.tets(t, 1)) - o, point(rest.points, rest.tets(t, 2)) - o,
        point(rest.points, rest.tets(t, 3)) - o;
    return D.determinant() / 6.0;
}

/// Calls add(node, share) for every node of t: the parts of what is spread evenly over it.
template <class Add>
void share_out(const QuadraticTets& rest, Eigen::Index t, double corner, double middle,
               const Add& add) {
    for (int k = 0; k < 10; ++k) {
        add(rest.tets(t, k), k < 4 ? corner : middle);
    }
}

}  // namespace

FemQuadratic::FemQuadratic(const QuadraticTets& rest,
                           std::vector<std::shared_ptr<const Material>> laws,
                           std::vector<int> law_of_tet)
    : tets_(rest.tets), laws_(std::move(laws)), law_of_tet_(std::move(law_of_tet)) {
    const auto count = static_cast<std::size_t>(tets_.rows());
    if (law_of_tet_.size() != count) {
        throw InputError({.where = "elastic term of quadratic tetrahedra",
                          .found = fmt::format("{} law indices", law_of_tet_.size()),
                          .needs = fmt::format("one per tetrahedron, {}", count),
                          .remedy = "give an index for every tetrahedron"});
    }
    volume_.resize(count);
    corner_gradients_.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const int k = law_of_tet_[t];
        volume_[t] = volume_of(rest, row);
        if (k < 0 || at(k) >= laws_.size() || laws_[at(k)] == nullptr || !(volume_[t] > 0.0)) {
            throw InputError(
                {.where = fmt::format("quadratic tetrahedron {}", t),
                 .found = fmt::format("law {} of {}, volume {} m^3", k, laws_.size(), volume_[t]),
                 .needs = "a law that exists and a volume > 0",
                 .remedy = "give every region a material; repair the mesh"});
        }
        const Vec3 o = point(rest.points, tets_(row, 0));
        Mat3 D;
        D << point(rest.points, tets_(row, 1)) - o, point(rest.points, tets_(row, 2)) - o,
            point(rest.points, tets_(row, 3)) - o;
        const Mat3 inverse = D.inverse();
        corner_gradients_[t] << -inverse.colwise().sum(), inverse;
    }
}

// N_a = l_a (2 l_a - 1) of corners, 4 l_a l_b of middles.
FemQuadratic::Gradients FemQuadratic::gradients(Eigen::Index t, int q) const {
    const Eigen::Vector4d l = quadrature_point(q);
    const auto& g = corner_gradients_[at(t)];
    Gradients B;
    for (int a = 0; a < 4; ++a) {
        B.row(a) = (4.0 * l[a] - 1.0) * g.row(a);
    }
    for (int k = 0; k < 6; ++k) {
        const auto [a, b] = std::pair(kMiddleEnds[k][0], kMiddleEnds[k][1]);
        B.row(4 + k) = 4.0 * (l[a] * g.row(b) + l[b] * g.row(a));
    }
    return B;
}

Mat3 FemQuadratic::deformation_gradient(const Points& x, Eigen::Index t, int q) const {
    const Gradients B = gradients(t, q);
    Mat3 F = Mat3::Zero();
    for (int a = 0; a < 10; ++a) {
        F.noalias() += point(x, tets_(t, a)) * B.row(a);
    }
    return F;
}

double FemQuadratic::value(const Points& x) const {
    const auto sum_of = [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            for (int q = 0; q < kPoints; ++q) {
                sum += 0.25 * volume_[k] * law(t).energy(deformation_gradient(x, t, q));
            }
        }
        return sum;
    };
    return parallel_reduce(volume_.size(), kQuadraticGrain, 0.0, sum_of,
                           [](double a, double b) { return a + b; });
}

void FemQuadratic::add_gradient(const Points& x, Points& gradient) const {
    std::vector<Gradients> forces(volume_.size());
    parallel_for(forces.size(), kQuadraticGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            forces[k].setZero();
            for (int q = 0; q < kPoints; ++q) {
                const Mat3 P = law(t).stress(deformation_gradient(x, t, q));
                forces[k].noalias() += 0.25 * volume_[k] * gradients(t, q) * P.transpose();
            }
        }
    });
    for (Eigen::Index t = 0; t < tets_.rows(); ++t) {
        for (int a = 0; a < 10; ++a) {
            gradient.row(tets_(t, a)) += forces[at(t)].row(a);
        }
    }
}

void FemQuadratic::add_pattern(BlockPattern& pattern) const {
    for (Eigen::Index t = 0; t < tets_.rows(); ++t) {
        pattern.couple({&tets_(t, 0), kNodes});
    }
}

void FemQuadratic::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    struct Element {
        Eigen::Matrix<double, 30, 30> matrix;
        std::array<std::size_t, 55> slot;
    };
    // Elements of a batch in parallel, then added in their order: the same bits on any threads.
    constexpr std::size_t kBatch = 1024;
    std::vector<Element> batch(std::min(kBatch, volume_.size()));
    for (std::size_t first = 0; first < volume_.size(); first += kBatch) {
        const std::size_t size = std::min(kBatch, volume_.size() - first);
        parallel_for(size, 32, [&](std::size_t begin, std::size_t end) {
            for (std::size_t e = begin; e < end; ++e) {
                const auto t = static_cast<Eigen::Index>(first + e);
                Element& element = batch[e];
                element.matrix.setZero();
                for (int q = 0; q < kPoints; ++q) {
                    const Gradients B = gradients(t, q);
                    const Mat9 C = 0.25 * volume_[first + e] *
                                   law(t).tangent(deformation_gradient(x, t, q), kind);
                    // dF = sum_a dx_a B_a: columns of dF by node
                    Eigen::Matrix<double, 9, 30> D = Eigen::Matrix<double, 9, 30>::Zero();
                    for (int a = 0; a < 10; ++a) {
                        for (int c = 0; c < 3; ++c) {
                            D.block<3, 3>(3 * c, 3 * a).diagonal().setConstant(B(a, c));
                        }
                    }
                    const Eigen::Matrix<double, 9, 30> CD = C * D;
                    element.matrix.noalias() += D.transpose() * CD;
                }
                std::size_t next = 0;
                for (int a = 0; a < 10; ++a) {
                    for (int b = 0; b <= a; ++b) {
                        element.slot[next++] = H.slot(std::max(tets_(t, a), tets_(t, b)),
                                                      std::min(tets_(t, a), tets_(t, b)));
                    }
                }
            }
        });
        for (std::size_t e = 0; e < size; ++e) {
            const auto t = static_cast<Eigen::Index>(first + e);
            std::size_t next = 0;
            for (int a = 0; a < 10; ++a) {
                for (int b = 0; b <= a; ++b) {
                    const bool is_low = tets_(t, a) >= tets_(t, b);
                    H.block(batch[e].slot[next++]) +=
                        batch[e].matrix.block<3, 3>(3 * (is_low ? a : b), 3 * (is_low ? b : a));
                }
            }
        }
    }
}

std::vector<FemQuadratic::State> FemQuadratic::states(const Points& x) const {
    std::vector<State> states(volume_.size());
    parallel_for(states.size(), kQuadraticGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<Eigen::Index>(k);
            State& s = states[k];
            s.volume_ratio = 0.0;
            s.least_ratio = std::numeric_limits<double>::infinity();
            for (int q = 0; q < kPoints; ++q) {
                const Mat3 F = deformation_gradient(x, t, q);
                const double J = F.determinant();
                s.cauchy += 0.25 / J * law(t).stress(F) * F.transpose();
                s.volume_ratio += 0.25 * J;
                s.least_ratio = std::min(s.least_ratio, J);
            }
        }
    });
    return states;
}

Points quadratic_body_forces(const QuadraticTets& rest, const Points& force_density) {
    Points forces = Points::Zero(rest.points.rows(), 3);
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const double V = volume_of(rest, t);
        share_out(rest, t, -0.05 * V, 0.2 * V,
                  [&](Index v, double share) { forces.row(v) += share * force_density.row(t); });
    }
    return forces;
}

std::vector<double> quadratic_masses(const QuadraticTets& rest, std::span<const double> density) {
    std::vector<double> masses(static_cast<std::size_t>(rest.points.rows()), 0.0);
    for (Eigen::Index t = 0; t < rest.tets.rows(); ++t) {
        const double m = density[at(t)] * volume_of(rest, t);
        share_out(rest, t, m / 36.0, 4.0 * m / 27.0,
                  [&](Index v, double share) { masses[at(v)] += share; });
    }
    return masses;
}

}  // namespace sinew
