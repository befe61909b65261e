#include "sinew/body/foot_contacts.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace sinew {

namespace {

constexpr double kMeasuredLeg = 0.85;      // m, that the options are for
constexpr double kSpeedWindow = 1.0 / 30;  // s, on both sides, over which a speed is measured
constexpr double kGroundQuantile = 0.1;
constexpr int kLengthPasses = 50;
constexpr double kLowerFoot = 0.03;  // m, that the lower foot may be higher than the other one

double speed_at(const std::vector<Vec3>& path, std::size_t f, double frame_time, Index skip) {
    const auto window = static_cast<std::size_t>(
        std::max(1.0, std::round(kSpeedWindow / std::max(frame_time, 1e-6))));
    std::size_t a = f >= window ? f - window : 0;
    std::size_t b = std::min(f + window, path.size() - 1);
    // A pose that is none of the motion is no neighbour.
    if (skip >= 0 && a == static_cast<std::size_t>(skip) && a < b) {
        ++a;
    }
    return b > a ? (path[b] - path[a]).norm() / (static_cast<double>(b - a) * frame_time) : 0.0;
}

double smooth_step(double x) {
    const double t = std::clamp(x, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// A low quantile of heights in slow frames; in all frames where hardly one is slow.
double low_height(std::initializer_list<const std::vector<Vec3>*> points, double frame_time,
                  Index skip, double speed) {
    for (const double slow : {speed, HUGE_VAL}) {
        std::vector<double> heights;
        for (const std::vector<Vec3>* path : points) {
            for (std::size_t f = 0; f < path->size(); ++f) {
                if (static_cast<Index>(f) != skip && speed_at(*path, f, frame_time, skip) <= slow) {
                    heights.push_back((*path)[f].y());
                }
            }
        }
        if (heights.size() >= 5 || (slow == HUGE_VAL && !heights.empty())) {
            const auto k =
                static_cast<std::ptrdiff_t>(kGroundQuantile * static_cast<double>(heights.size()));
            std::nth_element(heights.begin(), heights.begin() + k, heights.end());
            return heights[at(k)];
        }
    }
    return 0.0;
}

// Spans that a short stir parts, made one; not where the point creeps on and on.
std::vector<ContactSpan> joined_spans(const FootPaths& paths, const std::vector<ContactSpan>& spans,
                                      const ContactOptions& options) {
    const double size = paths.leg / kMeasuredLeg;
    const auto stays = [&](std::size_t begin, std::size_t first, std::size_t last, double far) {
        for (std::size_t f = first; f <= last; ++f) {
            if ((paths.own[f] - paths.own[begin]).norm() > size * far) {
                return false;
            }
        }
        return true;
    };
    std::vector<ContactSpan> joined;
    for (const ContactSpan& span : spans) {
        if (!joined.empty()) {
            ContactSpan& last = joined.back();
            const double pause = static_cast<double>(span.first - last.last) * paths.frame_time;
            if (pause <= options.pause && last.is_on_ground == span.is_on_ground &&
                stays(last.last, last.last, span.first, options.stir) &&
                stays(last.first, span.first, span.last, options.drift)) {
                last.last = span.last;
                continue;
            }
        }
        joined.push_back(span);
    }
    return joined;
}

}  // namespace

double standing_height(const FootPaths& paths, Index skip, const ContactOptions& options) {
    return low_height({&paths.own, &paths.other}, paths.frame_time, skip,
                      paths.leg / kMeasuredLeg * options.speed);
}

double ground_under(const FootPaths& paths, Index skip, const ContactOptions& options) {
    const double size = paths.leg / kMeasuredLeg;
    const double both = standing_height(paths, skip, options);
    const double own = low_height({&paths.own}, paths.frame_time, skip, size * options.speed);
    return own < both + size * options.height ? own : both;
}

std::vector<ContactSpan> find_contacts(const FootPaths& paths, Index skip,
                                       const ContactOptions& options) {
    const double size = paths.leg / kMeasuredLeg;
    const auto shortest =
        static_cast<std::size_t>(std::max(2.0, std::ceil(options.shortest / paths.frame_time)));
    std::vector<ContactSpan> spans;
    std::size_t begin = 0;
    bool is_open = false;
    std::size_t not_before = 0;  // a point that crept out of its span rests as long as a blend
    const auto close = [&](std::size_t end) {  // frames begin .. end - 1
        if (is_open && end - begin >= shortest) {
            double height = 0.0;
            for (std::size_t f = begin; f < end; ++f) {
                height += paths.own[f].y() / static_cast<double>(end - begin);
            }
            spans.push_back({.first = begin,
                             .last = end - 1,
                             .is_on_ground = height < paths.ground + size * options.height});
        }
        is_open = false;
    };
    for (std::size_t f = 0; f < paths.own.size(); ++f) {
        const Vec3& p = paths.own[f];
        const bool is_low = p.y() < paths.ground + size * options.height ||
                            p.y() < paths.other[f].y() + size * kLowerFoot;
        const bool stands = static_cast<Index>(f) != skip && is_low && f >= not_before &&
                            speed_at(paths.own, f, paths.frame_time, skip) < size * options.speed;
        if (is_open && stands && (p - paths.own[begin]).norm() > size * options.drift) {
            close(f);
            not_before = f + shortest;
        } else if (is_open && !stands) {
            close(f);
        } else if (!is_open && stands) {
            is_open = true;
            begin = f;
        }
    }
    close(paths.own.size());
    return joined_spans(paths, spans, options);
}

std::vector<FootPin> pins_of(std::span<const Vec3> path, std::span<const ContactSpan> spans,
                             double ground) {
    std::vector<FootPin> pins;
    for (const ContactSpan& span : spans) {
        Vec3 mean = Vec3::Zero();
        for (std::size_t f = span.first; f <= span.last; ++f) {
            mean += path[f] / static_cast<double>(span.last - span.first + 1);
        }
        mean.y() = span.is_on_ground ? ground : std::max(ground, mean.y());
        pins.push_back({.span = span, .position = mean});
    }
    return pins;
}

void keep_foot_length(std::vector<FootPin>& heels, std::vector<FootPin>& balls, double length) {
    // Pairs that hold at the same time are few and form chains; passes over them converge quickly
    // (position-based constraints of equal masses).
    for (int pass = 0; pass < kLengthPasses; ++pass) {
        for (FootPin& heel : heels) {
            for (FootPin& ball : balls) {
                const bool is_apart =
                    heel.span.last < ball.span.first || ball.span.last < heel.span.first;
                const Vec3 foot = ball.position - heel.position;
                const double level = std::hypot(foot.x(), foot.z());
                const double wanted = length * length - foot.y() * foot.y();
                if (is_apart || level == 0.0 || wanted <= 0.0) {
                    continue;
                }
                const double stretch = 0.5 * (std::sqrt(wanted) / level - 1.0);
                const Vec3 along(stretch * foot.x(), 0.0, stretch * foot.z());
                heel.position -= along;
                ball.position += along;
            }
        }
    }
}

FootCorrection hold_at_pins(std::span<const Vec3> path, std::span<const FootPin> pins,
                            double frame_time, const ContactOptions& options) {
    FootCorrection correction{.shift = std::vector<Vec3>(path.size(), Vec3::Zero()),
                              .weight = std::vector<double>(path.size(), 0.0)};
    const double most = std::max(1.0, options.blend / frame_time);
    for (std::size_t s = 0; s < pins.size(); ++s) {
        const ContactSpan& span = pins[s].span;
        const Vec3& pin = pins[s].position;
        for (std::size_t f = span.first; f <= span.last; ++f) {
            correction.shift[f] = pin - path[f];
            correction.weight[f] = 1.0;
        }
        // Before and after: what the ends ask for, fading within the gap.
        const std::size_t before = s > 0 ? pins[s - 1].span.last + 1 : 0;
        const std::size_t after = s + 1 < pins.size() ? pins[s + 1].span.first : path.size();
        const double rise = std::min(most, static_cast<double>(span.first - before + 1));
        const double fall = std::min(most, static_cast<double>(after - span.last));
        for (std::size_t f = before; f < span.first; ++f) {
            const double w = smooth_step(1.0 - static_cast<double>(span.first - f) / rise);
            correction.shift[f] += w * (pin - path[span.first]);
            correction.weight[f] = std::max(correction.weight[f], w);
        }
        for (std::size_t f = span.last + 1; f < after; ++f) {
            const double w = smooth_step(1.0 - static_cast<double>(f - span.last) / fall);
            correction.shift[f] += w * (pin - path[span.last]);
            correction.weight[f] = std::max(correction.weight[f], w);
        }
    }
    return correction;
}

}  // namespace sinew
