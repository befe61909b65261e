#include "sinew/solver/anderson.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace sinew {
namespace {

constexpr std::size_t kAndersonPiece = 8192;
using Piece = Eigen::Map<const Eigen::VectorXf>;

}  // namespace

Anderson::Anderson(std::size_t values, int window)
    : size_(values),
      window_(window),
      dg_(values * static_cast<std::size_t>(window)),
      dr_(values * static_cast<std::size_t>(window)),
      last_g_(values),
      last_r_(values),
      gram_(Small::Zero(window, window)),
      partial_((values + kAndersonPiece - 1) / kAndersonPiece * 2 *
               static_cast<std::size_t>(window)) {
    SINEW_ASSERT(window >= 1 && window <= kMaxWindow, "window {}", window);
}

void Anderson::restart() {
    count_ = 0;
    next_ = 0;
    has_last_ = false;
}

void Anderson::interrupt() {
    has_last_ = false;
}

void Anderson::propose(std::span<const double> x, std::span<const double> r,
                       std::span<double> next) {
    const int newest = next_;
    if (has_last_) {
        count_ = std::min(count_ + 1, window_);
        next_ = (next_ + 1) % window_;
    }
    // One pass: the newest differences, their products with all others, and those of r with all.
    const auto m = static_cast<std::size_t>(window_);
    const bool has_past = has_last_;
    const int columns = count_;
    parallel_for(size_, kAndersonPiece, [&](std::size_t begin, std::size_t end) {
        double* dots = partial_.data() + begin / kAndersonPiece * 2 * m;
        std::fill_n(dots, 2 * m, 0.0);
        const std::size_t offset = static_cast<std::size_t>(newest) * size_;
        for (std::size_t i = begin; i < end; ++i) {
            const double g = x[i] + r[i];
            if (has_past) {
                dg_[offset + i] = static_cast<float>(g - last_g_[i]);
                dr_[offset + i] = static_cast<float>(r[i] - last_r_[i]);
            }
            last_g_[i] = g;
            last_r_[i] = r[i];
        }
        for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) {
            const auto count = static_cast<Eigen::Index>(end - begin);
            const auto d = Piece(dr_.data() + j * size_ + begin, count).cast<double>();
            dots[j] = d.dot(Piece(dr_.data() + offset + begin, count).cast<double>());
            dots[m + j] = d.dot(Eigen::Map<const Eigen::VectorXd>(r.data() + begin, count));
        }
    });
    has_last_ = true;
    SmallVector theta = SmallVector::Zero(columns);
    if (columns > 0) {
        SmallVector with_newest = SmallVector::Zero(columns);
        SmallVector with_r = SmallVector::Zero(columns);
        for (std::size_t p = 0; p < partial_.size(); p += 2 * m) {
            for (int j = 0; j < columns; ++j) {
                with_newest[j] += partial_[p + static_cast<std::size_t>(j)];
                with_r[j] += partial_[p + m + static_cast<std::size_t>(j)];
            }
        }
        for (int j = 0; j < columns; ++j) {
            gram_(newest, j) = gram_(j, newest) = with_newest[j];
        }
        Small normal = gram_.topLeftCorner(columns, columns);
        // Nearly parallel differences: a touch of the largest diagonal keeps theta bounded.
        constexpr double kTouch = 1e-10;
        normal.diagonal().array() += kTouch * normal.diagonal().maxCoeff() + 1e-300;
        const Eigen::LDLT<Small> solver(normal);
        theta = solver.solve(with_r);
        if (!theta.allFinite()) {
            theta.setZero();
        }
    }
    parallel_for(size_, kAndersonPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            next[i] = last_g_[i];
        }
        for (int j = 0; j < columns; ++j) {
            const double t = theta[j];
            const float* from = dg_.data() + static_cast<std::size_t>(j) * size_;
            for (std::size_t i = begin; i < end; ++i) {
                next[i] -= t * static_cast<double>(from[i]);
            }
        }
    });
}

}  // namespace sinew
