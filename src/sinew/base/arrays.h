#pragma once

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sinew {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;

/// Indices of vertices and elements. 32 bits: a body has some 10^5 of either.
using Index = std::int32_t;

/// An index, or an enumerator that counts from 0, as the standard containers take it.
template <class I>
requires std::integral<I> || std::is_enum_v<I>
constexpr std::size_t at(I i) {
    return static_cast<std::size_t>(i);
}

}  // namespace sinew
