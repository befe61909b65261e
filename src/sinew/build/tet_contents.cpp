#include "sinew/build/tet_contents.h"

#include "sinew/base/parallel.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kGrain = 512;  // tetrahedra per piece of work

/// Cuts lines parallel to z.
class TetCutter {
public:
    explicit TetCutter(const std::array<Vec3, 4>& corners) : low_(corners[0]), high_(corners[0]) {
        constexpr std::array<std::array<std::size_t, 4>, 4> kFaces = {
            {{1, 2, 3, 0}, {0, 3, 2, 1}, {0, 1, 3, 2}, {0, 2, 1, 3}}};
        for (std::size_t f = 0; f < 4; ++f) {
            const Vec3& a = corners[kFaces[f][0]];
            normal_[f] = (corners[kFaces[f][1]] - a).cross(corners[kFaces[f][2]] - a);
            if (normal_[f].dot(corners[kFaces[f][3]] - a) > 0.0) {
                normal_[f] = -normal_[f];
            }
            offset_[f] = normal_[f].dot(a);
            low_ = low_.cwiseMin(corners[f]);
            high_ = high_.cwiseMax(corners[f]);
        }
    }

    const Vec3& low() const {
        return low_;
    }
    const Vec3& high() const {
        return high_;
    }

    /// Whether the line hits; then [from, to] is inside.
    bool cut(const Vec2& at, double& from, double& to) const {
        from = low_.z();
        to = high_.z();
        for (std::size_t f = 0; f < 4; ++f) {
            const double rest = offset_[f] - normal_[f].x() * at.x() - normal_[f].y() * at.y();
            const double n = normal_[f].z();
            if (n > 0.0) {
                to = std::min(to, rest / n);
            } else if (n < 0.0) {
                from = std::max(from, rest / n);
            } else if (rest < 0.0) {
                return false;
            }
        }
        return to > from;
    }

private:
    std::array<Vec3, 4> normal_;
    std::array<double, 4> offset_ = {};
    Vec3 low_;
    Vec3 high_;
};

/// Sums of one tetrahedron.
class Tally {
public:
    explicit Tally(const std::vector<MuscleField>& fields) : fields_(fields) {}

    void clear() {
        sums_.clear();
        length_ = 0.0;
        lines_ = 0;
    }
    int lines() const {
        return lines_;
    }

    /// A line that runs through the tetrahedron from `from` to `to`.
    void add_line(const Vec2& at, double from, double to,
                  std::span<const PartLines::Stretch> stretches) {
        ++lines_;
        length_ += to - from;
        cover_.clear();
        bool is_disjoint = true;
        double reach = from;
        for (const PartLines::Stretch& s : stretches) {
            if (s.low >= to) {
                break;
            }
            if (s.high > from) {
                const double low = std::max<double>(s.low, from);
                is_disjoint = is_disjoint && low >= reach;
                reach = std::min<double>(s.high, to);
                cover_.push_back({low, reach, s.part});
            }
        }
        if (is_disjoint) {
            for (const Cover& c : cover_) {
                add(c.part, at, c.low, c.high, 1.0);
            }
        } else {
            add_overlapping(at);
        }
    }

    void finish(TetContents& contents) const {
        std::vector<Sum> sorted = sums_;
        std::sort(sorted.begin(), sorted.end(),
                  [](const Sum& a, const Sum& b) { return a.part < b.part; });
        for (const Sum& s : sorted) {
            contents.entries.push_back({.part = s.part,
                                        .fraction = s.length / length_,
                                        .tendon = s.tendon / s.length,
                                        .centre = s.centre / s.length});
        }
    }

private:
    struct Cover {
        double low;
        double high;
        Index part;
    };
    struct Sum {
        Index part = 0;
        double length = 0.0;
        double tendon = 0.0;
        Vec3 centre = Vec3::Zero();
    };

    /// Between two neighbouring ends of stretches the parts present share alike.
    void add_overlapping(const Vec2& at) {
        ends_.clear();
        for (const Cover& c : cover_) {
            ends_.push_back(c.low);
            ends_.push_back(c.high);
        }
        std::sort(ends_.begin(), ends_.end());
        for (std::size_t i = 0; i + 1 < ends_.size(); ++i) {
            const double low = ends_[i], high = ends_[i + 1];
            const auto is_here = [&](const Cover& c) { return c.low <= low && c.high >= high; };
            const auto present = std::count_if(cover_.begin(), cover_.end(), is_here);
            if (high > low && present > 0) {
                for (const Cover& c : cover_) {
                    if (is_here(c)) {
                        add(c.part, at, low, high, 1.0 / static_cast<double>(present));
                    }
                }
            }
        }
    }

    void add(Index part, const Vec2& at, double low, double high, double share) {
        const double length = share * (high - low);
        if (!(length > 0.0)) {
            return;
        }
        auto found =
            std::find_if(sums_.begin(), sums_.end(), [&](const Sum& s) { return s.part == part; });
        if (found == sums_.end()) {
            found = sums_.insert(sums_.end(), {.part = part});
        }
        const Vec3 middle(at.x(), at.y(), 0.5 * (low + high));
        found->length += length;
        found->centre += length * middle;
        if (static_cast<std::size_t>(part) < fields_.size()) {
            found->tendon += length * fields_[static_cast<std::size_t>(part)].tendon(middle);
        }
    }

    const std::vector<MuscleField>& fields_;
    std::vector<Sum> sums_;
    std::vector<Cover> cover_;
    std::vector<double> ends_;
    double length_ = 0.0;
    int lines_ = 0;
};

void measure_tet(const TetCutter& tet, const PartLines& lines, int min_lines, Tally& tally) {
    const LineLattice& lattice = lines.lattice();
    const auto columns = lattice.range(0, tet.low().x(), tet.high().x());
    const auto rows = lattice.range(1, tet.low().y(), tet.high().y());
    double from = 0.0, to = 0.0;
    tally.clear();
    for (int j = rows[0]; j <= rows[1]; ++j) {
        for (int i = columns[0]; i <= columns[1]; ++i) {
            const Vec2 at = lattice.at(i, j);
            if (tet.cut(at, from, to)) {
                tally.add_line(at, from, to, lines.on(lattice.line(i, j)));
            }
        }
    }
    // Small tetrahedra: ever more lines, whose parts are those of the cell that they stand in.
    constexpr int kFinest = 64;
    for (int n = 4; tally.lines() < min_lines && n <= kFinest; n *= 2) {
        tally.clear();
        const Vec3 step = (tet.high() - tet.low()) / n;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                const Vec2 at(tet.low().x() + (i + 0.5) * step.x(),
                              tet.low().y() + (j + 0.5) * step.y());
                if (tet.cut(at, from, to)) {
                    tally.add_line(at, from, to, lines.on(lattice.nearest_line(at)));
                }
            }
        }
    }
}

}  // namespace

TetContents measure_tets(const TetMesh& tets, const std::vector<char>& is_flesh,
                         const PartLines& lines, const std::vector<MuscleField>& fields,
                         int min_lines) {
    const auto count = static_cast<std::size_t>(tets.tets.rows());
    std::vector<TetContents> pieces((count + kGrain - 1) / kGrain);
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
        TetContents& piece = pieces[begin / kGrain];
        Tally tally(fields);
        for (std::size_t t = begin; t < end; ++t) {
            if (is_flesh[t] != 0) {
                std::array<Vec3, 4> corners;
                for (std::size_t k = 0; k < 4; ++k) {
                    corners[k] = point(tets.points, tets.tets(static_cast<Eigen::Index>(t),
                                                              static_cast<Eigen::Index>(k)));
                }
                measure_tet(TetCutter(corners), lines, min_lines, tally);
                tally.finish(piece);
            }
            piece.start.push_back(static_cast<Index>(piece.entries.size()));
        }
    });
    TetContents all;
    all.start.reserve(count + 1);
    for (const TetContents& piece : pieces) {
        const auto offset = static_cast<Index>(all.entries.size());
        for (std::size_t i = 1; i < piece.start.size(); ++i) {
            all.start.push_back(offset + piece.start[i]);
        }
        all.entries.insert(all.entries.end(), piece.entries.begin(), piece.entries.end());
    }
    return all;
}

std::vector<double> part_volumes(const TetContents& contents, const Eigen::VectorXd& tet_volume,
                                 std::size_t parts) {
    std::vector<double> volumes(parts, 0.0);
    for (std::size_t t = 0; t + 1 < contents.start.size(); ++t) {
        for (Index e = contents.start[t]; e < contents.start[t + 1]; ++e) {
            const TetContent& entry = contents.entries[static_cast<std::size_t>(e)];
            volumes[static_cast<std::size_t>(entry.part)] +=
                entry.fraction * tet_volume[static_cast<Eigen::Index>(t)];
        }
    }
    return volumes;
}

int correct_volumes(TetContents& contents, const Eigen::VectorXd& tet_volume,
                    const std::vector<double>& target, int max_rounds, double tolerance) {
    constexpr double kLargestStep = 4.0;
    const std::size_t parts = target.size();
    std::vector<double> factor(parts, 1.0);
    int round = 0;
    for (; round < max_rounds; ++round) {
        // Sum of f V, and of f (1 - f) V, its derivative by the factor.
        std::vector<double> sum(parts, 0.0), slope(parts, 0.0);
        for (std::size_t t = 0; t + 1 < contents.start.size(); ++t) {
            const double v = tet_volume[static_cast<Eigen::Index>(t)];
            for (Index e = contents.start[t]; e < contents.start[t + 1]; ++e) {
                const TetContent& entry = contents.entries[static_cast<std::size_t>(e)];
                sum[static_cast<std::size_t>(entry.part)] += entry.fraction * v;
                slope[static_cast<std::size_t>(entry.part)] +=
                    entry.fraction * (1.0 - entry.fraction) * v;
            }
        }
        bool is_done = true;
        for (std::size_t p = 0; p < parts; ++p) {
            const double missing = target[p] - sum[p];
            is_done = is_done && std::abs(missing) <= tolerance * target[p];
            factor[p] = slope[p] > 0.0
                            ? std::clamp(1.0 + missing / slope[p], 1.0 / kLargestStep, kLargestStep)
                            : 1.0;
        }
        if (is_done) {
            break;
        }
        for (std::size_t t = 0; t + 1 < contents.start.size(); ++t) {
            double filled = 0.0;
            for (Index e = contents.start[t]; e < contents.start[t + 1]; ++e) {
                TetContent& entry = contents.entries[static_cast<std::size_t>(e)];
                const double s = factor[static_cast<std::size_t>(entry.part)];
                entry.fraction = s * entry.fraction / (1.0 - entry.fraction + s * entry.fraction);
                filled += entry.fraction;
            }
            for (Index e = contents.start[t]; filled > 1.0 && e < contents.start[t + 1]; ++e) {
                contents.entries[static_cast<std::size_t>(e)].fraction /= filled;
            }
        }
    }
    return round;
}

}  // namespace sinew
