#include "sinew/energy/projective_constraints.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

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
    is_indexed_ = false;
}

void ProjectiveConstraints::clear() {
    weight_.clear();
    start_.assign(1, 0);
    vertices_.clear();
    coefficients_.clear();
    is_indexed_ = false;
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

// Lists, for every vertex, the rows that pull at it.
void ProjectiveConstraints::index_vertices() {
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
                shares_[begin[static_cast<std::size_t>(c.vertices[k])]++] = {
                    rows * i + r, c.coefficients[r * c.vertices.size() + k]};
            }
        }
    }
    pull_.resize(rows * size());
    part_energy_.resize((size() + kPiece - 1) / kPiece);
    is_indexed_ = true;
}

double ProjectiveConstraints::add_force(const Points& x, Points& force) {
    if (!is_indexed_) {
        index_vertices();
    }
    parallel_for(size(), kPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            const Rows q = rows_at(i, x);
            Rows p = q;
            project(i, q, p);
            for (int r = 0; r < rows_; ++r) {
                const Vec3 d = (p.row(r) - q.row(r)).transpose();
                sum += 0.5 * weight_[i] * d.squaredNorm();
                pull_[static_cast<std::size_t>(rows_) * i + static_cast<std::size_t>(r)] =
                    weight_[i] * d;
            }
        }
        part_energy_[begin / kPiece] = sum;
    });
    parallel_for(touched_.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            Vec3 sum = Vec3::Zero();
            for (std::size_t s = share_start_[k]; s < share_start_[k + 1]; ++s) {
                sum += shares_[s].coefficient * pull_[shares_[s].row];
            }
            force.row(touched_[k]) += sum.transpose();
        }
    });
    double energy = 0.0;
    for (const double part : part_energy_) {
        energy += part;
    }
    return energy;
}

double ProjectiveConstraints::energy(const Points& x) const {
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
