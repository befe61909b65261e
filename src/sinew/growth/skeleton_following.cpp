#include "sinew/growth/skeleton_following.h"

#include "sinew/base/error.h"
#include "sinew/body/rest_shape.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/harmonic_fields.h"
#include "sinew/meshing/inversions.h"

#include <Eigen/LU>

// Flesh around bones of other shapes: affine maps of the bones' samples, interpolated harmonically.
// Constant maps are harmonic, so similar bodies are exact. What springs of the field leave open at
// the samples is put right by solving again for the rest. Between bones that go far apart or past
// each other (an armpit under a wider thorax) tetrahedra may fold; they are opened afterwards
// towards the shapes that the maps ask of them.

namespace sinew {

namespace {

constexpr int kHoldRounds = 6;  // springs keep a tenth of their load each time

// A(x) x + b(x) of all points; columns of the field are A by rows, then b.
Points mapped(const Points& x, const Eigen::MatrixXd& field) {
    Points out(x.rows(), 3);
    for (int i = 0; i < 3; ++i) {
        out.col(i) = field.col(3 * i).cwiseProduct(x.col(0)) +
                     field.col(3 * i + 1).cwiseProduct(x.col(1)) +
                     field.col(3 * i + 2).cwiseProduct(x.col(2)) + field.col(9 + i);
    }
    return out;
}

// What each tetrahedron is asked for: the mean of its corners' maps.
std::vector<Mat3> asked_growth(const Tets& tets, const Eigen::MatrixXd& field) {
    std::vector<Mat3> out(at(tets.rows()), Mat3::Identity());
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        Mat3 A = Mat3::Zero();
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 3; ++i) {
                A.row(i) += 0.25 * field.row(tets(t, k)).segment<3>(3 * i);
            }
        }
        if (A.determinant() > 0.0) {
            out[at(t)] = A;
        }
    }
    return out;
}

}  // namespace

EditedBody follow_skeleton(const Body& body, const EditedSkeleton& skeleton,
                           std::span<const Mat3> maps, const Progress& progress) {
    const EmbeddedPoints& embedded = body.attachments.points;
    SINEW_ASSERT(maps.size() == embedded.size(), "{} maps, {} samples", maps.size(),
                 embedded.size());
    const Progress::Stage stage = progress.stage("flesh", 0);
    const Tets& tets = body.tets.tets;
    const Points samples = positions_of(embedded, body.tets.points, tets);
    Eigen::MatrixXd at_bones(samples.rows(), 12);
    for (Eigen::Index s = 0; s < samples.rows(); ++s) {
        const Mat3& A = maps[at(s)];
        for (int i = 0; i < 3; ++i) {
            at_bones.row(s).segment<3>(3 * i) = A.row(i);
        }
        at_bones.row(s).tail<3>() = skeleton.attachments.row(s) - samples.row(s) * A.transpose();
    }
    const HarmonicField harmonic(body, Eigen::VectorXd::Ones(tets.rows()), {});
    const Eigen::MatrixXd none(0, 12);
    const Eigen::MatrixXd field = harmonic.values(none, at_bones);
    Points x = mapped(body.tets.points, field);
    progress.check_cancelled();
    for (int round = 0; round < kHoldRounds; ++round) {
        x += harmonic.values(Eigen::MatrixXd(0, 3),
                             skeleton.attachments - positions_of(embedded, x, tets));
        progress.check_cancelled();
    }

    EditedBody result;
    x = mend_inversions(body.tets, x, asked_growth(tets, field)).x;
    result.report.is_converged = true;
    result.report.iterations = kHoldRounds;
    result.report.inverted_tets = (tet_volumes(x, tets).array() <= 0.0).count();
    if (samples.rows() > 0) {
        result.report.largest_gap =
            (positions_of(embedded, x, tets) - skeleton.attachments).rowwise().norm().maxCoeff();
    }
    // The soles stay where the ground is.
    Eigen::RowVector3d lift = Eigen::RowVector3d::Zero();
    if (!body.skin.tet_vertex.empty()) {
        lift[1] =
            body.skin.mesh.points.col(1).minCoeff() - positions_of(body.skin, x).col(1).minCoeff();
    }
    x.rowwise() += lift;
    MovedBones moved{.bones = skeleton.bones,
                     .attachments = skeleton.attachments.rowwise() + lift,
                     .joints = skeleton.joints};
    for (Points& bone : moved.bones) {
        bone.rowwise() += lift;
    }
    for (Vec3& centre : moved.joints) {
        centre += lift.transpose();
    }
    result.body = with_rest_shape(body, x, moved);
    return result;
}

}  // namespace sinew
