#pragma once

#include "sinew/base/error.h"
#include "sinew/io/mixed_mesh.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/mesh/validity.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sinew::fuzz {

inline void require_promises(const std::vector<MeshPart>& parts) {
    for (const MeshPart& part : parts) {
        require_valid(part.mesh, part.name);
    }
}

inline void require_promises(const TetMesh& mesh) {
    require_valid(mesh, "tetrahedra");
}

inline void require_promises(const MixedMesh& mesh) {
    require_promises(mesh.tets);
    if (mesh.tets.tets.rows() + mesh.triangles.rows() > 0) {
        require_promises(surface_of(mesh, "fuzz"));
    }
}

/// A reader may refuse with a reason, and nothing else.
template <class Read>
void may_refuse(Read&& read) {
    try {
        read();
    } catch (const InputError&) {
    }
}

/// Hands the bytes to a reader. It may refuse them with an InputError; anything else it throws, and
/// a result that breaks the promises of its type, ends the program and so is found.
template <class Parse>
int feed(const std::uint8_t* data, std::size_t size, Parse&& parse) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    decltype(parse(bytes, "fuzz")) result;
    try {
        result = parse(bytes, "fuzz");
    } catch (const InputError&) {
        return 0;
    }
    require_promises(result);
    return 0;
}

}  // namespace sinew::fuzz
