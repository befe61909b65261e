#include "sinew/energy/projective_constraints.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/linalg/dense.h"

#include <algorithm>

namespace sinew {
namespace {

constexpr std::size_t kPiece = 512;  // constraints or vertices per piece of parallel work

}  // namespace

void ProjectiveConstraints::add(std::span<const Index> vertices,
                                std::span<const double> coefficients, double weight) {
    SINEW_ASSERT(coefficients.size() == vertices.size() * static_cast<std::size_t>(rows_),
                 "{} coefficients", coefficients.size());
    vertices_.insert(vertices_.end(), vertices.begin(), vertices.end());
    coefficients_.insert(coefficients_.end(), coefficients.begin(), coefficients.end());
    start_.push_back(vertices_.size());
    weight_.push_back(weight);
    is_finished_ = false;
}

void ProjectiveConstraints::clear() {
    weight_.clear();
    start_.assign(1, 0);
    vertices_.clear();
    coefficients_.clear();
    is_finished_ = false;
}

ProjectiveConstraints::View ProjectiveConstraints::constraint(std::size_t i) const {
    const std::size_t count = start_[i + 1] - start_[i];
    const auto rows = static_cast<std::size_t>(rows_);
    return {{vertices_.data() + start_[i], count},
            {coefficients_.data() + rows * start_[i], rows * count},
            weight_[i]};
}

void ProjectiveConstraints::add_quadratic(Triplets& A) const {
    for (std::size_t i = 0; i < size(); ++i) {
        const View c = constraint(i);
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows_); ++r) {
            A.add_outer(c.vertices,
                        c.coefficients.subspan(r * c.vertices.size(), c.vertices.size()), c.weight);
        }
    }
}

ProjectiveConstraints::Rows ProjectiveConstraints::rows_at(std::size_t i, const Points& x) const {
    const View c = constraint(i);
    Rows q = Rows::Zero();
    for (int r = 0; r < rows_; ++r) {
        for (std::size_t k = 0; k < c.vertices.size(); ++k) {
            q.row(r) += c.coefficients[static_cast<std::size_t>(r) * c.vertices.size() + k] *
                        x.row(c.vertices[k]);
        }
    }
    return q;
}

TermOffers ProjectiveConstraints::offers() const {
    return {.hessian = has_hessian(), .projection = true};
}

bool ProjectiveConstraints::has_hessian() const {
    return false;
}

void ProjectiveConstraints::derivative(std::size_t /*i*/, const Rows& /*q*/,
                                       RowsDerivative& /*D*/) const {
    SINEW_ASSERT(!has_hessian(), "{} constraints have a Hessian without derivatives", size());
}

// Lists, for every vertex, the rows that pull at it.
void ProjectiveConstraints::finish() {
    Index last = -1;
    for (const Index v : vertices_) {
        last = std::max(last, v);
    }
    std::vector<std::size_t> begin(static_cast<std::size_t>(last) + 2, 0);
    for (const Index v : vertices_) {
        begin[static_cast<std::size_t>(v) + 1] += static_cast<std::size_t>(rows_);
    }
    touched_.clear();
    share_start_.assign(1, 0);
    for (std::size_t v = 0; v + 1 < begin.size(); ++v) {
        if (begin[v + 1] > 0) {
            touched_.push_back(static_cast<Index>(v));
            share_start_.push_back(share_start_.back() + begin[v + 1]);
        }
        begin[v + 1] += begin[v];
    }
    shares_.resize(static_cast<std::size_t>(rows_) * vertices_.size());
    const auto rows = static_cast<std::size_t>(rows_);
    for (std::size_t i = 0; i < size(); ++i) {
        const View c = constraint(i);
        for (std::size_t k = 0; k < c.vertices.size(); ++k) {
            for (std::size_t r = 0; r < rows; ++r) {
                shares_[begin[at(c.vertices[k])]++] = {rows * i + r,
                                                       c.coefficients[r * c.vertices.size() + k]};
            }
        }
    }
    is_finished_ = true;
}

double ProjectiveConstraints::add_pulls(const Points& x, double sign, Points& to,
                                        TermScratch& scratch) const {
    SINEW_ASSERT(is_finished_, "{} constraints added without finish()", size());
    // w (p - Q x) of every row, then the energy of every piece.
    const std::size_t rows = static_cast<std::size_t>(rows_) * size();
    const std::size_t pieces = (size() + kPiece - 1) / kPiece;
    const std::span<double> memory = scratch.doubles(3 * rows + pieces);
    double* pull = memory.data();
    double* part_energy = memory.data() + 3 * rows;
    parallel_for(size(), kPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            const Rows q = rows_at(i, x);
            Rows p = q;
            project(i, q, p);
            for (int r = 0; r < rows_; ++r) {
                const Vec3 d = (p.row(r) - q.row(r)).transpose();
                sum += 0.5 * weight_[i] * d.squaredNorm();
                Eigen::Map<Vec3>(pull + 3 * (static_cast<std::size_t>(rows_) * i +
                                             static_cast<std::size_t>(r))) = weight_[i] * d;
            }
        }
        part_energy[begin / kPiece] = sum;
    });
    parallel_for(touched_.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            Vec3 sum = Vec3::Zero();
            for (std::size_t s = share_start_[k]; s < share_start_[k + 1]; ++s) {
                sum += shares_[s].coefficient * Eigen::Map<const Vec3>(pull + 3 * shares_[s].row);
            }
            to.row(touched_[k]) += sign * sum.transpose();
        }
    });
    double energy = 0.0;
    for (std::size_t k = 0; k < pieces; ++k) {
        energy += part_energy[k];
    }
    return energy;
}

double ProjectiveConstraints::add_force(const Points& x, Points& force,
                                        TermScratch& scratch) const {
    return add_pulls(x, 1.0, force, scratch);
}

void ProjectiveConstraints::add_gradient(const Points& x, Points& gradient) const {
    TermScratch scratch;
    add_pulls(x, -1.0, gradient, scratch);
}

void ProjectiveConstraints::add_pattern(BlockPattern& pattern) const {
    for (std::size_t i = 0; i < size(); ++i) {
        pattern.couple(constraint(i).vertices);
    }
}

void ProjectiveConstraints::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    const auto rows = static_cast<std::size_t>(rows_);
    for (std::size_t i = 0; i < size(); ++i) {
        RowsDerivative D = RowsDerivative::Zero();
        derivative(i, rows_at(i, x), D);
        // M = w (I - dp/dq), the second derivative by the rows.
        Eigen::MatrixXd M = weight_[i] * (Eigen::MatrixXd::Identity(3 * rows_, 3 * rows_) -
                                          D.topLeftCorner(3 * rows_, 3 * rows_));
        if (kind == Tangent::PositiveSemidefinite && !D.isZero(0.0)) {
            const SymmetricEigen eigen =
                symmetric_eigen(Eigen::MatrixXd(0.5 * (M + M.transpose())));
            M = eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
        }
        const View c = constraint(i);
        const std::size_t count = c.vertices.size();
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                Mat3 block = Mat3::Zero();
                for (std::size_t r = 0; r < rows; ++r) {
                    for (std::size_t s = 0; s < rows; ++s) {
                        block += c.coefficients[r * count + a] * c.coefficients[s * count + b] *
                                 M.block<3, 3>(static_cast<Eigen::Index>(3 * r),
                                               static_cast<Eigen::Index>(3 * s));
                    }
                }
                H.add(c.vertices[a], c.vertices[b], block);
            }
        }
    }
}

double ProjectiveConstraints::value(const Points& x) const {
    return parallel_reduce(
        size(), kPiece, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0.0;
            for (std::size_t i = begin; i < end; ++i) {
                const Rows q = rows_at(i, x);
                Rows p = q;
                project(i, q, p);
                sum += 0.5 * weight_[i] * (p - q).topRows(rows_).squaredNorm();
            }
            return sum;
        },
        [](double a, double b) { return a + b; });
}

}  // namespace sinew
