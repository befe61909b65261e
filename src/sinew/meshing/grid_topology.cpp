#include "sinew/meshing/grid_topology.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <queue>
#include <tuple>
#include <vector>

namespace sinew {

namespace {

/// The 27 values around one, as bits x + 3 y + 9 z of a mask; the middle is bit 13.
constexpr int bit_of(int x, int y, int z) {
    return x + 3 * y + 9 * z;
}

constexpr std::uint32_t kMiddle = 1u << 13;

/// Values that share a face, within the 27.
struct Neighbours {
    std::array<std::uint32_t, 27> of = {};

    constexpr Neighbours() {
        for (int z = 0; z < 3; ++z) {
            for (int y = 0; y < 3; ++y) {
                for (int x = 0; x < 3; ++x) {
                    std::uint32_t& mask = of[at(bit_of(x, y, z))];
                    mask |= x > 0 ? 1u << bit_of(x - 1, y, z) : 0u;
                    mask |= x < 2 ? 1u << bit_of(x + 1, y, z) : 0u;
                    mask |= y > 0 ? 1u << bit_of(x, y - 1, z) : 0u;
                    mask |= y < 2 ? 1u << bit_of(x, y + 1, z) : 0u;
                    mask |= z > 0 ? 1u << bit_of(x, y, z - 1) : 0u;
                    mask |= z < 2 ? 1u << bit_of(x, y, z + 1) : 0u;
                }
            }
        }
    }
};

constexpr Neighbours kFaces;

/// Values that share a face with any of these.
std::uint32_t beside(std::uint32_t values) {
    std::uint32_t result = 0;
    for (std::uint32_t rest = values; rest != 0; rest &= rest - 1) {
        result |= kFaces.of[at(__builtin_ctz(rest))];
    }
    return result;
}

/// Whether the inside around the middle, joined across faces, touches it in one piece. Only ways
/// that stay in touch with the middle count: from a value across a face to one across an edge to
/// one across a corner [Bertrand1994, geodesic neighbourhood 6+].
bool touches_in_one_piece(std::uint32_t inside) {
    const std::uint32_t across_faces = kFaces.of[13];
    const std::uint32_t across_edges = beside(across_faces) & ~across_faces & ~kMiddle;
    const std::uint32_t touching = inside & across_faces;
    if (touching == 0) {
        return false;
    }
    const std::uint32_t edges = inside & across_edges & beside(touching);
    const std::uint32_t corners = inside & ~across_faces & ~across_edges & beside(edges) & ~kMiddle;
    const std::uint32_t around = touching | edges | corners;
    std::uint32_t piece = touching & (~touching + 1u);  // lowest bit
    for (std::uint32_t front = piece; front != 0;) {
        front = beside(front) & around & ~piece;
        piece |= front;
    }
    return (touching & ~piece) == 0;
}

/// Patches less crossed edges of the eight cells around the middle: the part of the surface's Euler
/// characteristic that the middle can change.
int euler_around(std::uint32_t inside, const std::array<std::int8_t, 256>& patches) {
    int sum = 0;
    for (int z = 0; z < 2; ++z) {
        for (int y = 0; y < 2; ++y) {
            for (int x = 0; x < 2; ++x) {
                std::size_t pattern = 0;
                for (int k = 0; k < 8; ++k) {
                    const int bit = bit_of(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
                    pattern |= static_cast<std::size_t>(inside >> bit & 1u) << k;
                }
                sum += patches[pattern];
            }
        }
    }
    for (std::uint32_t rest = kFaces.of[13]; rest != 0; rest &= rest - 1) {
        const int bit = __builtin_ctz(rest);
        sum -= static_cast<int>((inside >> bit ^ inside >> 13) & 1u);
    }
    return sum;
}

class Growth {
public:
    Growth(const ScalarGrid& grid, double level)
        : grid_(grid),
          level_(static_cast<float>(level)),
          patches_(iso_surface_patch_counts()),
          state_(grid.values.size(), 0) {}

    /// 1 for each value of the solid.
    const std::vector<std::uint8_t>& grow() {
        const auto deepest = std::min_element(grid_.values.begin(), grid_.values.end());
        if (deepest == grid_.values.end() || !(*deepest < level_)) {
            return state_;
        }
        const auto start = static_cast<std::size_t>(deepest - grid_.values.begin());
        state_[start] = 1;
        queue_neighbours(start);
        while (!queue_.empty()) {
            const std::size_t i = std::get<1>(queue_.top());
            queue_.pop();
            if (state_[i] == 0 && is_simple(i)) {
                state_[i] = 1;
                queue_neighbours(i);
            }
        }
        return state_;
    }

private:
    std::array<int, 3> place(std::size_t i) const {
        const auto nx = static_cast<std::size_t>(grid_.size[0]);
        const auto ny = static_cast<std::size_t>(grid_.size[1]);
        return {static_cast<int>(i % nx), static_cast<int>(i / nx % ny),
                static_cast<int>(i / (nx * ny))};
    }

    bool is_at_border(const std::array<int, 3>& p) const {
        for (std::size_t a = 0; a < 3; ++a) {
            if (p[a] < 1 || p[a] + 1 >= grid_.size[a]) {
                return true;
            }
        }
        return false;
    }

    bool is_simple(std::size_t i) const {
        const auto [x, y, z] = place(i);
        std::uint32_t inside = 0;
        for (int dz = 0; dz < 3; ++dz) {
            for (int dy = 0; dy < 3; ++dy) {
                for (int dx = 0; dx < 3; ++dx) {
                    const std::size_t j = grid_.index(x + dx - 1, y + dy - 1, z + dz - 1);
                    inside |= static_cast<std::uint32_t>(state_[j]) << bit_of(dx, dy, dz);
                }
            }
        }
        // A connected contact of Euler characteristic 1 is a disc: nothing is joined or closed.
        return touches_in_one_piece(inside) &&
               euler_around(inside, patches_) == euler_around(inside | kMiddle, patches_);
    }

    /// Every addition may make any of the 26 around it simple.
    void queue_neighbours(std::size_t i) {
        const auto [x, y, z] = place(i);
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const std::size_t j = grid_.index(x + dx, y + dy, z + dz);
                    if (state_[j] == 0 && grid_.values[j] < level_ && !is_at_border(place(j))) {
                        queue_.emplace(grid_.values[j], j);
                    }
                }
            }
        }
    }

    using Entry = std::tuple<float, std::size_t>;
    const ScalarGrid& grid_;
    float level_;
    std::array<std::int8_t, 256> patches_;
    std::vector<std::uint8_t> state_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Cells that the outer air reaches through values above `gap`, starting from the upper corner
/// farthest from the body.
std::vector<std::uint8_t> outer_air(const ScalarGrid& grid, float gap) {
    std::vector<std::uint8_t> is_air(grid.values.size(), 0);
    std::vector<std::size_t> front = {grid.values.size() - 1};
    is_air.back() = 1;
    const auto nx = static_cast<std::size_t>(grid.size[0]);
    const std::size_t ny = static_cast<std::size_t>(grid.size[1]);
    const std::size_t nz = static_cast<std::size_t>(grid.size[2]);
    while (!front.empty()) {
        const std::size_t i = front.back();
        front.pop_back();
        const std::size_t x = i % nx, y = i / nx % ny, z = i / (nx * ny);
        const auto visit = [&](bool exists, std::size_t j) {
            if (exists && is_air[j] == 0 && grid.values[j] > gap) {
                is_air[j] = 1;
                front.push_back(j);
            }
        };
        visit(x > 0, i - 1);
        visit(x + 1 < nx, i + 1);
        visit(y > 0, i - nx);
        visit(y + 1 < ny, i + nx);
        visit(z > 0, i - nx * ny);
        visit(z + 1 < nz, i + nx * ny);
    }
    return is_air;
}

}  // namespace

std::size_t remove_handles(ScalarGrid& grid, double level) {
    std::size_t raised = 0;
    // Just outside: the surface passes close to the value, as it did on the other side.
    const auto outside = static_cast<float>(level + 0.25 * grid.cell);
    Growth growth(grid, level);
    const std::vector<std::uint8_t> solid = growth.grow();
    for (std::size_t i = 0; i < solid.size(); ++i) {
        if (solid[i] == 0 && grid.values[i] < static_cast<float>(level)) {
            grid.values[i] = outside;
            ++raised;
        }
    }
    return raised;
}

void fill_closed_places(ScalarGrid& grid, const ClosedPlaces& options) {
    const std::vector<std::uint8_t> is_air = outer_air(grid, static_cast<float>(options.gap));
    const double widening = 2.0 * options.gap + 0.5 * grid.cell;
    const int reach = static_cast<int>(widening / grid.cell);
    std::vector<std::array<int, 3>> ball;
    for (int z = -reach; z <= reach; ++z) {
        for (int y = -reach; y <= reach; ++y) {
            for (int x = -reach; x <= reach; ++x) {
                if (grid.cell * std::sqrt(x * x + y * y + z * z) <= widening) {
                    ball.push_back({x, y, z});
                }
            }
        }
    }
    const int nx = grid.size[0];
    const int ny = grid.size[1];
    const int nz = grid.size[2];
    const auto has = [&](int x, int y, int z) {
        return x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz;
    };
    // A cell outside the air becomes inside unless air lies within the ball around it.
    parallel_for(static_cast<std::size_t>(nz), 2, [&](std::size_t begin, std::size_t end) {
        for (int z = static_cast<int>(begin); z < static_cast<int>(end); ++z) {
            for (int y = 0; y < ny; ++y) {
                for (int x = 0; x < nx; ++x) {
                    const std::size_t i = grid.index(x, y, z);
                    if (is_air[i] != 0 || grid.values[i] <= 0.0f) {
                        continue;
                    }
                    const bool is_near_air = std::any_of(ball.begin(), ball.end(), [&](auto& o) {
                        const int bx = options.is_mirrored ? std::abs(x + o[0]) : x + o[0],
                                  by = y + o[1], bz = z + o[2];
                        return has(bx, by, bz) && is_air[grid.index(bx, by, bz)] != 0;
                    });
                    if (!is_near_air) {
                        grid.values[i] = options.value;
                    }
                }
            }
        }
    });
}

}  // namespace sinew
