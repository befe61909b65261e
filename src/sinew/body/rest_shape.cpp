#include "sinew/body/rest_shape.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/measure.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

constexpr std::size_t kPiece = 2048;      // elements per piece of parallel work
constexpr double kDisplayWeight = 100.0;  // of display vertices in their tetrahedra, at most

Mat3 edges(const Points& x, const Tets& tets, Eigen::Index t) {
    Mat3 D;
    for (int k = 0; k < 3; ++k) {
        D.col(k) = (x.row(tets(t, k + 1)) - x.row(tets(t, 0))).transpose();
    }
    return D;
}

void turn_fibres(const Body& body, const Points& points, Fibres& fibres) {
    const auto count = fibres.start.size() - 1;
    parallel_for(count, kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            if (fibres.start[t] == fibres.start[t + 1]) {
                continue;
            }
            const auto row = static_cast<Eigen::Index>(t);
            const Mat3 F = edges(points, body.tets.tets, row) *
                           edges(body.tets.points, body.tets.tets, row).inverse();
            for (Index e = fibres.start[t]; e < fibres.start[t + 1]; ++e) {
                const Vec3 turned = F * point(body.fibres.direction, e);
                if (turned.norm() > 1e-9) {
                    fibres.direction.row(e) = turned.normalized().transpose();
                }
            }
        }
    });
}

void move_landmarks(const Body& body, const Points& skin_now, std::vector<Landmark>& landmarks) {
    const Points& skin = body.skin.mesh.points;
    if (skin.rows() == 0) {
        return;
    }
    for (Landmark& landmark : landmarks) {
        Eigen::Index nearest = landmark.skin_vertex;
        if (nearest < 0) {
            (skin.rowwise() - landmark.position.transpose())
                .rowwise()
                .squaredNorm()
                .minCoeff(&nearest);
        }
        landmark.position += (skin_now.row(nearest) - skin.row(nearest)).transpose();
    }
}

}  // namespace

EmbeddedPoints embedded_again(const EmbeddedPoints& embedded, const Points& places,
                              const Points& tet_points, const Tets& tets, double max_weight) {
    EmbeddedPoints result = embedded;
    parallel_for(embedded.size(), kPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const Mat3 D = edges(tet_points, tets, embedded.tet[i]);
            if (!(D.determinant() > 0.0)) {
                continue;
            }
            const Vec3 from = point(tet_points, tets(embedded.tet[i], 0));
            const Vec3 b = D.inverse() * (point(places, row) - from);
            const Vec4 w(1.0 - b.sum(), b[0], b[1], b[2]);
            if (w.allFinite() && w.cwiseAbs().maxCoeff() <= max_weight) {
                result.weights.row(row) = w.transpose();
            }
        }
    });
    return result;
}

Body with_rest_shape(const Body& body, const Points& points, const MovedBones& moved) {
    if (points.rows() != body.tets.points.rows() || !points.allFinite()) {
        throw InputError({.where = fmt::format("new shape of '{}'", body.name),
                          .found = fmt::format("{} points", points.rows()),
                          .needs = fmt::format("{} finite ones", body.tets.points.rows()),
                          .remedy = "give the shape of the same body"});
    }
    Body result = body;
    const Tets& tets = body.tets.tets;
    result.tets.points = points;
    result.skin.mesh.points = positions_of(body.skin, points);
    result.envelope.mesh.points = positions_of(body.envelope, points);
    turn_fibres(body, points, result.fibres);
    if (body.display_skin_embedding.size() > 0) {
        // It keeps its distance from the tets' skin: weights of points a little outside would
        // magnify that distance wherever a thin layer grows thick.
        result.display_skin.points =
            apply(attach(body.display_skin.points, body.skin.mesh), result.skin.mesh.points);
        result.display_skin_embedding = embedded_again(
            body.display_skin_embedding, result.display_skin.points, points, tets, kDisplayWeight);
    }
    for (std::size_t m = 0; m < body.muscle_embeddings.size(); ++m) {
        Muscle& muscle = result.muscles[m];
        muscle.mesh.points = positions_of(body.muscle_embeddings[m], points, tets);
        muscle.volume = std::max(0.0, enclosed_volume(muscle.mesh));
    }
    for (std::size_t b = 0; b < body.bones.size(); ++b) {
        if (!moved.bones.empty()) {
            result.bones[b].mesh.points = moved.bones[b];
        }
        if (!body.bone_embeddings.empty()) {
            result.bone_embeddings[b] =
                embedded_again(body.bone_embeddings[b], result.bones[b].mesh.points, points, tets);
        }
    }
    const Points samples = moved.attachments.rows() > 0
                               ? moved.attachments
                               : positions_of(body.attachments.points, body.tets.points, tets);
    result.attachments.points = embedded_again(body.attachments.points, samples, points, tets);
    for (std::size_t j = 0; j < moved.joints.size(); ++j) {
        result.skeleton.joints[j].centre = moved.joints[j];
    }
    move_landmarks(body, result.skin.mesh.points, result.landmarks);
    return result;
}

}  // namespace sinew
