#pragma once

#include "sinew/base/parallel.h"
#include "sinew/energy/block_hessian.h"
#include "sinew/material/material.h"

#include <array>
#include <vector>

namespace sinew::detail {

/// The blocks (a, b), a >= b, of one tetrahedron's 12x12 matrix, in the order 00 10 11 20 ... 33.
using TetBlocks = std::array<Mat3, 10>;

/// K_ab = sum_cd b_a[c] C_cd b_b[d]: the matrix of a tetrahedron whose 3x3 variable is
/// sum_a x_a b_a^T, with C the second derivative by that variable and B = (b_1, b_2, b_3),
/// b_0 = -(b_1 + b_2 + b_3).
inline TetBlocks tet_blocks(const Mat9& C, const Mat3& B) {
    Eigen::Matrix<double, 3, 4> b;
    b << -B.rowwise().sum(), B;
    std::array<Eigen::Matrix<double, 9, 3>, 4> T;
    for (int k = 0; k < 4; ++k) {
        T[at(k)] =
            C.leftCols<3>() * b(0, k) + C.middleCols<3>(3) * b(1, k) + C.rightCols<3>() * b(2, k);
    }
    TetBlocks blocks;
    std::size_t next = 0;
    for (int a = 0; a < 4; ++a) {
        for (int k = 0; k <= a; ++k) {
            const auto& t = T[at(k)];
            blocks[next++] = b(0, a) * t.topRows<3>() + b(1, a) * t.middleRows<3>(3) +
                             b(2, a) * t.bottomRows<3>();
        }
    }
    return blocks;
}

/// H += the blocks that `blocks_of(t)` gives. Elements are computed in parallel, a batch at a time,
/// and added in their order: the same bits on any number of threads.
template <class BlocksOf>
void assemble_tets(const Eigen::Matrix<Index, Eigen::Dynamic, 4, Eigen::RowMajor>& tets,
                   BlocksOf&& blocks_of, BlockHessian& H) {
    struct Element {
        TetBlocks blocks;
        std::array<std::size_t, 10> slot;
    };
    constexpr std::size_t kBatch = 8192;
    const auto count = static_cast<std::size_t>(tets.rows());
    std::vector<Element> batch(std::min(count, kBatch));
    for (std::size_t first = 0; first < count; first += kBatch) {
        const std::size_t size = std::min(kBatch, count - first);
        parallel_for(size, 128, [&](std::size_t begin, std::size_t end) {
            for (std::size_t e = begin; e < end; ++e) {
                const auto t = static_cast<Eigen::Index>(first + e);
                Element& element = batch[e];
                element.blocks = blocks_of(t);
                std::size_t next = 0;
                for (int a = 0; a < 4; ++a) {
                    for (int b = 0; b <= a; ++b, ++next) {
                        Index i = tets(t, a);
                        Index j = tets(t, b);
                        if (i < j) {
                            std::swap(i, j);
                            element.blocks[next].transposeInPlace();
                        }
                        element.slot[next] = H.slot(i, j);
                    }
                }
            }
        });
        for (std::size_t e = 0; e < size; ++e) {
            for (std::size_t k = 0; k < 10; ++k) {
                H.block(batch[e].slot[k]) += batch[e].blocks[k];
            }
        }
    }
}

}  // namespace sinew::detail
