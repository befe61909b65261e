#pragma once

// Kernels on batches of 3x3 float matrices, one matrix per SIMD lane (8 with AVX2, 4 with SSE or
// NEON). For the few sources whose inner loop they are; everyone else includes batch3.h.

#include <xsimd/xsimd.hpp>

#include <limits>

namespace sinew::batch3 {

using Lanes = xsimd::batch<float>;
inline constexpr std::size_t kWidth = Lanes::size;

struct Vector {
    Lanes x, y, z;
};

inline Lanes dot(const Vector& a, const Vector& b) {
    return xsimd::fma(a.x, b.x, xsimd::fma(a.y, b.y, a.z * b.z));
}
inline Vector cross(const Vector& a, const Vector& b) {
    return {xsimd::fms(a.y, b.z, a.z * b.y), xsimd::fms(a.z, b.x, a.x * b.z),
            xsimd::fms(a.x, b.y, a.y * b.x)};
}
/// a + t b
inline Vector plus(const Vector& a, const Lanes& t, const Vector& b) {
    return {xsimd::fma(t, b.x, a.x), xsimd::fma(t, b.y, a.y), xsimd::fma(t, b.z, a.z)};
}
inline Vector times(const Lanes& t, const Vector& a) {
    return {t * a.x, t * a.y, t * a.z};
}
template <class Mask>
Vector select(const Mask& mask, const Vector& a, const Vector& b) {
    return {xsimd::select(mask, a.x, b.x), xsimd::select(mask, a.y, b.y),
            xsimd::select(mask, a.z, b.z)};
}

/// Three columns.
struct Matrix {
    Vector c0, c1, c2;
};

struct Svd {
    Matrix U;
    Vector s;
    Matrix V;
};

namespace detail {

/// Turns columns a and b of A, and u and v of V with them, until a and b are orthogonal. Returns
/// the lanes' |cos|^2 between a and b as they were.
inline Lanes orthogonalise(Vector& a, Vector& b, Vector& u, Vector& v) {
    const Lanes tiny(std::numeric_limits<float>::min());
    const Lanes along = dot(a, b);
    const Lanes aa = dot(a, a);
    const Lanes bb = dot(b, b);
    const Lanes d = aa - bb;
    const Lanes twice = along + along;
    const Lanes h = xsimd::sqrt(xsimd::fma(d, d, twice * twice)) + tiny;
    // tan of the angle, the root smaller than one; twice/(d + sign(d) h)
    const Lanes t = twice / (d + xsimd::select(d < Lanes(0.0f), -h, h));
    const Lanes c = Lanes(1.0f) / xsimd::sqrt(xsimd::fma(t, t, Lanes(1.0f)));
    const Lanes s = c * t;
    const Vector a_new = plus(times(c, a), s, b);
    b = plus(times(c, b), -s, a);
    a = a_new;
    const Vector u_new = plus(times(c, u), s, v);
    v = plus(times(c, v), -s, u);
    u = u_new;
    return along * along / xsimd::fma(aa, bb, tiny);
}

/// Where |a| < |b|: swaps, and turns one of the two round so that determinants stay.
inline void longer_first(Vector& a, Vector& b, Lanes& aa, Lanes& bb, Vector& u, Vector& v) {
    const auto swap = aa < bb;
    const Vector a_old = a;
    const Vector u_old = u;
    const Lanes minus(-1.0f);
    a = select(swap, b, a);
    u = select(swap, v, u);
    b = select(swap, times(minus, a_old), b);
    v = select(swap, times(minus, u_old), v);
    const Lanes longer = xsimd::max(aa, bb);
    bb = xsimd::min(aa, bb);
    aa = longer;
}

/// A unit vector perpendicular to the unit vector u.
inline Vector any_perpendicular(const Vector& u) {
    const Lanes ax = xsimd::abs(u.x);
    const Lanes ay = xsimd::abs(u.y);
    const Lanes az = xsimd::abs(u.z);
    const Lanes zero(0.0f);
    const auto use_x = (ax <= ay) && (ax <= az);
    const auto use_y = !use_x && (ay <= az);
    const Vector v = select(use_x, Vector{zero, u.z, -u.y},
                            select(use_y, Vector{-u.z, zero, u.x}, Vector{u.y, -u.x, zero}));
    return times(Lanes(1.0f) / xsimd::sqrt(dot(v, v)), v);
}

}  // namespace detail

/// F = U diag(s) V^T, U and V rotations, s0 >= s1 >= |s2|, by one-sided Jacobi rotations: the
/// relative accuracy of each column is kept, so flat and nearly singular lanes are no special case.
inline Svd signed_svd(const Matrix& F) {
    const Lanes zero(0.0f);
    const Lanes one(1.0f);
    const auto size = [](const Vector& v) {
        return xsimd::max(xsimd::max(xsimd::abs(v.x), xsimd::abs(v.y)), xsimd::abs(v.z));
    };
    Lanes scale = xsimd::max(xsimd::max(size(F.c0), size(F.c1)), size(F.c2));
    // Zero stays zero; the limits keep 1 / scale finite for sizes near the ends of float.
    scale = xsimd::max(scale, Lanes(1e-37f));
    const Lanes down = one / scale;
    Matrix A{times(down, F.c0), times(down, F.c1), times(down, F.c2)};
    Matrix V{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};

    // Convergence is quadratic: a sweep that found |cos| < 1e-4 has left |cos| ~ 1e-8.
    constexpr float kFound = 1e-8f;
    constexpr int kMaxSweeps = 8;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        Lanes found = detail::orthogonalise(A.c0, A.c1, V.c0, V.c1);
        found = xsimd::max(found, detail::orthogonalise(A.c0, A.c2, V.c0, V.c2));
        found = xsimd::max(found, detail::orthogonalise(A.c1, A.c2, V.c1, V.c2));
        if (!xsimd::any(found > Lanes(kFound))) {
            break;
        }
    }

    Lanes n0 = dot(A.c0, A.c0);
    Lanes n1 = dot(A.c1, A.c1);
    Lanes n2 = dot(A.c2, A.c2);
    detail::longer_first(A.c0, A.c1, n0, n1, V.c0, V.c1);
    detail::longer_first(A.c0, A.c2, n0, n2, V.c0, V.c2);
    detail::longer_first(A.c1, A.c2, n1, n2, V.c1, V.c2);

    // Columns of U; where a column is nothing, any perpendicular direction will do. After division
    // by `scale` the longest column is at least 1 unless F = 0.
    const Lanes s0 = xsimd::sqrt(n0);
    const auto is_zero = n0 < Lanes(0.25f);
    const Vector u0 = select(is_zero, Vector{one, zero, zero},
                             times(one / xsimd::select(is_zero, one, s0), A.c0));
    const Lanes s1 = xsimd::sqrt(n1);
    constexpr float kNothing = 1e-32f;  // square of a length, against 1
    const auto is_line = n1 < Lanes(kNothing);
    Vector u1 = times(one / xsimd::select(is_line, one, s1), A.c1);
    u1 = select(is_line, detail::any_perpendicular(u0), u1);
    u1 = plus(u1, -dot(u0, u1), u0);
    u1 = times(one / xsimd::sqrt(dot(u1, u1)), u1);
    const Vector u2 = cross(u0, u1);
    return {{u0, u1, u2}, times(scale, {s0, s1, dot(u2, A.c2)}), V};
}

/// a diag(p) b^T
inline Matrix recompose(const Matrix& a, const Vector& p, const Matrix& b) {
    const Vector a0 = times(p.x, a.c0);
    const Vector a1 = times(p.y, a.c1);
    const Vector a2 = times(p.z, a.c2);
    const auto column = [&](const Lanes& x, const Lanes& y, const Lanes& z) {
        return plus(plus(times(x, a0), y, a1), z, a2);
    };
    return {column(b.c0.x, b.c1.x, b.c2.x), column(b.c0.y, b.c1.y, b.c2.y),
            column(b.c0.z, b.c1.z, b.c2.z)};
}

/// volume_singular_values of svd3.h, lane by lane. `size` is the cube root of `ratio`.
inline Vector volume_singular_values(const Vector& s, const Lanes& ratio, const Lanes& size) {
    const Lanes half(0.5f);
    const Lanes zero(0.0f);
    const Lanes tiny(1e-30f);
    // The linearised step from s [Saito2015, eq. 4].
    const Vector g{s.y * s.z, s.x * s.z, s.x * s.y};
    const Lanes gg = dot(g, g) + tiny;
    Lanes p2 = s.z - (s.x * g.x - ratio) / gg * g.z;
    p2 = xsimd::max(p2, Lanes(0.25f) * xsimd::min(size, xsimd::max(s.z, half * size)));
    const Lanes inverse_ratio = Lanes(1.0f) / ratio;
    Vector p = s;
    constexpr int kMaxSteps = 24;
    constexpr float kTolerance = 1e-6f;
    for (int step = 0; step < kMaxSteps; ++step) {
        const Lanes m4 = Lanes(4.0f) * p2 * (p2 - s.z);
        const Lanes r0 = xsimd::sqrt(xsimd::max(xsimd::fma(s.x, s.x, m4), zero));
        const Lanes r1 = xsimd::sqrt(xsimd::max(xsimd::fma(s.y, s.y, m4), zero));
        p = {half * (s.x + r0), half * (s.y + r1), p2};
        const Lanes product = p.x * p.y * p2 * inverse_ratio;
        const Lanes miss = product - Lanes(1.0f);
        if (!xsimd::any(xsimd::abs(miss) > Lanes(kTolerance))) {
            break;
        }
        // slope of log(product) times p2, and 2 (y - 1) / (y + 1) in place of log(y)
        const Lanes d0 = p.x * r0 + tiny;
        const Lanes d1 = p.y * r1 + tiny;
        const Lanes slope =
            Lanes(1.0f) + p2 * (p2 + p2 - s.z) * (d0 + d1) / xsimd::max(d0 * d1, tiny);
        const Lanes change = (miss + miss) / ((product + Lanes(1.0f)) * xsimd::max(slope, tiny));
        p2 = p2 * xsimd::min(xsimd::max(Lanes(1.0f) - change, half), Lanes(4.0f));
    }
    return p;
}

}  // namespace sinew::batch3
