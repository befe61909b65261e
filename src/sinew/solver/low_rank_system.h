#pragma once

#include "sinew/energy/projective_constraints.h"
#include "sinew/linalg/cholesky.h"

#include <Eigen/Cholesky>

#include <optional>
#include <span>
#include <vector>

namespace sinew {

/// How a system with some constraints more than the factorised one is solved.
enum class ChangingMethod {
    Automatic,          ///< the cheapest of the others, by `cheapest_method`
    Woodbury,           ///< exact; a third of a solve per row at each change, two per solution
    SecondMatrix,       ///< exact; a new factor at each change, one solve per solution
    ConjugateGradient,  ///< matrix-free, the factor as preconditioner; no cost at a change
};

/// The method that takes the least time for `solves` solutions between two changes of `rows` rows.
/// The costs are those measured by `sinew bench changing`, in solves with the kept factor.
ChangingMethod cheapest_method(std::size_t rows, int solves);

/// Solves (A + C^T W C) d = f with a factor of A, where C changes often: contacts that come and go.
class LowRankSystem {
public:
    /// @param A       of all free unknowns; must outlive this object, as must the factor
    /// @param number  of each vertex among the free unknowns, -1 where it is fixed
    LowRankSystem(const SparseSymmetric& A, const SparseCholesky& factor,
                  std::span<const int> number);

    static constexpr int kUsualSolves = 10;

    /// Takes the rows of these constraints as C.
    /// @param solves  expected before the next change, for the automatic choice
    void set_rows(std::span<const ProjectiveConstraints* const> constraints, ChangingMethod method,
                  SparseCholesky::Workspace& workspace, int solves = kUsualSolves);

    bool is_empty() const {
        return weight_.empty();
    }
    ChangingMethod method() const {
        return method_;
    }
    /// Conjugate gradients: steps that the last solve took.
    int steps() const {
        return steps_;
    }

    /// f and d are unknowns x 3, row-major.
    void solve(std::span<const double> f, std::span<double> d,
               SparseCholesky::Workspace& workspace);

private:
    void prepare_woodbury(SparseCholesky::Workspace& workspace);
    void prepare_second_matrix();
    void multiply_rows(std::span<const double> x, Points& y) const;  // y = C x
    void subtract_rows(const Points& y, std::span<double> x) const;  // x -= C^T y
    void solve_woodbury(std::span<const double> f, std::span<double> d,
                        SparseCholesky::Workspace& workspace);
    void solve_gradients(std::span<const double> f, std::span<double> d,
                         SparseCholesky::Workspace& workspace);

    const SparseSymmetric& A_;
    const SparseCholesky& factor_;
    std::span<const int> number_;
    ChangingMethod method_ = ChangingMethod::Woodbury;
    std::vector<std::size_t> start_ = {0};
    std::vector<int> unknown_ = {};
    std::vector<double> coefficient_ = {};
    std::vector<double> weight_ = {};
    Points rows_ = Points(0, 3);
    Eigen::LLT<Eigen::MatrixXd> small_ = {};  // W^-1 + C A^-1 C^T
    std::optional<SparseCholesky> second_ = {};
    std::optional<SparseCholesky::Workspace> second_workspace_ = {};
    std::vector<double> r_ = {}, z_ = {}, p_ = {}, q_ = {}, partial_ = {};
    int steps_ = 0;
};

}  // namespace sinew
