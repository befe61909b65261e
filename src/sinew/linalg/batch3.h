#pragma once

#include <cstddef>

namespace sinew {

/// Many 3x3 float matrices as nine planes: entry (r, c) of matrix i is
/// data[(3 r + c) * stride + i]. `stride` is at least the number of matrices.
struct MatrixPlanes {
    float* data = nullptr;
    std::size_t stride = 0;
};
struct ConstMatrixPlanes {
    const float* data = nullptr;
    std::size_t stride = 0;
};

/// Signed singular value decompositions F = U diag(s) V^T, U and V rotations, s0 >= s1 >= |s2|; `s`
/// holds three planes of length `stride`. In parallel, the same bits for any thread count.
void batch_signed_svd(ConstMatrixPlanes F, std::size_t count, MatrixPlanes U, float* s,
                      MatrixPlanes V);

/// R_i = the rotation nearest to F_i.
void batch_nearest_rotation(ConstMatrixPlanes F, std::size_t count, MatrixPlanes R);

/// R_i = the rotation nearest to F_i and P_i = the matrix of determinant ratio[i] nearest to it,
/// from one decomposition. See volume_singular_values in svd3.h.
void batch_nearest_rotation_and_volume(ConstMatrixPlanes F, std::size_t count, const float* ratio,
                                       MatrixPlanes R, MatrixPlanes P);

/// H_i = w_rot (R_i - F_i) + w_vol (P_i - F_i): the force of both at once. Without decomposition
/// where F_i and its neighbours in the batch are moderately deformed, which is several times
/// faster.
void batch_pull(ConstMatrixPlanes F, std::size_t count, float w_rot, float w_vol,
                const float* ratio, MatrixPlanes H);

}  // namespace sinew
