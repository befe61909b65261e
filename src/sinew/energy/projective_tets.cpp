#include "sinew/energy/projective_tets.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/energy/projective_checks.h"
#include "sinew/energy/tet_assembly.h"
#include "sinew/energy/tet_mixed.h"
#include "sinew/linalg/batch3_pull.h"
#include "sinew/material/shape_volume.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/LU>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace sinew {
namespace {

using batch3::kWidth;
using batch3::Lanes;
using batch3::Matrix;
using batch3::Vector;

constexpr std::size_t kBlock = 512;            // tetrahedra whose forces are summed locally
constexpr std::size_t kMaxLocal = 4 * kBlock;  // vertices of a block
constexpr std::size_t kVertices = 4096;        // per piece of parallel work
constexpr std::size_t kPlanes = 13;  // floats per tetrahedron: B, two weights, ratio, root

constexpr std::size_t kAtOnce = 2;  // batches worked on together
static_assert(kBlock % (kAtOnce * kWidth) == 0);

// Places of a tetrahedron's numbers among the planes of its block.
constexpr std::size_t kRotation = 9;
constexpr std::size_t kVolume = 10;
constexpr std::size_t kRatio = 11;
constexpr std::size_t kRoot = 12;

// Neighbouring tetrahedra get neighbouring numbers: order along a Morton curve through the box.
std::vector<Index> morton_order(const TetMesh& mesh) {
    const Vec3 low = mesh.points.colwise().minCoeff().transpose();
    const Vec3 high = mesh.points.colwise().maxCoeff().transpose();
    const double size = std::max((high - low).maxCoeff(), 1e-300);
    const auto spread = [](std::uint64_t v) {
        std::uint64_t r = 0;
        for (int bit = 0; bit < 20; ++bit) {
            r |= ((v >> bit) & 1u) << (3 * bit);
        }
        return r;
    };
    const auto count = static_cast<std::size_t>(mesh.tets.rows());
    std::vector<std::pair<std::uint64_t, Index>> keys(count);
    parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            Vec3 centre = Vec3::Zero();
            for (int k = 0; k < 4; ++k) {
                centre += 0.25 * point(mesh.points, mesh.tets(static_cast<Eigen::Index>(t), k));
            }
            const Vec3 unit = (centre - low) / size;
            std::uint64_t key = 0;
            for (int c = 0; c < 3; ++c) {
                key |= spread(static_cast<std::uint64_t>(std::clamp(unit[c], 0.0, 1.0) * 0xFFFFF))
                       << c;
            }
            keys[t] = {key, static_cast<Index>(t)};
        }
    });
    std::sort(keys.begin(), keys.end());
    std::vector<Index> order(count);
    std::transform(keys.begin(), keys.end(), order.begin(), [](const auto& k) { return k.second; });
    return order;
}

// Rows rows[0 .. kWidth) of local, four floats each, as x, y and z.
Vector gather(const float* local, const std::uint16_t* rows) {
#ifdef __AVX__
    if constexpr (kWidth == 8) {
        const auto two = [&](int r) {
            return _mm256_insertf128_ps(
                _mm256_castps128_ps256(_mm_loadu_ps(local + 4 * std::size_t{rows[r]})),
                _mm_loadu_ps(local + 4 * std::size_t{rows[r + 4]}), 1);
        };
        const __m256 m0 = two(0);
        const __m256 m1 = two(1);
        const __m256 m2 = two(2);
        const __m256 m3 = two(3);
        const __m256 xy01 = _mm256_unpacklo_ps(m0, m1);
        const __m256 xy23 = _mm256_unpacklo_ps(m2, m3);
        return {
            Lanes(_mm256_shuffle_ps(xy01, xy23, 0x44)), Lanes(_mm256_shuffle_ps(xy01, xy23, 0xEE)),
            Lanes(_mm256_shuffle_ps(_mm256_unpackhi_ps(m0, m1), _mm256_unpackhi_ps(m2, m3), 0x44))};
    }
#endif
    alignas(64) float out[3][kWidth];
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
        for (std::size_t c = 0; c < 3; ++c) {
            out[c][lane] = local[4 * std::size_t{rows[lane]} + c];
        }
    }
    return {Lanes::load_unaligned(out[0]), Lanes::load_unaligned(out[1]),
            Lanes::load_unaligned(out[2])};
}

// Adds v to rows rows[0 .. kWidth) of force, one after the other: rows may repeat.
void scatter_add(const Vector& v, const std::uint16_t* rows, float* force) {
#ifdef __AVX__
    if constexpr (kWidth == 8) {
        const __m256 zero = _mm256_setzero_ps();
        const __m256 xy_low = _mm256_unpacklo_ps(v.x, v.y);
        const __m256 xy_high = _mm256_unpackhi_ps(v.x, v.y);
        const __m256 z_low = _mm256_unpacklo_ps(v.z, zero);
        const __m256 z_high = _mm256_unpackhi_ps(v.z, zero);
        const __m256 m[4] = {
            _mm256_shuffle_ps(xy_low, z_low, 0x44), _mm256_shuffle_ps(xy_low, z_low, 0xEE),
            _mm256_shuffle_ps(xy_high, z_high, 0x44), _mm256_shuffle_ps(xy_high, z_high, 0xEE)};
        for (int r = 0; r < 4; ++r) {
            float* to = force + 4 * std::size_t{rows[r]};
            _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), _mm256_castps256_ps128(m[r])));
        }
        for (int r = 0; r < 4; ++r) {
            float* to = force + 4 * std::size_t{rows[r + 4]};
            _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), _mm256_extractf128_ps(m[r], 1)));
        }
        return;
    }
#endif
    alignas(64) float in[3][kWidth];
    v.x.store_unaligned(in[0]);
    v.y.store_unaligned(in[1]);
    v.z.store_unaligned(in[2]);
    for (std::size_t lane = 0; lane < kWidth; ++lane) {
        for (std::size_t c = 0; c < 3; ++c) {
            force[4 * std::size_t{rows[lane]} + c] += in[c][lane];
        }
    }
}

// F_e = D_s B of the tetrahedra i .. i + kWidth of a block.
Matrix deformation_gradients(const float* local, const std::uint16_t* corner, const float* plane,
                             std::size_t i) {
    const auto load = [](const float* p) { return Lanes::load_unaligned(p); };
    const Vector x0 = gather(local, corner + i);
    const auto edge = [&](std::size_t k) {
        return batch3::plus(gather(local, corner + k * kBlock + i), Lanes(-1.0f), x0);
    };
    const Vector e0 = edge(1);
    const Vector e1 = edge(2);
    const Vector e2 = edge(3);
    // Column c = sum_k e_k B(k, c).
    const auto column = [&](std::size_t c) {
        const auto B = [&](std::size_t k) { return load(plane + (3 * k + c) * kBlock + i); };
        return batch3::plus(batch3::plus(batch3::times(B(0), e0), B(1), e1), B(2), e2);
    };
    return {column(0), column(1), column(2)};
}

// Forces on corners 1..3 are the columns of H B^T; corner 0 takes their opposite.
void scatter_forces(const Matrix& H, const float* plane, const std::uint16_t* corner, std::size_t i,
                    float* force) {
    Vector sum{Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto B = [&](std::size_t c) {
            return Lanes::load_unaligned(plane + (3 * k + c) * kBlock + i);
        };
        const Vector f =
            batch3::plus(batch3::plus(batch3::times(B(0), H.c0), B(1), H.c1), B(2), H.c2);
        sum = batch3::plus(sum, Lanes(-1.0f), f);
        scatter_add(f, corner + (k + 1) * kBlock + i, force);
    }
    scatter_add(sum, corner + i, force);
}

}  // namespace

struct ProjectiveTets::Data {
    // As given, for the double precision side.
    Tets tets;
    std::vector<Mat3> rest_inverse;    // D_m^-1
    std::vector<Mat3> growth_inverse;  // F_g^-1, empty while there is no growth
    std::vector<double> volume;
    std::vector<double> rotation_weight;
    std::vector<double> volume_weight;
    std::vector<double> ratio;

    // Blocks of the fast side.
    std::vector<Index> order;  // place -> tetrahedron
    std::size_t blocks = 0;
    std::vector<float> planes;           // of block b from b * kPlanes * kBlock
    std::vector<std::uint16_t> corners;  // of block b: four planes of kBlock local vertex numbers
    std::vector<std::size_t> local_start;
    std::vector<Index> local_vertex;  // of block b: [local_start[b], local_start[b + 1])
    Lists partials_of_vertex;         // local vertices that are copies of a vertex

    // D_m^-1 F_g^-1: F_e = D_s B.
    Mat3 B(std::size_t t) const {
        return growth_inverse.empty() ? rest_inverse[t] : Mat3(rest_inverse[t] * growth_inverse[t]);
    }
    Mat3 F(std::size_t t, const Points& x) const {
        const auto row = tets.row(static_cast<Eigen::Index>(t));
        Mat3 edges;
        for (int k = 0; k < 3; ++k) {
            edges.col(k) = (x.row(row[k + 1]) - x.row(row[0])).transpose();
        }
        return edges * B(t);
    }
    Mat3 growth_inverse_of(std::size_t t) const {
        return growth_inverse.empty() ? Mat3(Mat3::Identity()) : growth_inverse[t];
    }
    detail::TetState state(std::size_t t, const Points& x) const {
        return {detail::edges_of(x.data(), tets, static_cast<Eigen::Index>(t)), B(t), volume[t]};
    }
    ShapeVolume law(std::size_t t) const {
        return {rotation_weight[t], volume_weight[t], ratio[t]};
    }

    void build_blocks(const TetMesh& rest);
    void fill_planes();
    void fill_ratios();
    /// Forces of the block's vertices, four floats each, and its energy.
    double run_block(std::size_t b, const Points& x, float* force) const;
};

void ProjectiveTets::Data::build_blocks(const TetMesh& rest) {
    order = morton_order(rest);
    blocks = (order.size() + kBlock - 1) / kBlock;
    planes.assign(blocks * kPlanes * kBlock, 0.0f);
    corners.assign(blocks * 4 * kBlock, 0);
    local_start.assign(1, 0);
    std::vector<Index> vertices;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t end = std::min(order.size(), (b + 1) * kBlock);
        vertices.clear();
        for (std::size_t k = b * kBlock; k < end; ++k) {
            for (int c = 0; c < 4; ++c) {
                vertices.push_back(tets(order[k], c));
            }
        }
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        for (std::size_t k = b * kBlock; k < end; ++k) {
            for (int c = 0; c < 4; ++c) {
                const auto place =
                    std::lower_bound(vertices.begin(), vertices.end(), tets(order[k], c)) -
                    vertices.begin();
                corners[(4 * b + static_cast<std::size_t>(c)) * kBlock + (k - b * kBlock)] =
                    static_cast<std::uint16_t>(place);
            }
        }
        local_vertex.insert(local_vertex.end(), vertices.begin(), vertices.end());
        local_start.push_back(local_vertex.size());
    }

    // For every vertex its copies in blocks, ascending.
    const auto points = static_cast<std::size_t>(rest.points.rows());
    partials_of_vertex.start.assign(points + 1, 0);
    for (const Index v : local_vertex) {
        ++partials_of_vertex.start[static_cast<std::size_t>(v) + 1];
    }
    std::partial_sum(partials_of_vertex.start.begin(), partials_of_vertex.start.end(),
                     partials_of_vertex.start.begin());
    partials_of_vertex.items.resize(local_vertex.size());
    std::vector<Index> next(partials_of_vertex.start.begin(), partials_of_vertex.start.end() - 1);
    for (std::size_t k = 0; k < local_vertex.size(); ++k) {
        const auto v = static_cast<std::size_t>(local_vertex[k]);
        partials_of_vertex.items[at(next[v]++)] = static_cast<Index>(k);
    }
}

void ProjectiveTets::Data::fill_planes() {
    parallel_for(order.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const auto t = static_cast<std::size_t>(order[k]);
            float* to = planes.data() + (k / kBlock) * kPlanes * kBlock + k % kBlock;
            const Mat3 b = B(t);
            for (std::size_t e = 0; e < 9; ++e) {
                to[e * kBlock] = static_cast<float>(
                    b(static_cast<Eigen::Index>(e / 3), static_cast<Eigen::Index>(e % 3)));
            }
            to[kRotation * kBlock] = static_cast<float>(rotation_weight[t] * volume[t]);
            to[kVolume * kBlock] = static_cast<float>(volume_weight[t] * volume[t]);
        }
    });
    fill_ratios();
}

// By itself: growth changes ratios in every iteration, and nothing else.
void ProjectiveTets::Data::fill_ratios() {
    parallel_for(order.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const double of_tet = ratio[static_cast<std::size_t>(order[k])];
            float* to = planes.data() + (k / kBlock) * kPlanes * kBlock + k % kBlock;
            to[kRatio * kBlock] = static_cast<float>(of_tet);
            to[kRoot * kBlock] = static_cast<float>(std::cbrt(of_tet));
        }
    });
    // The tail of the last block: no weight, but numbers that divide well.
    for (std::size_t k = order.size(); k < blocks * kBlock; ++k) {
        float* to = planes.data() + (k / kBlock) * kPlanes * kBlock + k % kBlock;
        to[kRatio * kBlock] = 1.0f;
        to[kRoot * kBlock] = 1.0f;
    }
}

double ProjectiveTets::Data::run_block(std::size_t b, const Points& x, float* force) const {
    // Vertices relative to the first, so that single precision is enough.
    alignas(64) float local[4 * kMaxLocal];
    const Index* vertex = local_vertex.data() + local_start[b];
    const std::size_t count = local_start[b + 1] - local_start[b];
    const double* origin = x.data() + 3 * static_cast<std::ptrdiff_t>(vertex[0]);
    for (std::size_t k = 0; k < count; ++k) {
        const double* from = x.data() + 3 * static_cast<std::ptrdiff_t>(vertex[k]);
        for (std::size_t c = 0; c < 3; ++c) {
            local[4 * k + c] = static_cast<float>(from[c] - origin[c]);
        }
        local[4 * k + 3] = 0.0f;
    }
    std::fill_n(force, 4 * count, 0.0f);

    const float* plane = planes.data() + b * kPlanes * kBlock;
    const std::uint16_t* corner = corners.data() + 4 * b * kBlock;
    const std::size_t used = std::min(kBlock, order.size() - b * kBlock);
    Lanes energy(0.0f);
    const auto load = [](const float* p) { return Lanes::load_unaligned(p); };
    for (std::size_t first = 0; first < used; first += kAtOnce * kWidth) {
        Matrix F[kAtOnce];
        batch3::PullTarget target[kAtOnce];
        batch3::Pull pull[kAtOnce];
        bool is_moderate = true;
        for (std::size_t n = 0; n < kAtOnce; ++n) {
            const std::size_t i = first + n * kWidth;
            F[n] = deformation_gradients(local, corner, plane, i);
            target[n] = {load(plane + kRotation * kBlock + i), load(plane + kVolume * kBlock + i),
                         load(plane + kRatio * kBlock + i), load(plane + kRoot * kBlock + i)};
            is_moderate = is_moderate && batch3::find_moderate_pull(F[n], target[n], pull[n]);
        }
        if (!is_moderate) {
            batch3::find_pulls(F, target, pull);
        }
        for (std::size_t n = 0; n < kAtOnce; ++n) {
            energy += pull[n].twice_energy;
            scatter_forces(pull[n].H, plane, corner, first + n * kWidth, force);
        }
    }
    alignas(64) float lanes[kWidth];
    energy.store_unaligned(lanes);
    return 0.5 * std::accumulate(lanes, lanes + kWidth, 0.0);
}

ProjectiveTets::ProjectiveTets(const TetMesh& rest, std::span<const double> rotation_weight,
                               std::span<const double> volume_weight)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    const auto count = static_cast<std::size_t>(rest.tets.rows());
    detail::check_count("rotation weights of tetrahedra", rotation_weight.size(), count);
    detail::check_count("volume weights of tetrahedra", volume_weight.size(), count);
    d.tets = rest.tets;
    d.rest_inverse.resize(count);
    d.volume.resize(count);
    d.rotation_weight.assign(rotation_weight.begin(), rotation_weight.end());
    d.volume_weight.assign(volume_weight.begin(), volume_weight.end());
    d.ratio.assign(count, 1.0);
    for (std::size_t t = 0; t < count; ++t) {
        detail::checked_weight("rotation weights of tetrahedra", t, rotation_weight[t]);
        detail::checked_weight("volume weights of tetrahedra", t, volume_weight[t]);
        Mat3 edges;
        for (int k = 0; k < 3; ++k) {
            const auto row = rest.tets.row(static_cast<Eigen::Index>(t));
            edges.col(k) = point(rest.points, row[k + 1]) - point(rest.points, row[0]);
        }
        d.volume[t] = edges.determinant() / 6.0;
        if (!(d.volume[t] > 0.0)) {
            throw InputError({.where = fmt::format("tetrahedron {} at rest", t),
                              .found = fmt::format("volume {} m^3", d.volume[t]),
                              .needs = "a volume > 0",
                              .remedy = "improve the mesh or swap two corners"});
        }
        d.rest_inverse[t] = edges.inverse();
    }
    d.build_blocks(rest);
    d.fill_planes();
}

ProjectiveTets::~ProjectiveTets() = default;
ProjectiveTets::ProjectiveTets(ProjectiveTets&&) noexcept = default;
ProjectiveTets& ProjectiveTets::operator=(ProjectiveTets&&) noexcept = default;

void ProjectiveTets::set_growth(std::span<const Mat3> growth) {
    detail::check_count("growth tensors of tetrahedra", growth.size(), data_->volume.size());
    data_->growth_inverse.resize(growth.size());
    for (std::size_t t = 0; t < growth.size(); ++t) {
        const double determinant = growth[t].determinant();
        if (!(determinant > 0.0) || !std::isfinite(determinant)) {
            throw InputError({.where = fmt::format("growth of tetrahedron {}", t),
                              .found = fmt::format("determinant {}", determinant),
                              .needs = "a determinant > 0",
                              .remedy = "check the growth factor and the fibre frame"});
        }
        data_->growth_inverse[t] = growth[t].inverse();
    }
    data_->fill_planes();
}

void ProjectiveTets::set_volume_ratio(std::span<const double> ratio) {
    detail::check_count("volume ratios of tetrahedra", ratio.size(), data_->volume.size());
    for (std::size_t t = 0; t < ratio.size(); ++t) {
        if (!(ratio[t] > 0.0) || !std::isfinite(ratio[t])) {
            throw InputError({.where = fmt::format("volume ratio of tetrahedron {}", t),
                              .found = fmt::format("{}", ratio[t]),
                              .needs = "a finite number > 0",
                              .remedy = "check the target volume"});
        }
    }
    data_->ratio.assign(ratio.begin(), ratio.end());
    data_->fill_ratios();
}

void ProjectiveTets::add_quadratic(Triplets& A) const {
    const Data& d = *data_;
    for (std::size_t t = 0; t < d.volume.size(); ++t) {
        // Q = the gradients of the four hat functions; sum of w q q^T over the three axes.
        const Mat3 B = d.B(t);
        Eigen::Matrix<double, 4, 3> g;
        g << -B.colwise().sum(), B;
        const double w = d.volume[t] * (d.rotation_weight[t] + d.volume_weight[t]);
        const Eigen::Matrix4d K = w * g * g.transpose();
        const auto row = d.tets.row(static_cast<Eigen::Index>(t));
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b <= a; ++b) {
                A.add(row[a], row[b], K(a, b));
            }
        }
    }
}

double ProjectiveTets::add_force(const Points& x, Points& force, TermScratch& scratch) const {
    const Data& d = *data_;
    float* partial = scratch.floats(4 * d.local_vertex.size()).data();
    double* block_energy = scratch.doubles(d.blocks).data();
    const Timer project;
    parallel_for(d.blocks, 2, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            block_energy[b] = d.run_block(b, x, partial + 4 * d.local_start[b]);
        }
    });
    scratch.times.project += project.seconds();
    const Timer sum_up;
    parallel_for(d.partials_of_vertex.size(), kVertices, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            double sum[3] = {};
            for (const Index k : d.partials_of_vertex[v]) {
                const float* from = partial + 4 * static_cast<std::ptrdiff_t>(k);
                for (int c = 0; c < 3; ++c) {
                    sum[c] += static_cast<double>(from[c]);
                }
            }
            double* to = force.data() + 3 * v;
            for (int c = 0; c < 3; ++c) {
                to[c] += sum[c];
            }
        }
    });
    scratch.times.sum += sum_up.seconds();
    return std::accumulate(block_energy, block_energy + d.blocks, 0.0);
}

double ProjectiveTets::value(const Points& x) const {
    const Data& d = *data_;
    return parallel_reduce(
        d.volume.size(), 1024, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0.0;
            for (std::size_t t = begin; t < end; ++t) {
                sum += d.volume[t] * d.law(t).energy(d.F(t, x));
            }
            return sum;
        },
        [](double a, double b) { return a + b; });
}

void ProjectiveTets::add_gradient(const Points& x, Points& gradient) const {
    const Data& d = *data_;
    // Columns: the gradients of corners 1..3; corner 0 takes their opposite.
    std::vector<Mat3> G(d.volume.size());
    parallel_for(G.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            G[t] = d.volume[t] * d.law(t).stress(d.F(t, x)) * d.B(t).transpose();
        }
    });
    for (std::size_t t = 0; t < G.size(); ++t) {
        const auto row = d.tets.row(static_cast<Eigen::Index>(t));
        gradient.row(row[0]) -= G[t].rowwise().sum().transpose();
        for (int k = 0; k < 3; ++k) {
            gradient.row(row[k + 1]) += G[t].col(k).transpose();
        }
    }
}

void ProjectiveTets::add_pattern(BlockPattern& pattern) const {
    const Tets& tets = data_->tets;
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        pattern.couple({&tets(t, 0), 4});
    }
}

void ProjectiveTets::add_hessian(const Points& x, Tangent kind, BlockHessian& H) const {
    // F_e = sum_a x_a b_a^T with b_a the rows of B.
    const Data& d = *data_;
    detail::assemble_tets(
        d.tets,
        [&](Eigen::Index t) {
            const auto k = static_cast<std::size_t>(t);
            const Mat9 C = d.volume[k] * d.law(k).tangent(d.F(k, x), kind);
            return detail::tet_blocks(C, d.B(k).transpose());
        },
        H);
}

VolumeError ProjectiveTets::volume_error(const Points& x) const {
    const Data& d = *data_;
    struct Sums {
        double volume = 0.0, target = 0.0, largest = 0.0;
    };
    const Sums sums = parallel_reduce(
        d.volume.size(), 1024, Sums{},
        [&](std::size_t begin, std::size_t end) {
            Sums part;
            for (std::size_t t = begin; t < end; ++t) {
                if (d.volume_weight[t] > 0.0) {
                    const double J = d.F(t, x).determinant();
                    const double grown = d.growth_inverse.empty()
                                             ? d.volume[t]
                                             : d.volume[t] / d.growth_inverse[t].determinant();
                    part.volume += grown * J;
                    part.target += grown * d.ratio[t];
                    part.largest = std::max(part.largest, std::abs(J / d.ratio[t] - 1.0));
                }
            }
            return part;
        },
        [](const Sums& a, const Sums& b) {
            return Sums{a.volume + b.volume, a.target + b.target, std::max(a.largest, b.largest)};
        });
    return {.total = sums.target > 0.0 ? std::abs(sums.volume / sums.target - 1.0) : 0.0,
            .largest = sums.largest};
}

std::optional<std::size_t> ProjectiveTets::parameter_count(TermParameter parameter) const {
    switch (parameter) {
        case TermParameter::RestShape:
            return 3 * data_->partials_of_vertex.size();
        case TermParameter::Growth:
            return 9 * data_->volume.size();
        default:
            return 0;
    }
}

void ProjectiveTets::add_mixed_product(const Points& x, TermParameter parameter,
                                       std::span<const double> dp, Points& out) const {
    const Data& d = *data_;
    if (parameter_count(parameter) == 0) {
        return;
    }
    for (Eigen::Index t = 0; t < d.tets.rows(); ++t) {
        const auto k = static_cast<std::size_t>(t);
        const detail::TetState state = d.state(k, x);
        Mat3 dG;
        if (parameter == TermParameter::RestShape) {
            const Mat3 dD_m = detail::edges_of(dp.data(), d.tets, t);
            dG = detail::rest_product(d.law(k), state, d.rest_inverse[k], dD_m);
        } else {
            // dB = -B dF_g F_g^-1
            const Eigen::Map<const Mat3> dF_g(dp.data() + 9 * k);
            dG = detail::mixed_product(d.law(k), state, -state.B * dF_g * d.growth_inverse_of(k),
                                       0.0);
        }
        detail::add_edges(dG, d.tets, t, out.data());
    }
}

void ProjectiveTets::add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                                       std::span<double> out) const {
    const Data& d = *data_;
    if (parameter_count(parameter) == 0) {
        return;
    }
    for (Eigen::Index t = 0; t < d.tets.rows(); ++t) {
        const auto k = static_cast<std::size_t>(t);
        const detail::TetState state = d.state(k, x);
        const Mat3 W = detail::edges_of(w.data(), d.tets, t);
        if (parameter == TermParameter::RestShape) {
            detail::add_edges(detail::rest_adjoint(d.law(k), state, d.rest_inverse[k], W), d.tets,
                              t, out.data());
        } else {
            Eigen::Map<Mat3>(out.data() + 9 * k) -= state.B.transpose() *
                                                    detail::mixed_adjoint(d.law(k), state, W).by_B *
                                                    d.growth_inverse_of(k).transpose();
        }
    }
}

}  // namespace sinew
