#include "sinew/linalg/batch3.h"

#include "sinew/base/parallel.h"
#include "sinew/linalg/batch3_pull.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

using batch3::kWidth;
using batch3::Lanes;
using batch3::Matrix;
using batch3::Vector;

constexpr std::size_t kBlock = 1024;  // matrices per piece of parallel work

// Whole batches are loaded in place; the last, shorter one goes through a zero-padded copy.
Lanes load(const float* p, std::size_t lanes) {
    if (lanes == kWidth) {
        return Lanes::load_unaligned(p);
    }
    float padded[kWidth] = {};
    std::copy_n(p, lanes, padded);
    return Lanes::load_unaligned(padded);
}

void store(const Lanes& v, float* p, std::size_t lanes) {
    if (lanes == kWidth) {
        v.store_unaligned(p);
        return;
    }
    float padded[kWidth];
    v.store_unaligned(padded);
    std::copy_n(padded, lanes, p);
}

Matrix load(ConstMatrixPlanes F, std::size_t i, std::size_t lanes) {
    const auto entry = [&](std::size_t r, std::size_t c) {
        return load(F.data + (3 * r + c) * F.stride + i, lanes);
    };
    const auto column = [&](std::size_t c) {
        return Vector{entry(0, c), entry(1, c), entry(2, c)};
    };
    return {column(0), column(1), column(2)};
}

void store(const Matrix& M, MatrixPlanes to, std::size_t i, std::size_t lanes) {
    const Vector* columns[3] = {&M.c0, &M.c1, &M.c2};
    for (std::size_t c = 0; c < 3; ++c) {
        store(columns[c]->x, to.data + c * to.stride + i, lanes);
        store(columns[c]->y, to.data + (3 + c) * to.stride + i, lanes);
        store(columns[c]->z, to.data + (6 + c) * to.stride + i, lanes);
    }
}

template <class Body>
void for_batches(std::size_t count, const Body& body) {
    parallel_for(count, kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += kWidth) {
            body(i, std::min(kWidth, end - i));
        }
    });
}

Vector ones() {
    return {Lanes(1.0f), Lanes(1.0f), Lanes(1.0f)};
}

}  // namespace

void batch_signed_svd(ConstMatrixPlanes F, std::size_t count, MatrixPlanes U, float* s,
                      MatrixPlanes V) {
    for_batches(count, [&](std::size_t i, std::size_t lanes) {
        const batch3::Svd svd = batch3::signed_svd(load(F, i, lanes));
        store(svd.U, U, i, lanes);
        store(svd.V, V, i, lanes);
        store(svd.s.x, s + i, lanes);
        store(svd.s.y, s + U.stride + i, lanes);
        store(svd.s.z, s + 2 * U.stride + i, lanes);
    });
}

void batch_nearest_rotation(ConstMatrixPlanes F, std::size_t count, MatrixPlanes R) {
    for_batches(count, [&](std::size_t i, std::size_t lanes) {
        const batch3::Svd svd = batch3::signed_svd(load(F, i, lanes));
        store(batch3::recompose(svd.U, ones(), svd.V), R, i, lanes);
    });
}

namespace {

// Targets of a batch; unused lanes ask for something harmless.
batch3::PullTarget load_targets(const float* ratio, std::size_t i, std::size_t lanes) {
    float target[kWidth];
    float root[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) {
        target[k] = k < lanes ? ratio[i + k] : 1.0f;
        root[k] = std::cbrt(target[k]);
    }
    return {Lanes(0.0f), Lanes(0.0f), Lanes::load_unaligned(target), Lanes::load_unaligned(root)};
}

}  // namespace

void batch_nearest_rotation_and_volume(ConstMatrixPlanes F, std::size_t count, const float* ratio,
                                       MatrixPlanes R, MatrixPlanes P) {
    for_batches(count, [&](std::size_t i, std::size_t lanes) {
        const batch3::Svd svd = batch3::signed_svd(load(F, i, lanes));
        const batch3::PullTarget to = load_targets(ratio, i, lanes);
        const Vector p = batch3::volume_singular_values(svd.s, to.ratio, to.root);
        store(batch3::recompose(svd.U, ones(), svd.V), R, i, lanes);
        store(batch3::recompose(svd.U, p, svd.V), P, i, lanes);
    });
}

void batch_pull(ConstMatrixPlanes F, std::size_t count, float w_rot, float w_vol,
                const float* ratio, MatrixPlanes H) {
    for_batches(count, [&](std::size_t i, std::size_t lanes) {
        const Matrix f[1] = {load(F, i, lanes)};
        batch3::PullTarget to[1] = {load_targets(ratio, i, lanes)};
        to[0].w_rot = Lanes(w_rot);
        to[0].w_vol = Lanes(w_vol);
        batch3::Pull pull[1];
        if (!batch3::find_moderate_pull(f[0], to[0], pull[0])) {
            batch3::find_pulls(f, to, pull);
        }
        store(pull[0].H, H, i, lanes);
    });
}

}  // namespace sinew
