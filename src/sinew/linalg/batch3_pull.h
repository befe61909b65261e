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

/// Eigenvalues, largest first, of the symmetric matrix C = F^T F.
///
/// The trigonometric solution of the cubic: with q = tr C / 3, B = C - q I, p^2 = |B|^2 / 6 and
/// cos(t) = det(B / p) / 2 they are q + 2 p cos(t/3 + 2 k pi / 3). Two that are nearly the same
/// come out with errors of opposite sign, which cancel in every symmetric function of them.
struct Symmetric {
    Lanes xx, yy, zz, xy, xz, yz;
};
inline Symmetric gram(const Matrix& F) {
    return {dot(F.c0, F.c0), dot(F.c1, F.c1), dot(F.c2, F.c2),
            dot(F.c0, F.c1), dot(F.c0, F.c2), dot(F.c1, F.c2)};
}
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

}  // namespace detail

/// The pull of matrices that are moderately deformed, without their axes. Returns false, and leaves
/// `pull` undefined, if any lane is inverted or far from a multiple of a rotation or from its
/// volume: those need the singular value decomposition.
///
/// With C = F^T F, eigenvalues l_i = s_i^2, and p_i = (s_i + r_i) / 2, r_i = sqrt(l_i + 4 m), which
/// is p_i (p_i - s_i) = m of volume_singular_values in svd3.h,
///
///   H = F g(C),   g(l_i) = w_rot (1 / s_i - 1) + w_vol (u_i - 1) / 2,   u_i = r_i / s_i,
///
/// and the matrix function is the polynomial that interpolates g at the eigenvalues,
/// g_0 + g_01 (C - l_0) + g_012 (C - l_0)(C - l_1). Its divided differences are sums of positive
/// numbers once roots are multiplied out, so eigenvalues that meet are no special case.
inline bool find_moderate_pull(const Matrix& F, const PullTarget& to, Pull& pull) {
    const Lanes zero(0.0f);
    const Lanes one(1.0f);
    const Lanes half(0.5f);
    const detail::Symmetric C = detail::gram(F);
    const Vector l = detail::eigenvalues(C);
    const Lanes det = dot(F.c0, cross(F.c1, F.c2));
    constexpr float kFlat = 0.12f;  // smallest against largest eigenvalue
    if (!xsimd::all(det > zero && l.z > Lanes(kFlat) * l.x)) {
        return false;
    }
    const Vector s{xsimd::sqrt(l.x), xsimd::sqrt(l.y), xsimd::sqrt(l.z)};

    // m by Newton's method on log(p_0 p_1 p_2 / ratio), from the linearised step [Saito2015, eq.
    // 4].
    const Lanes inverse_ratio = one / to.ratio;
    const Lanes gg = xsimd::fma(l.x, l.y + l.z, l.y * l.z);
    const Lanes m_first = (to.ratio - det) * det / gg;
    Lanes m = m_first;
    Vector r;
    Vector p;
    constexpr int kMaxSteps = 5;
    constexpr float kTolerance = 1e-6f;
    constexpr float kBend = 0.1f;  // smallest r^2 against s^2
    bool is_found = false;
    for (int step = 0; step < kMaxSteps && !is_found; ++step) {
        const Lanes m4 = Lanes(4.0f) * m;
        const Vector rr{l.x + m4, l.y + m4, l.z + m4};
        if (!xsimd::all(rr.z > Lanes(kBend) * l.z)) {
            return false;
        }
        r = {xsimd::sqrt(rr.x), xsimd::sqrt(rr.y), xsimd::sqrt(rr.z)};
        p = {half * (s.x + r.x), half * (s.y + r.y), half * (s.z + r.z)};
        const Lanes product = p.x * p.y * p.z * inverse_ratio;
        const Lanes miss = product - one;
        is_found = xsimd::all(xsimd::abs(miss) < Lanes(kTolerance));
        // d log(product) / dm = sum_i 1 / (p_i r_i); 2 (y - 1) / (y + 1) in place of log(y)
        const Lanes a = p.x * r.x;
        const Lanes b = p.y * r.y;
        const Lanes c = p.z * r.z;
        const Lanes bc = b * c;
        const Lanes slope = xsimd::fma(a, b + c, bc);
        m -= (miss + miss) * a * bc / ((product + one) * slope);
    }
    if (!is_found) {
        return false;
    }

    // Energy; p_i - s_i = m / p_i.
    const Vector off{one - s.x, one - s.y, one - s.z};
    const Vector bulk{p.x - s.x, p.y - s.y, p.z - s.z};
    pull.twice_energy = xsimd::fma(to.w_rot, dot(off, off), to.w_vol * dot(bulk, bulk));

    // Divided differences of 1/s and of u.
    const Vector inverse{one / s.x, one / s.y, one / s.z};
    const Vector u{r.x * inverse.x, r.y * inverse.y, r.z * inverse.z};
    const Lanes w = half * to.w_vol;
    const Lanes m4 = Lanes(4.0f) * m;
    const Lanes s01 = s.x + s.y;
    const Lanes u01 = u.x + u.y;
    const Lanes i01 = inverse.x * inverse.y;
    const Lanes i012 = i01 * inverse.z;
    const Lanes g0 = xsimd::fma(to.w_rot, inverse.x - one, w * (u.x - one));
    const Lanes by_u01 = one / (s01 * u01);
    const Lanes rot1 = -i01 * u01 * by_u01;
    const Lanes vol1 = -m4 * i01 * i01 * s01 * by_u01;
    const Lanes g01 = xsimd::fma(to.w_rot, rot1, w * vol1);
    const Lanes rot2 = -rot1 * (s01 + s.z) * inverse.z / ((s.y + s.z) * (s.z + s.x));
    const Lanes lu = xsimd::fma(l.x, u.x, l.z * u.z);
    const Lanes vol2 =
        m4 * i012 * i012 * s01 * by_u01 * xsimd::fma(u.y, lu, l.x + l.z + m4) / ((u.y + u.z) * lu);
    const Lanes g012 = xsimd::fma(to.w_rot, rot2, w * vol2);

    // G = (g_012 (C - l_1) + g_01) (C - l_0) + g_0, symmetric.
    const detail::Symmetric A{C.xx - l.x, C.yy - l.x, C.zz - l.x, C.xy, C.xz, C.yz};
    const detail::Symmetric B{xsimd::fma(g012, C.xx - l.y, g01),
                              xsimd::fma(g012, C.yy - l.y, g01),
                              xsimd::fma(g012, C.zz - l.y, g01),
                              g012 * C.xy,
                              g012 * C.xz,
                              g012 * C.yz};
    const auto sum3 = [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d,
                         const Lanes& e,
                         const Lanes& f) { return xsimd::fma(a, b, xsimd::fma(c, d, e * f)); };
    const Lanes gxx = g0 + sum3(A.xx, B.xx, A.xy, B.xy, A.xz, B.xz);
    const Lanes gyy = g0 + sum3(A.xy, B.xy, A.yy, B.yy, A.yz, B.yz);
    const Lanes gzz = g0 + sum3(A.xz, B.xz, A.yz, B.yz, A.zz, B.zz);
    const Lanes gxy = sum3(A.xx, B.xy, A.xy, B.yy, A.xz, B.yz);
    const Lanes gxz = sum3(A.xx, B.xz, A.xy, B.yz, A.xz, B.zz);
    const Lanes gyz = sum3(A.xy, B.xz, A.yy, B.yz, A.yz, B.zz);
    const auto column = [&](const Lanes& x, const Lanes& y, const Lanes& z) {
        return plus(plus(times(x, F.c0), y, F.c1), z, F.c2);
    };
    pull.H = {column(gxx, gxy, gxz), column(gxy, gyy, gyz), column(gxz, gyz, gzz)};
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
