#include "sinew/motion/coordination.h"

#include "sinew/base/error.h"
#include "sinew/linalg/dense.h"

#include <algorithm>
#include <cmath>

// Which muscles make given moments: the convex problem
//
//   minimise  cost / p sum_m a_m^p + 1/2 y^T S y   so that  B a + S y = tau,   low <= a <= high
//
// with reserves S y for what muscles cannot do [Crowninshield1981; Ryu2021, eqs. 12-13 with other
// S]. It is solved in its dual: for given multipliers y every activation has a closed form
// (respond), and the dual is smooth and convex in as many unknowns as there are coordinates, a few
// dozen however many muscles there are. Newton's method with a line search on slopes; a semismooth
// Newton method where bounds switch.
//
// Departs from the papers, which use general solvers: here the problem's own structure is used.

namespace sinew {

namespace {

constexpr int kMaxIterations = 200;
constexpr double kTolerance = 1e-11;
constexpr double kFlat = 0.3;    // of the first slope, where a line search ends
constexpr double kSmall = 0.01;  // activations that rounding of the multipliers may blur
constexpr int kPolishes = 12;

// a(y), which maximises (b.y) a - cost/p a^p, and its slope by b.y.
struct Response {
    double a = 0.0;
    double slope = 0.0;
};

// Stationarity of the Lagrangian by one activation: cost a^(p-1) = b.y within the bounds.
Response respond(double pull, double low, double high, double cost, double p) {
    Response r;
    const double x = pull / cost;
    double free = p == 2.0 ? x : (x <= 0.0 ? 0.0 : std::pow(x, 1.0 / (p - 1.0)));
    // Beyond p = 2 the slope grows without bound at 0; a floor keeps Newton's matrix finite.
    if (free <= low) {
        r.a = low;
    } else if (free >= high) {
        r.a = high;
    } else {
        r.a = free;
        r.slope =
            1.0 / (cost * (p - 1.0)) * (p == 2.0 ? 1.0 : std::pow(std::max(free, 1e-6), 2.0 - p));
    }
    return r;
}

class Dual {
public:
    explicit Dual(const CoordinationProblem& problem)
        : problem_(problem), count_(problem.low.size()), state_(count_) {}

    // The gradient B a + S y - tau of the convex 1/2 y'Sy + sum_m dual_m(b_m.y) - tau.y.
    void evaluate(const Eigen::VectorXd& y, Eigen::VectorXd& gradient) {
        gradient.noalias() = problem_.reserve * y;
        gradient -= problem_.tau;
        for (std::size_t m = 0; m < count_; ++m) {
            state_[m] = respond(pull(y, m), problem_.low[m], problem_.high[m], problem_.cost,
                                problem_.exponent);
            add(m, state_[m].a, gradient);
        }
    }

    // S + sum over muscles within their bounds of slope b b'.
    Eigen::MatrixXd hessian() const {
        Eigen::MatrixXd H = problem_.reserve;
        for (std::size_t m = 0; m < count_; ++m) {
            if (state_[m].slope == 0.0) {
                continue;
            }
            for (Index i = problem_.start[m]; i < problem_.start[m + 1]; ++i) {
                const auto ei = static_cast<std::size_t>(i);
                const double s = state_[m].slope * problem_.value[ei];
                for (Index j = problem_.start[m]; j < problem_.start[m + 1]; ++j) {
                    const auto ej = static_cast<std::size_t>(j);
                    H(problem_.row[ei], problem_.row[ej]) += s * problem_.value[ej];
                }
            }
        }
        return H;
    }

    const std::vector<Response>& state() const {
        return state_;
    }

    // Beyond p = 2 the slope of a(y) has no bound at 0, and rounding of y blurs small activations
    // by up to its (p - 1)th root. So they become unknowns beside y, by Newton's method on
    //   B a + S y = tau,   cost a^(p - 1) = b.y  for small a,   a = a(y)  for others,
    // which has no such slope. Kept where the moments fit better than before.
    void polish(Eigen::VectorXd& y, Eigen::VectorXd& gradient);

private:
    double pull(const Eigen::VectorXd& y, std::size_t m) const {
        double sum = 0.0;
        for (Index k = problem_.start[m]; k < problem_.start[m + 1]; ++k) {
            const auto e = static_cast<std::size_t>(k);
            sum += problem_.value[e] * y[problem_.row[e]];
        }
        return sum;
    }
    bool is_small(std::size_t m) const {
        return state_[m].a > problem_.low[m] && state_[m].a < kSmall;
    }
    // to += factor b_m
    void add(std::size_t m, double factor, Eigen::VectorXd& to) const {
        for (Index k = problem_.start[m]; k < problem_.start[m + 1]; ++k) {
            const auto e = static_cast<std::size_t>(k);
            to[problem_.row[e]] += factor * problem_.value[e];
        }
    }

    const CoordinationProblem& problem_;
    std::size_t count_;
    std::vector<Response> state_;
};

void Dual::polish(Eigen::VectorXd& y, Eigen::VectorXd& gradient) {
    const double p = problem_.exponent;
    const Eigen::VectorXd y_before = y;
    const std::vector<Response> before = state_;
    const Eigen::VectorXd gradient_before = gradient;
    for (int round = 0; round < kPolishes; ++round) {
        // The condition of a small activation, made linear: a + (b.dy - miss) slope.
        Eigen::VectorXd right = -gradient;
        for (std::size_t m = 0; m < count_; ++m) {
            if (is_small(m)) {
                const double a = state_[m].a;
                state_[m].slope = std::pow(a, 2.0 - p) / (problem_.cost * (p - 1.0));
                const double miss = problem_.cost * std::pow(a, p - 1.0) - pull(y, m);
                add(m, state_[m].slope * miss, right);
            }
        }
        const Eigen::VectorXd step = solve_positive_definite(hessian(), right);
        const Eigen::VectorXd next = y + step;
        gradient.noalias() = problem_.reserve * next;
        gradient -= problem_.tau;
        for (std::size_t m = 0; m < count_; ++m) {
            if (is_small(m)) {
                const double miss = problem_.cost * std::pow(state_[m].a, p - 1.0) - pull(y, m);
                // No further than a factor: the condition is far from linear near 0.
                state_[m].a = std::clamp(state_[m].a + (pull(step, m) - miss) * state_[m].slope,
                                         0.1 * state_[m].a, 10.0 * state_[m].a);
            } else {
                state_[m] =
                    respond(pull(next, m), problem_.low[m], problem_.high[m], problem_.cost, p);
            }
            add(m, state_[m].a, gradient);
        }
        y = next;
    }
    if (!(gradient.norm() < gradient_before.norm())) {
        y = y_before;
        state_ = before;
        gradient = gradient_before;
    }
}

// Goes down the step until the dual is nearly flat along it. Its slope along a line rises, so a
// sign change brackets the minimum; slopes resolve progress where values no longer do.
bool search(Dual& dual, const Eigen::VectorXd& step, Eigen::VectorXd& y,
            Eigen::VectorXd& gradient) {
    const double slope = gradient.dot(step);
    if (!(slope < 0.0)) {
        return false;
    }
    const Eigen::VectorXd start = y;
    double low = 0.0;
    double high = 0.0;
    double t = 1.0;
    for (int i = 0; i < 60; ++i) {
        y = start + t * step;
        dual.evaluate(y, gradient);
        const double here = gradient.dot(step);
        if (std::abs(here) <= kFlat * std::abs(slope)) {
            return true;
        }
        (here < 0.0 ? low : high) = t;
        t = high > 0.0 ? 0.5 * (low + high) : 2.0 * t;
    }
    return low > 0.0;
}

}  // namespace

CoordinationResult coordinate_muscles(const CoordinationProblem& problem,
                                      const Eigen::VectorXd& guess) {
    SINEW_ASSERT(problem.start.size() == problem.low.size() + 1, "{} starts, {} muscles",
                 problem.start.size(), problem.low.size());
    CoordinationResult result;
    Dual dual(problem);
    Eigen::VectorXd y = guess.size() == problem.tau.size()
                            ? guess
                            : Eigen::VectorXd(Eigen::VectorXd::Zero(problem.tau.size()));
    const double scale = 1.0 + problem.tau.norm();
    Eigen::VectorXd gradient(y.size());
    dual.evaluate(y, gradient);
    for (result.iterations = 0; result.iterations < kMaxIterations; ++result.iterations) {
        result.residual = gradient.norm() / scale;
        if (result.residual < kTolerance) {
            break;
        }
        // S is positive definite, so the matrix is, however many muscles are at their bounds.
        const Eigen::VectorXd step = solve_positive_definite(dual.hessian(), -gradient);
        if (!search(dual, step, y, gradient)) {
            break;
        }
    }
    if (problem.exponent > 2.0 && gradient.norm() > kTolerance * scale) {
        dual.polish(y, gradient);
    }
    result.residual = gradient.norm() / scale;
    result.has_converged = result.residual < 1e-6;
    result.multiplier = y;
    // Reserves take the rest, so that the moments add up exactly.
    result.reserve = problem.reserve * y - gradient;
    result.activation.reserve(problem.low.size());
    for (const Response& r : dual.state()) {
        result.activation.push_back(r.a);
    }
    return result;
}

}  // namespace sinew
