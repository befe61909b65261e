#include "sinew/meshing/predicates.h"

#include <array>
#include <cmath>
#include <cstddef>

// This file is compiled with -ffp-contract=off: the error terms below are exact only when every
// operation is rounded by itself.

namespace sinew {

namespace {

// A number as an unevaluated sum of doubles that do not overlap, smallest first, without zeros
// [Shewchuk1997]. 192 terms hold the determinant of three rows of differences.
class Expansion {
public:
    // a - b, exactly.
    static Expansion difference(double a, double b) {
        const double x = a - b;
        const double b_virtual = a - x;
        const double a_virtual = x + b_virtual;
        Expansion e;
        e.push((b_virtual - b) + (a - a_virtual));
        e.push(x);
        return e;
    }

    int sign() const {
        return size_ == 0 ? 0 : (term_[size_ - 1] > 0.0 ? 1 : -1);
    }

    // Adds one double by passing it through all terms (GROW-EXPANSION with zero elimination).
    void add(double value) {
        std::size_t kept = 0;
        double carry = value;
        for (std::size_t i = 0; i < size_; ++i) {
            const double x = carry + term_[i];
            const double b_virtual = x - carry;
            const double a_virtual = x - b_virtual;
            const double rest = (carry - a_virtual) + (term_[i] - b_virtual);
            if (rest != 0.0) {
                term_[kept++] = rest;
            }
            carry = x;
        }
        size_ = kept;
        push(carry);
    }

    Expansion& operator+=(const Expansion& other) {
        for (std::size_t i = 0; i < other.size_; ++i) {
            add(other.term_[i]);
        }
        return *this;
    }

    Expansion& operator-=(const Expansion& other) {
        for (std::size_t i = 0; i < other.size_; ++i) {
            add(-other.term_[i]);
        }
        return *this;
    }

    friend Expansion operator*(const Expansion& a, const Expansion& b) {
        Expansion product;
        for (std::size_t i = 0; i < a.size_; ++i) {
            for (std::size_t j = 0; j < b.size_; ++j) {
                const double high = a.term_[i] * b.term_[j];
                product.add(std::fma(a.term_[i], b.term_[j], -high));
                product.add(high);
            }
        }
        return product;
    }

private:
    void push(double value) {
        if (value != 0.0 && size_ < term_.size()) {
            term_[size_++] = value;
        }
    }

    std::array<double, 192> term_;
    std::size_t size_ = 0;
};

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    std::array<std::array<Expansion, 3>, 3> m;
    for (int k = 0; k < 3; ++k) {
        const auto column = static_cast<std::size_t>(k);
        m[0][column] = Expansion::difference(b[k], a[k]);
        m[1][column] = Expansion::difference(c[k], a[k]);
        m[2][column] = Expansion::difference(d[k], a[k]);
    }
    Expansion det;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3;
        const std::size_t j = (k + 2) % 3;
        Expansion minor = m[0][i] * m[1][j];
        minor -= m[0][j] * m[1][i];
        det += minor * m[2][k];
    }
    return det.sign();
}

int exact_orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
    Expansion det = Expansion::difference(b.x(), a.x()) * Expansion::difference(c.y(), a.y());
    det -= Expansion::difference(b.y(), a.y()) * Expansion::difference(c.x(), a.x());
    return det.sign();
}

// Bounds of the rounding error relative to the sum of absolute products; slightly above the
// (7 + 56 u) u and (3 + 16 u) u of [Shewchuk1997], u = 2^-53.
constexpr double kError3 = 8e-16;
constexpr double kError2 = 4e-16;

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const double ux = b.x() - a.x(), uy = b.y() - a.y(), uz = b.z() - a.z();
    const double vx = c.x() - a.x(), vy = c.y() - a.y(), vz = c.z() - a.z();
    const double wx = d.x() - a.x(), wy = d.y() - a.y(), wz = d.z() - a.z();
    const double uyvz = uy * vz, uzvy = uz * vy;
    const double uzvx = uz * vx, uxvz = ux * vz;
    const double uxvy = ux * vy, uyvx = uy * vx;
    const double det = wx * (uyvz - uzvy) + wy * (uzvx - uxvz) + wz * (uxvy - uyvx);
    const double size = (std::abs(uyvz) + std::abs(uzvy)) * std::abs(wx) +
                        (std::abs(uzvx) + std::abs(uxvz)) * std::abs(wy) +
                        (std::abs(uxvy) + std::abs(uyvx)) * std::abs(wz);
    if (std::abs(det) > kError3 * size) {
        return det > 0.0 ? 1 : -1;
    }
    return size == 0.0 ? 0 : exact_orientation(a, b, c, d);
}

int orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
    const double left = (b.x() - a.x()) * (c.y() - a.y());
    const double right = (b.y() - a.y()) * (c.x() - a.x());
    const double det = left - right;
    const double size = std::abs(left) + std::abs(right);
    if (std::abs(det) > kError2 * size) {
        return det > 0.0 ? 1 : -1;
    }
    return size == 0.0 ? 0 : exact_orientation(a, b, c);
}

bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        if (orientation(Vec2(a[i], a[j]), Vec2(b[i], b[j]), Vec2(c[i], c[j])) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace sinew
