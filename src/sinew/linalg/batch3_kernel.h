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

/// Convergence is quadratic: a sweep that found |cos|^2 < kFound has left |cos| below about kFound.
inline constexpr float kFound = 1e-6f;

/// Turns columns a and b of A, and u and v of V with them, until a and b are orthogonal. Returns
/// more than zero in lanes where |cos|^2 between a and b was above kFound.
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
    return along * along - Lanes(kFound) * aa * bb;
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

namespace detail {

/// From the orthogonal columns A = F V / scale to sorted singular values and U.
inline Svd finish_svd(Matrix& A, Matrix& V, const Lanes& scale) {
    const Lanes zero(0.0f);
    const Lanes one(1.0f);
    Lanes n0 = dot(A.c0, A.c0);
    Lanes n1 = dot(A.c1, A.c1);
    Lanes n2 = dot(A.c2, A.c2);
    longer_first(A.c0, A.c1, n0, n1, V.c0, V.c1);
    longer_first(A.c0, A.c2, n0, n2, V.c0, V.c2);
    longer_first(A.c1, A.c2, n1, n2, V.c1, V.c2);

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
    if (xsimd::any(is_line)) {
        u1 = select(is_line, any_perpendicular(u0), u1);
    }
    u1 = plus(u1, -dot(u0, u1), u0);
    u1 = times(one / xsimd::sqrt(dot(u1, u1)), u1);
    const Vector u2 = cross(u0, u1);
    return {{u0, u1, u2}, times(scale, {s0, s1, dot(u2, A.c2)}), V};
}

}  // namespace detail

/// F = U diag(s) V^T, U and V rotations, s0 >= s1 >= |s2|, by one-sided Jacobi rotations: the
/// relative accuracy of each column is kept, so flat and nearly singular lanes are no special case.
/// N batches at once: each rotation waits for the one before, so a second batch fills the gaps.
template <std::size_t N>
void signed_svds(const Matrix (&F)[N], Svd (&svd)[N]) {
    const Lanes zero(0.0f);
    const Lanes one(1.0f);
    const auto size = [](const Vector& v) {
        return xsimd::max(xsimd::max(xsimd::abs(v.x), xsimd::abs(v.y)), xsimd::abs(v.z));
    };
    Lanes scale[N];
    Matrix A[N];
    Matrix V[N];
    for (std::size_t n = 0; n < N; ++n) {
        scale[n] = xsimd::max(xsimd::max(size(F[n].c0), size(F[n].c1)), size(F[n].c2));
        // Zero stays zero; the limit keeps 1 / scale finite.
        scale[n] = xsimd::max(scale[n], Lanes(1e-37f));
        const Lanes down = one / scale[n];
        A[n] = {times(down, F[n].c0), times(down, F[n].c1), times(down, F[n].c2)};
        V[n] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    }
    constexpr int kMaxSweeps = 8;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        Lanes found = zero;
        for (std::size_t n = 0; n < N; ++n) {
            found = xsimd::max(found, detail::orthogonalise(A[n].c0, A[n].c1, V[n].c0, V[n].c1));
        }
        for (std::size_t n = 0; n < N; ++n) {
            found = xsimd::max(found, detail::orthogonalise(A[n].c0, A[n].c2, V[n].c0, V[n].c2));
        }
        for (std::size_t n = 0; n < N; ++n) {
            found = xsimd::max(found, detail::orthogonalise(A[n].c1, A[n].c2, V[n].c1, V[n].c2));
        }
        if (!xsimd::any(found > zero)) {
            break;
        }
    }
    for (std::size_t n = 0; n < N; ++n) {
        svd[n] = detail::finish_svd(A[n], V[n], scale[n]);
    }
}

inline Svd signed_svd(const Matrix& F) {
    const Matrix one[1] = {F};
    Svd svd[1];
    signed_svds(one, svd);
    return svd[0];
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
template <std::size_t N>
void volume_singular_values(const Vector (&s)[N], const Lanes (&ratio)[N], const Lanes (&size)[N],
                            Vector (&p)[N]) {
    const Lanes half(0.5f);
    const Lanes one(1.0f);
    const Lanes zero(0.0f);
    const Lanes tiny(1e-30f);
    Lanes p2[N];
    Lanes inverse_ratio[N];
    for (std::size_t n = 0; n < N; ++n) {
        // The linearised step from s [Saito2015, eq. 4].
        const Vector g{s[n].y * s[n].z, s[n].x * s[n].z, s[n].x * s[n].y};
        const Lanes gg = dot(g, g) + tiny;
        p2[n] = s[n].z - (s[n].x * g.x - ratio[n]) / gg * g.z;
        p2[n] = xsimd::max(p2[n],
                           Lanes(0.25f) * xsimd::min(size[n], xsimd::max(s[n].z, half * size[n])));
        inverse_ratio[n] = one / ratio[n];
    }
    constexpr int kMaxSteps = 24;
    constexpr float kTolerance = 1e-6f;
    for (int step = 0; step < kMaxSteps; ++step) {
        Lanes worst = zero;
        for (std::size_t n = 0; n < N; ++n) {
            const Lanes m4 = Lanes(4.0f) * p2[n] * (p2[n] - s[n].z);
            const Lanes r0 = xsimd::sqrt(xsimd::max(xsimd::fma(s[n].x, s[n].x, m4), zero));
            const Lanes r1 = xsimd::sqrt(xsimd::max(xsimd::fma(s[n].y, s[n].y, m4), zero));
            p[n] = {half * (s[n].x + r0), half * (s[n].y + r1), p2[n]};
            const Lanes product = p[n].x * p[n].y * p2[n] * inverse_ratio[n];
            const Lanes miss = product - one;
            worst = xsimd::max(worst, xsimd::abs(miss));
            // slope of log(product) times p2, and 2 (y - 1) / (y + 1) in place of log(y)
            const Lanes d0 = p[n].x * r0 + tiny;
            const Lanes d1 = p[n].y * r1 + tiny;
            const Lanes d01 = xsimd::max(d0 * d1, tiny);
            const Lanes slope =
                xsimd::max(d01 + p2[n] * (p2[n] + p2[n] - s[n].z) * (d0 + d1), tiny * d01);
            const Lanes change = (miss + miss) * d01 / ((product + one) * slope);
            p2[n] = p2[n] * xsimd::min(xsimd::max(one - change, half), Lanes(4.0f));
        }
        if (!xsimd::any(worst > Lanes(kTolerance))) {
            break;
        }
    }
}

inline Vector volume_singular_values(const Vector& s, const Lanes& ratio, const Lanes& size) {
    const Vector s1[1] = {s};
    const Lanes ratio1[1] = {ratio};
    const Lanes size1[1] = {size};
    Vector p[1];
    volume_singular_values(s1, ratio1, size1, p);
    return p[0];
}

}  // namespace sinew::batch3
