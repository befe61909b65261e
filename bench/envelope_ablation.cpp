#include "bench/envelope_ablation.h"

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/tet_locator.h"
#include "sinew/mesh/arrays.h"
#include "sinew/meshing/tetrahedralise.h"

#include <algorithm>
#include <array>
#include <map>

namespace sinew::bench {

namespace {

constexpr int kSamples = 40;  // per tetrahedron

/// Share of samples per material and part, and the fibre directions met, of one new tetrahedron.
struct Contents {
    std::map<std::pair<Index, Index>, double> shares = {};
    std::map<Index, Vec3> fibres = {};
};

Vec3 random_point(const TetMesh& mesh, Eigen::Index t, Random& random) {
    // Uniform in the tetrahedron: spacings of three sorted uniform numbers.
    std::array<double, 5> u = {0.0, random.uniform(), random.uniform(), random.uniform(), 1.0};
    std::sort(u.begin(), u.end());
    Vec3 p = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
        const auto c = static_cast<std::size_t>(k);
        p += (u[c + 1] - u[c]) * mesh.points.row(mesh.tets(t, k)).transpose();
    }
    return p;
}

Contents contents_of(const Body& body, const TetLocator& old, const TetMesh& mesh, Eigen::Index t) {
    Contents c;
    Random random(Seed{9}, static_cast<std::uint64_t>(t));
    for (int s = 0; s < kSamples; ++s) {
        const std::size_t from = at(old.nearest(random_point(mesh, t, random)).tet);
        for (Index e = body.shares.start[from]; e < body.shares.start[from + 1]; ++e) {
            c.shares[{body.shares.material[at(e)], body.shares.part[at(e)]}] +=
                body.shares.fraction[at(e)] / kSamples;
        }
        for (Index e = body.fibres.start[from]; e < body.fibres.start[from + 1]; ++e) {
            const Vec3 d = body.fibres.direction.row(e).transpose();
            Vec3& sum = c.fibres.try_emplace(body.fibres.muscle[at(e)], Vec3::Zero()).first->second;
            sum += d;
        }
    }
    return c;
}

void embed_again(const TetLocator& tets, const Points& points, EmbeddedPoints& embedded) {
    const std::vector<TetLocation> found = tets.nearest_all(points);
    for (std::size_t i = 0; i < found.size(); ++i) {
        embedded.tet[i] = found[i].tet;
        embedded.weights.row(static_cast<Eigen::Index>(i)) = found[i].barycentric.transpose();
    }
}

}  // namespace

Body remeshed(const Body& body, bool has_envelope, double coarseness, const Progress& progress) {
    Body plain{.name = body.name, .sex = body.sex};
    plain.materials = body.materials;
    plain.bones = body.bones;
    plain.muscles = body.muscles;
    plain.skeleton = body.skeleton;
    const double volume = tet_volumes(body.tets).sum();
    std::vector<TriangleMesh> surfaces = {body.skin.mesh};
    if (has_envelope) {
        surfaces.push_back(body.envelope.mesh);
    }
    plain.tets = tetrahedralise(
        surfaces, {.max_volume = coarseness * volume / static_cast<double>(body.tets.tets.rows())},
        progress);
    plain.skin = body.skin;  // its vertices are the first points
    for (std::size_t i = 0; i < plain.skin.tet_vertex.size(); ++i) {
        plain.skin.tet_vertex[i] = static_cast<Index>(i);
    }
    const TetLocator old(body.tets);
    std::vector<Contents> contents(at(plain.tets.tets.rows()));
    parallel_for(contents.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            contents[t] = contents_of(body, old, plain.tets, static_cast<Eigen::Index>(t));
        }
    });
    std::vector<Vec3> directions;
    for (const Contents& c : contents) {
        for (const auto& [key, share] : c.shares) {
            plain.shares.material.push_back(key.first);
            plain.shares.part.push_back(key.second);
            plain.shares.fraction.push_back(share);
        }
        plain.shares.start.push_back(static_cast<Index>(plain.shares.material.size()));
        for (const auto& [muscle, sum] : c.fibres) {
            plain.fibres.muscle.push_back(muscle);
            directions.push_back(sum.norm() > 1e-9 ? sum.normalized() : Vec3::UnitY());
        }
        plain.fibres.start.push_back(static_cast<Index>(plain.fibres.muscle.size()));
    }
    plain.fibres.direction.resize(static_cast<Eigen::Index>(directions.size()), 3);
    for (std::size_t i = 0; i < directions.size(); ++i) {
        plain.fibres.direction.row(static_cast<Eigen::Index>(i)) = directions[i].transpose();
    }
    const TetLocator now(plain.tets);
    const auto carry = [&](const EmbeddedPoints& from) {
        EmbeddedPoints to = from;
        embed_again(now, positions_of(from, body.tets.points, body.tets.tets), to);
        return to;
    };
    plain.attachments = {carry(body.attachments.points), body.attachments.bone};
    for (const EmbeddedPoints& e : body.bone_embeddings) {
        plain.bone_embeddings.push_back(carry(e));
    }
    for (const EmbeddedPoints& e : body.muscle_embeddings) {
        plain.muscle_embeddings.push_back(carry(e));
    }
    return plain;
}

}  // namespace sinew::bench
