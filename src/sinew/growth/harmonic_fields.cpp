#include "sinew/growth/harmonic_fields.h"

#include "sinew/base/error.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"

// Fields u in the flesh of least weighted Dirichlet energy,
//
//   min  sum_t w_t V_t |grad u|^2  +  h sum_k |u(s_k) - b_k|^2
//
// with values given at some vertices exactly and at the samples s_k of bones by springs of
// stiffness h. The matrix is factorised once and serves scalars, weights and displacements, three
// columns at a time. The transposed map is what derivatives of masses need (person_shape.cpp).
//
// Samples lie inside tetrahedra and cannot be fixed as vertices can; springs ten times as stiff as
// the mean of the diagonal hold them well enough, and weights that are made with them are
// normalised afterwards.

namespace sinew {

HarmonicField::HarmonicField(const Body& body, const Eigen::VectorXd& weights,
                             std::vector<Index> given)
    : points_(body.tets.points.rows()), given_(std::move(given)) {
    // A = G^T diag(w V) G, and the samples of bones on its diagonal blocks.
    const Eigen::SparseMatrix<double> G = gradient_operator(body.tets.points, body.tets.tets);
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    Eigen::VectorXd per_row(G.rows());
    for (Eigen::Index t = 0; t < volumes.size(); ++t) {
        per_row.segment<3>(3 * t).setConstant(weights[t] * volumes[t]);
    }
    const Eigen::SparseMatrix<double> A = G.transpose() * per_row.asDiagonal() * G;
    constexpr double kHold = 10.0;  // against the mean entry of the diagonal
    const double hold = kHold * Eigen::VectorXd(A.diagonal()).mean();

    std::vector<int> number(at(points_), -1);
    std::vector<char> is_given(at(points_), 0);
    std::vector<int> given_number(at(points_), -1);
    for (std::size_t i = 0; i < given_.size(); ++i) {
        is_given[at(given_[i])] = 1;
        given_number[at(given_[i])] = static_cast<int>(i);
    }
    for (Eigen::Index v = 0; v < points_; ++v) {
        if (is_given[at(v)] == 0) {
            number[at(v)] = static_cast<int>(free_.size());
            free_.push_back(static_cast<Index>(v));
        }
    }
    Triplets triplets(static_cast<int>(free_.size()));
    std::vector<Eigen::Triplet<double>> to_given;
    std::vector<Eigen::Triplet<double>> to_bones;
    // Columns of given vertices go to the right-hand side; only the lower triangle is stored.
    const auto add = [&](Eigen::Index i, Eigen::Index j, double value) {
        if (number[at(i)] < 0) {
            return;
        }
        if (number[at(j)] < 0) {
            to_given.emplace_back(number[at(i)], given_number[at(j)], value);
        } else if (j <= i) {
            triplets.add(number[at(i)], number[at(j)], value);
        }
    };
    for (Eigen::Index c = 0; c < A.outerSize(); ++c) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(A, c); it; ++it) {
            add(it.row(), it.col(), it.value());
        }
    }
    const EmbeddedPoints& samples = body.attachments.points;
    for (std::size_t k = 0; k < samples.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        for (int a = 0; a < 4; ++a) {
            const Index i = body.tets.tets(samples.tet[k], a);
            const double wa = samples.weights(row, a);
            if (number[at(i)] >= 0) {
                to_bones.emplace_back(number[at(i)], static_cast<int>(k), hold * wa);
            }
            for (int b = 0; b < 4; ++b) {
                add(i, body.tets.tets(samples.tet[k], b), hold * wa * samples.weights(row, b));
            }
        }
    }
    free_given_.resize(static_cast<Eigen::Index>(free_.size()),
                       static_cast<Eigen::Index>(given_.size()));
    free_given_.setFromTriplets(to_given.begin(), to_given.end());
    free_bones_.resize(static_cast<Eigen::Index>(free_.size()),
                       static_cast<Eigen::Index>(samples.size()));
    free_bones_.setFromTriplets(to_bones.begin(), to_bones.end());
    const SparseSymmetric matrix = assemble(triplets);
    factor_.emplace(matrix, CholeskyOptions{.store_double = true});
    const FactorResult done = factor_->factor(matrix);
    if (!done.is_positive_definite) {
        throw InputError({.where = "fields in body '" + body.name + "'",
                          .found = "tetrahedra that no bone and no skin holds",
                          .needs = "a body in one piece",
                          .remedy = "'sinew check' says what is wrong with it"});
    }
}

void HarmonicField::solve(Eigen::MatrixXd& rhs) const {
    auto workspace = factor_->make_workspace();
    std::vector<double> b(3 * free_.size(), 0.0);
    for (Eigen::Index first = 0; first < rhs.cols(); first += 3) {
        const Eigen::Index count = std::min<Eigen::Index>(3, rhs.cols() - first);
        for (std::size_t i = 0; i < free_.size(); ++i) {
            for (Eigen::Index k = 0; k < 3; ++k) {
                b[3 * i + at(k)] = k < count ? rhs(static_cast<Eigen::Index>(i), first + k) : 0.0;
            }
        }
        factor_->solve(b, 3, b, workspace);
        for (std::size_t i = 0; i < free_.size(); ++i) {
            for (Eigen::Index k = 0; k < count; ++k) {
                rhs(static_cast<Eigen::Index>(i), first + k) = b[3 * i + at(k)];
            }
        }
    }
}

Eigen::MatrixXd HarmonicField::values(const Eigen::MatrixXd& at_given,
                                      const Eigen::MatrixXd& at_bones) const {
    const Eigen::Index columns = std::max(at_given.cols(), at_bones.cols());
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(free_.size()), columns);
    if (!given_.empty()) {
        x -= free_given_ * at_given;
    }
    if (at_bones.rows() > 0) {
        x += free_bones_ * at_bones;
    }
    solve(x);
    Eigen::MatrixXd result(points_, columns);
    for (std::size_t i = 0; i < free_.size(); ++i) {
        result.row(free_[i]) = x.row(static_cast<Eigen::Index>(i));
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
        result.row(given_[i]) = at_given.row(static_cast<Eigen::Index>(i));
    }
    return result;
}

Points HarmonicField::displacement(const Points& at_given) const {
    return values(at_given, Eigen::MatrixXd(0, 3));
}

// d = [I; -A_ff^-1 A_fg] g, so that its transpose is g_given - A_fg^T A_ff^-1 g_free.
Points HarmonicField::transposed(const Points& at_all) const {
    Eigen::MatrixXd x(static_cast<Eigen::Index>(free_.size()), 3);
    for (std::size_t i = 0; i < free_.size(); ++i) {
        x.row(static_cast<Eigen::Index>(i)) = at_all.row(free_[i]);
    }
    solve(x);
    Points result = -(free_given_.transpose() * x);
    for (std::size_t i = 0; i < given_.size(); ++i) {
        result.row(static_cast<Eigen::Index>(i)) += at_all.row(given_[i]);
    }
    return result;
}

}  // namespace sinew
