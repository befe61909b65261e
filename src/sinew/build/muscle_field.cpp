#include "sinew/build/muscle_field.h"

#include "sinew/base/error.h"
#include "sinew/build/cut_grid.h"
#include "sinew/build/grid_stencil.h"
#include "sinew/geometry/measure.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kMargin = 3;        // empty cells around the muscle; the field is continued into two
constexpr int kContinuation = 2;  // layers of nodes
constexpr double kHold = 50.0;    // stiffness of the ends: shifts them by a cell / kHold

/// Places spread over a triangle, about `step` apart: centres of the n^2 small triangles.
template <class Visit>
void visit_triangle(double longest_edge, double step, Visit&& visit) {
    const int n = std::clamp(static_cast<int>(std::ceil(longest_edge / step)), 1, 64);
    const double weight = 1.0 / (n * n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n - i; ++j) {
            const double u = (i + 1.0 / 3.0) / n, v = (j + 1.0 / 3.0) / n;
            visit(Vec3(1.0 - u - v, u, v), weight);
            if (i + j < n - 1) {
                const double p = (i + 2.0 / 3.0) / n, q = (j + 2.0 / 3.0) / n;
                visit(Vec3(1.0 - p - q, p, q), weight);
            }
        }
    }
}

[[noreturn]] void refuse(std::string found, std::string needs) {
    throw InputError({.where = "fibres of a muscle",
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "mend the mesh or its point data 'share'"});
}

}  // namespace

/// Builds one field, step by step.
class MuscleFieldMaker {
public:
    MuscleFieldMaker(const TriangleMesh& mesh, std::span<const MuscleEnd> ends,
                     std::span<const double> tendon, std::span<const double> along,
                     const MuscleFieldOptions& options, MuscleField& field)
        : mesh_(mesh),
          ends_(ends),
          tendon_(tendon),
          along_(along),
          options_(options),
          field_(field) {
        check();
        choose_frame();
        grid_ = cut_grid(local_, mesh.triangles, field.cell_, kMargin);
        if (grid_.cells.empty()) {
            refuse("a surface with nothing inside", "a closed surface that looks outward");
        }
        number_nodes();
        find_conductivity();
        solve();
        recover_gradients();
        spread_tendon();
        continue_outward();
    }

private:
    void check() const {
        const auto vertices = static_cast<std::size_t>(mesh_.points.rows());
        const auto triangles = static_cast<std::size_t>(mesh_.triangles.rows());
        if (ends_.size() != triangles || (!tendon_.empty() && tendon_.size() != vertices) ||
            (!along_.empty() && along_.size() != 3 * vertices)) {
            refuse(fmt::format("{} ends, {} shares of tendon, {} numbers of directions",
                               ends_.size(), tendon_.size(), along_.size()),
                   fmt::format("{}, one per triangle; {}, one per vertex; three per vertex",
                               triangles, vertices));
        }
        for (const MuscleEnd end : {MuscleEnd::Origin, MuscleEnd::Insertion}) {
            if (std::find(ends_.begin(), ends_.end(), end) == ends_.end()) {
                refuse(end == MuscleEnd::Origin ? "no triangle of the origin"
                                                : "no triangle of the insertion",
                       "both ends");
            }
        }
    }

    /// The grid lies along the principal axes, its lines along the thinnest: sheets are cut well.
    void choose_frame() {
        const MassProperties mass = mass_properties(mesh_);
        if (!(mass.volume > 0.0)) {
            refuse(fmt::format("a volume of {} m^3", mass.volume), "a volume > 0");
        }
        field_.axes_ = symmetric_eigen(mass.inertia).vectors;
        field_.axes_.col(2) = field_.axes_.col(0).cross(field_.axes_.col(1));
        field_.cell_ = std::clamp(std::cbrt(mass.volume / options_.cells), options_.min_cell,
                                  std::max(options_.min_cell, options_.max_cell));
        local_ = mesh_.points * field_.axes_;
    }

    void number_nodes() {
        field_.size_ = {grid_.size[0] + 1, grid_.size[1] + 1, grid_.size[2] + 1};
        field_.origin_ = field_.axes_ * grid_.low;
        field_.node_at_.assign(grid_.corner_count(), -1);
        const std::array<std::size_t, 8> steps = corner_steps();
        for (const CutGrid::Cell& cell : grid_.cells) {
            const std::size_t first = grid_.corner(cell.at[0], cell.at[1], cell.at[2]);
            for (const std::size_t step : steps) {
                field_.node_at_[first + step] = 0;
            }
        }
        Index count = 0;
        for (Index& node : field_.node_at_) {
            if (node == 0) {
                node = count++;
            }
        }
        unknowns_ = static_cast<std::size_t>(count);
        field_.unknowns_ = unknowns_;
        field_.nodes_.resize(unknowns_);
    }

    std::array<std::size_t, 8> corner_steps() const {
        std::array<std::size_t, 8> steps = {};
        for (std::size_t c = 0; c < 8; ++c) {
            steps[c] = grid_.corner(static_cast<int>(c & 1), static_cast<int>(c >> 1 & 1),
                                    static_cast<int>(c >> 2));
        }
        return steps;
    }

    /// Corners of a cell as unknowns.
    std::array<Index, 8> nodes_of(const std::array<int, 3>& at) const {
        const std::size_t first = grid_.corner(at[0], at[1], at[2]);
        const std::array<std::size_t, 8> steps = corner_steps();
        std::array<Index, 8> nodes = {};
        for (std::size_t c = 0; c < 8; ++c) {
            nodes[c] = field_.node_at_[first + steps[c]];
        }
        return nodes;
    }

    /// Calls visit(nodes, N, barycentric, triangle, area / edge^2) all over the wanted triangles.
    template <class IsWanted, class Visit>
    void visit_surface(double step, IsWanted&& is_wanted, Visit&& visit) const {
        const double edge2 = grid_.edge * grid_.edge;
        const Eigen::VectorXd areas = triangle_areas(local_, mesh_.triangles);
        for (Eigen::Index t = 0; t < mesh_.triangles.rows(); ++t) {
            const auto corners = mesh_.triangles.row(t);
            if (!is_wanted(t)) {
                continue;
            }
            const double longest =
                std::max({(local_.row(corners[0]) - local_.row(corners[1])).norm(),
                          (local_.row(corners[1]) - local_.row(corners[2])).norm(),
                          (local_.row(corners[2]) - local_.row(corners[0])).norm()});
            visit_triangle(longest, step * grid_.edge, [&](const Vec3& b, double weight) {
                const Vec3 x = (b[0] * local_.row(corners[0]) + b[1] * local_.row(corners[1]) +
                                b[2] * local_.row(corners[2]))
                                   .transpose();
                const Vec3 q = (x - grid_.low) / grid_.edge;
                const std::array<int, 3> at = {static_cast<int>(q.x()), static_cast<int>(q.y()),
                                               static_cast<int>(q.z())};
                visit(nodes_of(at), trilinear(q.x() - at[0], q.y() - at[1], q.z() - at[2]), b, t,
                      weight * areas[t] / edge2);
            });
        }
    }

    static void add_weighted(const std::array<Index, 8>& nodes, const std::array<double, 8>& N,
                             double weight, std::vector<double>& sum) {
        for (std::size_t c = 0; c < 8; ++c) {
            if (nodes[c] >= 0) {
                sum[static_cast<std::size_t>(nodes[c])] += weight * N[c];
            }
        }
    }

    /// Along known directions the flow is easier.
    void find_conductivity() {
        conductivity_.assign(grid_.cells.size(), Mat3::Identity());
        if (along_.empty() || options_.preference <= 1.0) {
            return;
        }
        const std::vector<float> along = spread(along_, 3);
        for (std::size_t i = 0; i < grid_.cells.size(); ++i) {
            Vec3 a = Vec3::Zero();
            for (const Index node : nodes_of(grid_.cells[i].at)) {
                const float* v = along.data() + 3 * static_cast<std::size_t>(node);
                a += Vec3(v[0], v[1], v[2]);
            }
            const double length = a.norm();
            if (length > 0.0) {
                a = field_.axes_.transpose() * a / length;
                // Where directions around disagree the mean is short, and says little.
                const double sure = std::min(1.0, length / 8.0);
                conductivity_[i] += sure * (options_.preference - 1.0) * a * a.transpose();
            }
        }
    }

    void solve() {
        GridStencil A(field_.size_, field_.node_at_, unknowns_);
        for (std::size_t i = 0; i < grid_.cells.size(); ++i) {
            const CutGrid::Cell& cell = grid_.cells[i];
            A.add(nodes_of(cell.at), cell_stiffness(cell.moments, conductivity_[i]));
        }
        std::vector<double> rhs(unknowns_, 0.0);
        constexpr double kStep = 0.35;  // of the samples that hold the ends, in cells
        const auto is_end = [&](Eigen::Index t) {
            return ends_[static_cast<std::size_t>(t)] != MuscleEnd::None;
        };
        visit_surface(kStep, is_end,
                      [&](const std::array<Index, 8>& nodes, const std::array<double, 8>& N,
                          const Vec3&, Eigen::Index t, double area) {
                          A.add_outer(nodes, N, kHold * area);
                          if (ends_[static_cast<std::size_t>(t)] == MuscleEnd::Insertion) {
                              add_weighted(nodes, N, kHold * area, rhs);
                          }
                      });
        potential_.assign(unknowns_, 0.5);
        const GridSolve solved =
            A.solve(rhs, potential_, options_.tolerance, options_.max_iterations);
        field_.iterations_ = solved.iterations;
        field_.has_converged_ = solved.has_converged;
        for (std::size_t i = 0; i < unknowns_; ++i) {
            field_.nodes_[i].potential = static_cast<float>(std::clamp(potential_[i], 0.0, 1.0));
        }
    }

    /// Directions at the nodes from those in the cells: inside, the mean of the eight around; at
    /// the surface, where the cells lie to one side, a plane is fitted to more of them.
    void recover_gradients() {
        std::vector<CellMean> means(grid_.cells.size());
        std::vector<Index> cell_at(grid_.corner_count(), -1);
        Vec3 mean = Vec3::Zero();
        for (std::size_t i = 0; i < means.size(); ++i) {
            const CutGrid::Cell& cell = grid_.cells[i];
            const std::array<Index, 8> nodes = nodes_of(cell.at);
            const std::array<Vec3, 8> G = cell_gradients(cell.moments);
            Vec3 g = Vec3::Zero();
            for (std::size_t c = 0; c < 8; ++c) {
                g += potential_[static_cast<std::size_t>(nodes[c])] * G[c];
            }
            g = conductivity_[i] * g;
            const double length = g.norm();
            if (length > 0.0) {
                g /= length;
            }
            const Vec3 first(cell.moments[1], cell.moments[3], cell.moments[9]);
            means[i] = {.direction = g,
                        .centre = Vec3(cell.at[0], cell.at[1], cell.at[2]) + first / cell.volume(),
                        .volume = cell.volume()};
            mean += cell.volume() * g;
            cell_at[grid_.corner(cell.at[0], cell.at[1], cell.at[2])] = static_cast<Index>(i);
        }
        mean = mean.norm() > 0.0 ? mean.normalized() : Vec3::UnitX();
        field_.mean_ = field_.axes_ * mean;
        for (int z = 0; z < field_.size_[2]; ++z) {
            for (int y = 0; y < field_.size_[1]; ++y) {
                for (int x = 0; x < field_.size_[0]; ++x) {
                    const Index node = field_.node_at_[grid_.corner(x, y, z)];
                    if (node >= 0) {
                        Vec3 g = fit_direction(means, cell_at, x, y, z);
                        g = g.norm() > 0.0 ? g.normalized() : mean;
                        field_.nodes_[static_cast<std::size_t>(node)].gradient = {
                            static_cast<float>(g.x()), static_cast<float>(g.y()),
                            static_cast<float>(g.z())};
                    }
                }
            }
        }
    }

    struct CellMean {
        Vec3 direction = Vec3::Zero();  // unit
        Vec3 centre = Vec3::Zero();     // of the inside, in cells
        double volume = 0.0;            // share of the cell
    };

    /// Weighted least squares, g(x) = a + B d, d the distance from the node in cells:
    ///   min  sum_c w_c |g_c - a - B d_c|^2 + kRidge sum_c w_c |B|^2
    /// The ridge keeps B small across sheets of a single layer of cells, where it is not known.
    Vec3 fit_direction(const std::vector<CellMean>& means, const std::vector<Index>& cell_at, int x,
                       int y, int z) const {
        constexpr double kRidge = 0.02;
        constexpr double kReach2 = 7.0;  // weights fall to 0 at the root of this, cells
        const Vec3 at(x, y, z);
        Vec3 plain = Vec3::Zero();
        double inside = 0.0;
        Eigen::Matrix4d M = Eigen::Matrix4d::Zero();
        Eigen::Matrix<double, 4, 3> R = Eigen::Matrix<double, 4, 3>::Zero();
        for (int ring = 1; ring <= 2; ++ring) {
            for (int k = std::max(z - ring, 0); k < std::min(z + ring, grid_.size[2]); ++k) {
                for (int j = std::max(y - ring, 0); j < std::min(y + ring, grid_.size[1]); ++j) {
                    for (int i = std::max(x - ring, 0); i < std::min(x + ring, grid_.size[0]);
                         ++i) {
                        const Index cell = cell_at[grid_.corner(i, j, k)];
                        if (cell < 0) {
                            continue;
                        }
                        const CellMean& c = means[static_cast<std::size_t>(cell)];
                        if (ring == 1) {
                            plain += c.volume * c.direction;
                            inside += c.volume;
                            continue;
                        }
                        const Vec3 d = c.centre - at;
                        const double near = std::max(0.0, 1.0 - d.squaredNorm() / kReach2);
                        const Vec4 q(1.0, d.x(), d.y(), d.z());
                        const double w = c.volume * near * near;
                        M += w * q * q.transpose();
                        R += w * q * c.direction.transpose();
                    }
                }
            }
            if (ring == 1 && inside > 7.999) {
                return plain;
            }
        }
        const double ridge = kRidge * M(0, 0);
        for (int a = 1; a < 4; ++a) {
            M(a, a) += ridge;
        }
        if (!(M(0, 0) > 0.0)) {
            return plain;
        }
        return M.llt().solve(R).row(0).transpose();
    }

    void spread_tendon() {
        if (tendon_.empty()) {
            return;
        }
        const auto [least, most] = std::minmax_element(tendon_.begin(), tendon_.end());
        field_.has_uniform_tendon_ = *most - *least < 1e-6;
        const std::vector<float> tendon = spread(tendon_, 1);
        for (std::size_t i = 0; i < unknowns_; ++i) {
            field_.nodes_[i].tendon = tendon[i];
        }
    }

    /// Values of the vertices, `components` each, carried into the inside: nodes near the surface
    /// take its values, those further in the mean of the ones before.
    std::vector<float> spread(std::span<const double> values, std::size_t components) const {
        std::vector<float> sum(unknowns_ * components, 0.0f);
        std::vector<float> weight(unknowns_, 0.0f);
        const auto every = [](Eigen::Index) { return true; };
        visit_surface(
            1.0, every,
            [&](const std::array<Index, 8>& nodes, const std::array<double, 8>& N, const Vec3& b,
                Eigen::Index t, double area) {
                for (std::size_t c = 0; c < 8; ++c) {
                    if (nodes[c] < 0) {
                        continue;
                    }
                    const auto node = static_cast<std::size_t>(nodes[c]);
                    weight[node] += static_cast<float>(area * N[c]);
                    for (std::size_t m = 0; m < components; ++m) {
                        double value = 0.0;
                        for (Eigen::Index k = 0; k < 3; ++k) {
                            const auto v = static_cast<std::size_t>(mesh_.triangles(t, k));
                            value += b[k] * values[v * components + m];
                        }
                        sum[node * components + m] += static_cast<float>(area * N[c] * value);
                    }
                }
            });
        std::vector<char> is_known(unknowns_, 0);
        for (std::size_t i = 0; i < unknowns_; ++i) {
            if (weight[i] > 0.0f) {
                is_known[i] = 1;
                for (std::size_t m = 0; m < components; ++m) {
                    sum[i * components + m] /= weight[i];
                }
            }
        }
        fill_layers(is_known, sum, components);
        return sum;
    }

    /// Layer by layer, unknown values become the mean of known neighbours.
    void fill_layers(std::vector<char>& is_known, std::vector<float>& values,
                     std::size_t components) const {
        const GridNeighbours around(field_.size_, field_.node_at_, unknowns_);
        std::vector<std::size_t> open, layer, later;
        for (std::size_t i = 0; i < unknowns_; ++i) {
            if (is_known[i] == 0) {
                open.push_back(i);
            }
        }
        do {
            layer.clear();
            later.clear();
            for (const std::size_t i : open) {
                int count = 0;
                for (const Index n : around.of(i)) {
                    if (n >= 0 && is_known[static_cast<std::size_t>(n)] != 0) {
                        for (std::size_t m = 0; m < components; ++m) {
                            values[i * components + m] +=
                                values[static_cast<std::size_t>(n) * components + m];
                        }
                        ++count;
                    }
                }
                for (std::size_t m = 0; m < components && count > 0; ++m) {
                    values[i * components + m] /= static_cast<float>(count);
                }
                (count > 0 ? layer : later).push_back(i);
            }
            for (const std::size_t i : layer) {
                is_known[i] = 1;
            }
            open.swap(later);
        } while (!layer.empty());
    }

    /// Nodes outside take the mean of their neighbours, for places just outside the surface.
    void continue_outward() {
        const auto [nx, ny, nz] = field_.size_;
        for (int round = 0; round < kContinuation; ++round) {
            const std::vector<Index> before = field_.node_at_;
            for (int z = 1; z + 1 < nz; ++z) {
                for (int y = 1; y + 1 < ny; ++y) {
                    for (int x = 1; x + 1 < nx; ++x) {
                        const std::size_t at = grid_.corner(x, y, z);
                        if (before[at] < 0) {
                            add_continued(before, x, y, z);
                        }
                    }
                }
            }
        }
    }

    void add_continued(const std::vector<Index>& before, int x, int y, int z) {
        Vec3 gradient = Vec3::Zero();
        MuscleField::Node node;
        int count = 0;
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const Index other = before[grid_.corner(x + dx, y + dy, z + dz)];
                    if (other >= 0) {
                        const MuscleField::Node& n = field_.nodes_[static_cast<std::size_t>(other)];
                        gradient += Vec3(n.gradient[0], n.gradient[1], n.gradient[2]);
                        node.potential += n.potential;
                        node.tendon += n.tendon;
                        ++count;
                    }
                }
            }
        }
        if (count == 0) {
            return;
        }
        const double length = gradient.norm();
        for (std::size_t a = 0; a < 3; ++a) {
            node.gradient[a] = static_cast<float>(
                length > 0.0 ? gradient[static_cast<Eigen::Index>(a)] / length : 0.0);
        }
        node.potential /= static_cast<float>(count);
        node.tendon /= static_cast<float>(count);
        field_.node_at_[grid_.corner(x, y, z)] = static_cast<Index>(field_.nodes_.size());
        field_.nodes_.push_back(node);
    }

    const TriangleMesh& mesh_;
    std::span<const MuscleEnd> ends_;
    std::span<const double> tendon_;
    std::span<const double> along_;
    const MuscleFieldOptions& options_;
    MuscleField& field_;
    Points local_;  // vertices along the principal axes
    CutGrid grid_;
    std::vector<Mat3> conductivity_;  // per cell, along the grid's axes
    std::size_t unknowns_ = 0;
    std::vector<double> potential_;
};

MuscleField::MuscleField(const TriangleMesh& mesh, std::span<const MuscleEnd> ends,
                         std::span<const double> tendon, std::span<const double> along,
                         const MuscleFieldOptions& options) {
    check_ranges(options, "options of muscle fields");
    MuscleFieldMaker(mesh, ends, tendon, along, options, *this);
}

MuscleField::Sample MuscleField::sample(const Vec3& x) const {
    Sample s;
    if (nodes_.empty()) {
        return s;
    }
    const Vec3 q = axes_.transpose() * (x - origin_) / cell_;
    std::array<int, 3> at = {};
    std::array<double, 3> r = {};
    for (std::size_t a = 0; a < 3; ++a) {
        const double limited = std::clamp(q[static_cast<Eigen::Index>(a)], 0.0, size_[a] - 1.0001);
        at[a] = static_cast<int>(limited);
        r[a] = limited - at[a];
    }
    const std::array<double, 8> N = trilinear(r[0], r[1], r[2]);
    double weight = 0.0;
    for (int c = 0; c < 8; ++c) {
        const auto nx = static_cast<std::size_t>(size_[0]);
        const auto ny = static_cast<std::size_t>(size_[1]);
        const std::size_t corner = static_cast<std::size_t>(at[0] + (c & 1)) +
                                   nx * (static_cast<std::size_t>(at[1] + (c >> 1 & 1)) +
                                         ny * static_cast<std::size_t>(at[2] + (c >> 2)));
        const Index node = node_at_[corner];
        if (node >= 0) {
            const Node& n = nodes_[static_cast<std::size_t>(node)];
            const double w = N[static_cast<std::size_t>(c)];
            s.gradient += w * Vec3(n.gradient[0], n.gradient[1], n.gradient[2]);
            s.potential += w * n.potential;
            s.tendon += w * n.tendon;
            weight += w;
        }
    }
    if (weight > 0.0) {
        s.potential /= weight;
        s.tendon /= weight;
    }
    return s;
}

Vec3 MuscleField::direction(const Vec3& x) const {
    const Vec3 g = axes_ * sample(x).gradient;
    const double length = g.norm();
    return length > 1e-6 ? (g / length).eval() : mean_;
}

double MuscleField::potential(const Vec3& x) const {
    return sample(x).potential;
}

double MuscleField::tendon(const Vec3& x) const {
    return std::clamp(sample(x).tendon, 0.0, 1.0);
}

MuscleField MuscleField::reflected() const {
    MuscleField other = *this;
    other.axes_.row(0) = -axes_.row(0);
    other.origin_.x() = -origin_.x();
    other.mean_.x() = -mean_.x();
    return other;
}

}  // namespace sinew
