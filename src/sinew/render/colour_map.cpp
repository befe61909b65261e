#include "sinew/render/colour_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace sinew {

namespace {

// CIE 1976 L*a*b* with the D65 white of sRGB.
constexpr std::array<double, 3> kWhite = {0.95047, 1.0, 1.08883};

Eigen::Vector3d lab_from_linear(const Colour& c) {
    const double x = 0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2];
    const double y = 0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2];
    const double z = 0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2];
    const auto f = [](double t) {
        return t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
    };
    const double fx = f(x / kWhite[0]);
    const double fy = f(y / kWhite[1]);
    const double fz = f(z / kWhite[2]);
    return {116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)};
}

Colour linear_from_lab(const Eigen::Vector3d& lab) {
    const auto inverse = [](double t) {
        return t > 6.0 / 29.0 ? t * t * t : (116.0 * t - 16.0) * 27.0 / 24389.0;
    };
    const double fy = (lab[0] + 16.0) / 116.0;
    const double x = kWhite[0] * inverse(fy + lab[1] / 500.0);
    const double y = kWhite[1] * inverse(fy);
    const double z = kWhite[2] * inverse(fy - lab[2] / 200.0);
    const Eigen::Vector3d rgb(3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
                              -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
                              0.0556434 * x - 0.2040259 * y + 1.0572252 * z);
    return rgb.cwiseMax(0.0).cwiseMin(1.0).cast<float>();
}

std::span<const std::uint32_t> control_points(ColourMap map) {
    static constexpr std::uint32_t kViridis[] = {0x42115a, 0x45407f, 0x32678a, 0x218c88,
                                                 0x37b073, 0x8fcf43, 0xf5e12d};
    static constexpr std::uint32_t kDiverging[] = {0x1f4e9c, 0x5b8bc9, 0xb0cbe6, 0xf4f3f0,
                                                   0xf0b79c, 0xd76a54, 0xa01c2c};
    static constexpr std::uint32_t kHeat[] = {0x14121c, 0x57143f, 0xa02843, 0xdb5733,
                                              0xf39a35, 0xfad56c, 0xfffbe6};
    static constexpr std::uint32_t kGrey[] = {0x262626, 0xf2f2f2};
    switch (map) {
        case ColourMap::Diverging:
            return kDiverging;
        case ColourMap::Heat:
            return kHeat;
        case ColourMap::Grey:
            return kGrey;
        case ColourMap::Viridis:
            break;
    }
    return kViridis;
}

}  // namespace

Colour map_colour(ColourMap map, double t) {
    if (std::isnan(t)) {
        return colour_from_hex(0xb0b0b0);
    }
    const std::span<const std::uint32_t> points = control_points(map);
    const double s = std::clamp(t, 0.0, 1.0) * static_cast<double>(points.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(s), points.size() - 2);
    const double f = s - static_cast<double>(i);
    const Eigen::Vector3d a = lab_from_linear(colour_from_hex(points[i]));
    const Eigen::Vector3d b = lab_from_linear(colour_from_hex(points[i + 1]));
    return linear_from_lab((1.0 - f) * a + f * b);
}

std::vector<double> ticks_between(double low, double high, int count) {
    std::vector<double> ticks;
    if (!(high > low) || count < 1 || !std::isfinite(high - low)) {
        return ticks;
    }
    // The step is 1, 2 or 5 times a power of ten, whichever comes nearest to the wanted count.
    const double wanted = (high - low) / count;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    const double ratio = wanted / power;
    const double step = power * (ratio < 1.5 ? 1.0 : ratio < 3.5 ? 2.0 : ratio < 7.5 ? 5.0 : 10.0);
    const double slack = 1e-9 * step;
    for (double k = std::ceil((low - slack) / step); k * step <= high + slack; k += 1.0) {
        ticks.push_back(k == 0.0 ? 0.0 : k * step);
    }
    return ticks;
}

std::string tick_label(double value, double step) {
    const double size = std::max(std::abs(value), std::abs(step));
    if (size != 0.0 && (size >= 1e6 || std::abs(step) < 1e-5)) {
        return fmt::format("{:.3g}", value);
    }
    const int digits =
        step == 0.0
            ? 2
            : std::clamp(static_cast<int>(std::ceil(-std::log10(std::abs(step)) - 1e-9)), 0, 6);
    return fmt::format("{:.{}f}", value, digits);
}

}  // namespace sinew
