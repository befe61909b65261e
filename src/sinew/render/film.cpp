#include "sinew/render/film.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <cmath>

namespace sinew::detail {

namespace {

bool can_smooth(const Pixel& p) {
    return !p.is_mixed && p.surfaces > 0;
}

Arrival smoothed(const Film& film, const std::vector<Arrival>& from, int x, int y, int step) {
    static constexpr float kKernel[3] = {0.375f, 0.25f, 0.0625f};
    const Pixel& p = film.at(x, y);
    // Distances are judged by what one pixel spans on the surface.
    const float scale = 1.0f / (2.0f * p.footprint * static_cast<float>(step) + 1e-12f);
    Arrival sum;
    float total = 0.0f;
    for (int j = -2; j <= 2; ++j) {
        const int yy = y + j * step;
        if (yy < film.first || yy >= film.first + film.rows) {
            continue;
        }
        for (int i = -2; i <= 2; ++i) {
            const int xx = x + i * step;
            if (xx < 0 || xx >= film.width) {
                continue;
            }
            const Pixel& q = film.at(xx, yy);
            if (!can_smooth(q)) {
                continue;
            }
            const float bend = std::max(0.0f, 1.0f - p.normal.dot(q.normal));
            const float off = std::abs(p.normal.dot(q.position - p.position)) * scale;
            const float w =
                kKernel[std::abs(i)] * kKernel[std::abs(j)] * std::exp(-bend * 12.0f - off);
            const Arrival& a = from[static_cast<std::size_t>(yy - film.first) *
                                        static_cast<std::size_t>(film.width) +
                                    static_cast<std::size_t>(xx)];
            sum.key += w * a.key;
            sum.rim += w * a.rim;
            sum.room += w * a.room;
            total += w;
        }
    }
    const float inverse = 1.0f / total;
    return {sum.key * inverse, sum.rim * inverse, sum.room * inverse};
}

}  // namespace

void smooth_arrival(Film& film) {
    std::vector<Arrival> now(film.pixels.size());
    std::vector<Arrival> next(film.pixels.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
        now[i] = film.pixels[i].arrival;
    }
    for (const int step : {1, 2, 4}) {
        parallel_for(
            static_cast<std::size_t>(film.rows), 4, [&](std::size_t begin, std::size_t end) {
                for (std::size_t row = begin; row < end; ++row) {
                    for (int x = 0; x < film.width; ++x) {
                        const std::size_t i = row * static_cast<std::size_t>(film.width) +
                                              static_cast<std::size_t>(x);
                        next[i] =
                            can_smooth(film.pixels[i])
                                ? smoothed(film, now, x, film.first + static_cast<int>(row), step)
                                : now[i];
                    }
                }
            });
        std::swap(now, next);
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        film.pixels[i].arrival = now[i];
    }
}

}  // namespace sinew::detail
