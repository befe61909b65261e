#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace sinew {

/// Anderson acceleration of a fixed-point iteration x -> g(x) = x + r(x) [Anderson1965]: of the
/// last m steps, the combination whose residual is smallest by least squares,
///
///   theta = argmin | r_k - sum_j theta_j (r_{j+1} - r_j) |,
///   next  = g_k - sum_j theta_j (g_{j+1} - g_j).
///
/// Whether to accept it is up to the caller. Memory is taken once; the same bits for any thread
/// count.
class Anderson {
public:
    static constexpr int kMaxWindow = 16;

    /// @param window  m, 1 to kMaxWindow
    Anderson(std::size_t values, int window);

    /// Forgets all steps.
    void restart();
    /// Keeps what was learnt from past steps, but does not take the next one as following the last:
    /// for maps that changed a little in between.
    void interrupt();

    /// Takes x_k and r_k, writes the accelerated x_{k+1}; plain g_k as long as there is no past.
    void propose(std::span<const double> x, std::span<const double> r, std::span<double> next);

private:
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxWindow, kMaxWindow>;
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxWindow, 1>;

    std::size_t size_;
    int window_;
    int count_ = 0;  // differences stored
    int next_ = 0;   // column that the next difference goes to
    bool has_last_ = false;
    std::vector<float> dg_, dr_;  // differences, a column each; float, to read half as much
    std::vector<double> last_g_, last_r_;
    Small gram_;                   // dr^T dr
    std::vector<double> partial_;  // dot products of pieces of the vectors
};

}  // namespace sinew
