#pragma once

// The forces of tetrahedra towards rotations and towards a volume, on batches of 3x3 matrices.
// Inside of the few sources whose inner loop it is, like batch3_kernel.h.

#include "sinew/linalg/batch3_kernel.h"

namespace sinew::batch3 {

/// What a tetrahedron asks for: weights, and the determinant with its cube root.
struct PullTarget {
    Lanes w_rot, w_vol, ratio, root;
};

/// H = w_rot (R - F) + w_vol (P - F), with R the rotation and P the matrix of determinant `ratio`
/// nearest to F, and twice the energy, w_rot |R - F|^2 + w_vol |P - F|^2.
struct Pull {
    Matrix H;
    Lanes twice_energy;
};

namespace detail {

/// A symmetric 3x3 matrix.
struct Symmetric {
    Lanes xx, yy, zz, xy, xz, yz;
};
inline Symmetric gram(const Matrix& F) {
    return {dot(F.c0, F.c0), dot(F.c1, F.c1), dot(F.c2, F.c2),
            dot(F.c0, F.c1), dot(F.c0, F.c2), dot(F.c1, F.c2)};
}

/// Eigenvalues, largest first, of the symmetric matrix C = F^T F.
///
/// The trigonometric solution of the cubic: with q = tr C / 3, B = C - q I, p^2 = |B|^2 / 6 and
/// cos(t) = det(B / p) / 2 they are q + 2 p cos(t/3 + 2 k pi / 3). Two that are nearly the same
/// come out with errors of opposite sign, which cancel in every symmetric function of them.
inline Vector eigenvalues(const Symmetric& C) {
    const Lanes one(1.0f);
    const Lanes q = (C.xx + C.yy + C.zz) * Lanes(1.0f / 3.0f);
    const Lanes a = C.xx - q;
    const Lanes b = C.yy - q;
    const Lanes c = C.zz - q;
    const Lanes xy2 = C.xy * C.xy;
    const Lanes xz2 = C.xz * C.xz;
    const Lanes yz2 = C.yz * C.yz;
    const Lanes off = xy2 + xz2 + yz2;
    constexpr float kTiny = 1e-24f;  // keeps p^3 above zero
    const Lanes pp = xsimd::fma(xsimd::fma(a, a, xsimd::fma(b, b, xsimd::fma(c, c, off + off))),
                                Lanes(1.0f / 6.0f), Lanes(kTiny));
    const Lanes p = xsimd::sqrt(pp);
    const Lanes cross_term = C.xy * C.xz * C.yz;
    const Lanes det = a * (b * c - yz2) - xsimd::fma(b, xz2, c * xy2) + cross_term + cross_term;
    const Lanes cosine = xsimd::min(xsimd::max(Lanes(0.5f) * det / (pp * p), Lanes(-1.0f)), one);
    // cos(t / 3) is smooth in h = cos(t / 2): a polynomial interpolates it to 3e-8.
    const Lanes h = xsimd::sqrt(Lanes(0.5f) * (one + cosine));
    Lanes third(0.00112763624f);
    for (const float k : {-0.00608934568f, 0.0160472804f, -0.0302353976f, 0.0528414091f,
                          -0.111038511f, 0.577346917f, 0.500000026f}) {
        third = xsimd::fma(third, h, Lanes(k));
    }
    third = xsimd::min(third, one);
    const Lanes sine = xsimd::sqrt(xsimd::fma(-third, third, one));
    const Lanes first = xsimd::fma(p + p, third, q);
    const Lanes last = xsimd::fma(-p, xsimd::fma(Lanes(1.73205081f), sine, third), q);
    return {first, Lanes(3.0f) * q - first - last, last};
}

/// Singular values of P in a form that has no branches: p_i = (s_i + r_i) / 2 with
/// r_i = sqrt(s_i^2 + 4 m), which is p_i (p_i - s_i) = m of volume_singular_values in svd3.h.
struct Volume {
    Lanes m;
    Vector r, p;
};

/// m by Newton's method on log(p_0 p_1 p_2 / ratio), from the linearised step [Saito2015, eq. 4].
/// False where that is not quick.
/// @param l, s  squares of singular values, and the values; det is their product
inline bool find_volume(const Vector& l, const Vector& s, const Lanes& det, const Lanes& ratio,
                        Volume& v) {
    const Lanes one(1.0f);
    const Lanes half(0.5f);
    const Lanes inverse_ratio = one / ratio;
    v.m = (ratio - det) * det / xsimd::fma(l.x, l.y + l.z, l.y * l.z);
    constexpr int kMaxSteps = 5;
    constexpr float kTolerance = 1e-6f;
    constexpr float kBend = 0.1f;  // smallest r^2 against s^2
    for (int step = 0; step < kMaxSteps; ++step) {
        const Lanes m4 = Lanes(4.0f) * v.m;
        const Vector rr{l.x + m4, l.y + m4, l.z + m4};
        if (!xsimd::all(rr.z > Lanes(kBend) * l.z)) {
            return false;
        }
        v.r = {xsimd::sqrt(rr.x), xsimd::sqrt(rr.y), xsimd::sqrt(rr.z)};
        v.p = {half * (s.x + v.r.x), half * (s.y + v.r.y), half * (s.z + v.r.z)};
        const Lanes product = v.p.x * v.p.y * v.p.z * inverse_ratio;
        const Lanes miss = product - one;
        if (xsimd::all(xsimd::abs(miss) < Lanes(kTolerance))) {
            return true;
        }
        // d log(product) / dm = sum_i 1 / (p_i r_i); 2 (y - 1) / (y + 1) in place of log(y)
        const Lanes a = v.p.x * v.r.x;
        const Lanes b = v.p.y * v.r.y;
        const Lanes bc = b * v.p.z * v.r.z;
        const Lanes slope = xsimd::fma(a, b + v.p.z * v.r.z, bc);
        v.m -= (miss + miss) * a * bc / ((product + one) * slope);
    }
    return false;
}

/// A function of C by its values at the eigenvalues, as Newton's interpolation polynomial
/// g_0 + g_01 (C - l_0) + g_012 (C - l_0)(C - l_1).
struct Interpolated {
    Lanes g0, g01, g012;
};

/// F g(C), symmetric in the middle.
inline Matrix times_function(const Matrix& F, const Symmetric& C, const Vector& l,
                             const Interpolated& g) {
    const Symmetric A{C.xx - l.x, C.yy - l.x, C.zz - l.x, C.xy, C.xz, C.yz};
    const Symmetric B{xsimd::fma(g.g012, C.xx - l.y, g.g01),
                      xsimd::fma(g.g012, C.yy - l.y, g.g01),
                      xsimd::fma(g.g012, C.zz - l.y, g.g01),
                      g.g012 * C.xy,
                      g.g012 * C.xz,
                      g.g012 * C.yz};
    const auto sum3 = [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d,
                         const Lanes& e,
                         const Lanes& f) { return xsimd::fma(a, b, xsimd::fma(c, d, e * f)); };
    const Lanes xx = g.g0 + sum3(A.xx, B.xx, A.xy, B.xy, A.xz, B.xz);
    const Lanes yy = g.g0 + sum3(A.xy, B.xy, A.yy, B.yy, A.yz, B.yz);
    const Lanes zz = g.g0 + sum3(A.xz, B.xz, A.yz, B.yz, A.zz, B.zz);
    const Lanes xy = sum3(A.xx, B.xy, A.xy, B.yy, A.xz, B.yz);
    const Lanes xz = sum3(A.xx, B.xz, A.xy, B.yz, A.xz, B.zz);
    const Lanes yz = sum3(A.xy, B.xz, A.yy, B.yz, A.yz, B.zz);
    const auto column = [&](const Lanes& x, const Lanes& y, const Lanes& z) {
        return plus(plus(times(x, F.c0), y, F.c1), z, F.c2);
    };
    return {column(xx, xy, xz), column(xy, yy, yz), column(xz, yz, zz)};
}

}  // namespace detail

/// The pull of matrices that are moderately deformed, without their axes. Returns false, and leaves
/// `pull` undefined, if any lane is inverted or far from a multiple of a rotation or from its
/// volume: those need the singular value decomposition.
///
/// With C = F^T F, its eigenvalues l_i = s_i^2, and r_i as in detail::Volume,
///
///   H = F g(C),   g(l_i) = w_rot (1 / s_i - 1) + w_vol (u_i - 1) / 2,   u_i = r_i / s_i.
///
/// The divided differences of 1 / s and u are sums of positive numbers once roots are multiplied
/// out, so eigenvalues that meet are no special case:
///
///   (1/s)_01  = -1 / (s_0 s_1 (s_0 + s_1))
///   (1/s)_012 = (s_0 + s_1 + s_2) / (s_0 s_1 s_2 (s_0 + s_1)(s_1 + s_2)(s_2 + s_0))
///   u_01  = -4 m / (l_0 l_1 (u_0 + u_1))
///   u_012 = 4 m (u_1 + (l_0 + l_2 + 4 m) / (l_0 u_0 + l_2 u_2))
///           / (l_0 l_1 l_2 (u_0 + u_1)(u_1 + u_2))
inline bool find_moderate_pull(const Matrix& F, const PullTarget& to, Pull& pull) {
    const Lanes zero(0.0f);
    const Lanes one(1.0f);
    const detail::Symmetric C = detail::gram(F);
    const Vector l = detail::eigenvalues(C);
    const Lanes det = dot(F.c0, cross(F.c1, F.c2));
    constexpr float kFlat = 0.12f;  // smallest against largest eigenvalue
    if (!xsimd::all(det > zero && l.z > Lanes(kFlat) * l.x)) {
        return false;
    }
    const Vector s{xsimd::sqrt(l.x), xsimd::sqrt(l.y), xsimd::sqrt(l.z)};
    const Vector inverse{one / s.x, one / s.y, one / s.z};
    const Vector off{one - s.x, one - s.y, one - s.z};
    const Lanes i01 = inverse.x * inverse.y;
    const Lanes s01 = s.x + s.y;
    const Lanes rot01 = -i01 / s01;
    const Lanes rot012 = -rot01 * inverse.z * (s01 + s.z) / ((s.y + s.z) * (s.z + s.x));
    detail::Interpolated g{to.w_rot * (inverse.x - one), to.w_rot * rot01, to.w_rot * rot012};
    pull.twice_energy = to.w_rot * dot(off, off);

    if (xsimd::any(to.w_vol > zero)) {
        detail::Volume v;
        if (!detail::find_volume(l, s, det, to.ratio, v)) {
            return false;
        }
        const Vector bulk{v.p.x - s.x, v.p.y - s.y, v.p.z - s.z};
        pull.twice_energy = xsimd::fma(to.w_vol, dot(bulk, bulk), pull.twice_energy);
        const Vector u{v.r.x * inverse.x, v.r.y * inverse.y, v.r.z * inverse.z};
        const Lanes w = Lanes(0.5f) * to.w_vol;
        const Lanes m4 = Lanes(4.0f) * v.m;
        const Lanes lu = xsimd::fma(l.x, u.x, l.z * u.z);
        const Lanes vol01 = -m4 * i01 * i01 / (u.x + u.y);
        const Lanes vol012 = -vol01 * inverse.z * inverse.z * xsimd::fma(u.y, lu, l.x + l.z + m4) /
                             ((u.y + u.z) * lu);
        g = {xsimd::fma(w, u.x - one, g.g0), xsimd::fma(w, vol01, g.g01),
             xsimd::fma(w, vol012, g.g012)};
    }
    pull.H = detail::times_function(F, C, l, g);
    return true;
}

/// The pull of any matrices, by singular values: both pulls have the axes of F,
/// R - F = U (1 - S) V^T and P - F = U (p - S) V^T.
template <std::size_t N>
void find_pulls(const Matrix (&F)[N], const PullTarget (&to)[N], Pull (&pull)[N]) {
    Svd svd[N];
    signed_svds(F, svd);
    Vector s[N];
    Vector p[N];
    Lanes ratio[N];
    Lanes root[N];
    for (std::size_t n = 0; n < N; ++n) {
        s[n] = svd[n].s;
        ratio[n] = to[n].ratio;
        root[n] = to[n].root;
    }
    volume_singular_values(s, ratio, root, p);
    const Lanes one(1.0f);
    for (std::size_t n = 0; n < N; ++n) {
        const Vector off{one - s[n].x, one - s[n].y, one - s[n].z};
        const Vector bulk{p[n].x - s[n].x, p[n].y - s[n].y, p[n].z - s[n].z};
        pull[n].twice_energy = to[n].w_rot * dot(off, off) + to[n].w_vol * dot(bulk, bulk);
        const Vector along = plus(times(to[n].w_rot, off), to[n].w_vol, bulk);
        pull[n].H = recompose(svd[n].U, along, svd[n].V);
    }
}

}  // namespace sinew::batch3
