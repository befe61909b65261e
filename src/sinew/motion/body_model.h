#pragma once

#include "sinew/body/body.h"
#include "sinew/body/musculoskeletal.h"

#include <vector>

namespace sinew {

/// How the volumes of a body become the lines of a model.
struct BodyModelOptions {
    /// Greatest stress of muscle, N/m^2, in cross-sections of fibres [Rajagopal2016].
    double specific_tension = 60e4;
    int points = 8;  ///< of each path, origin and insertion included, >= 2
};

/// A body as articulated bones with line muscles.
///
/// Segments that joints hold fixed become one rigid body; its frame lies in its joint's centre with
/// the world's axes of the rest pose. A coordinate is called JOINT_MOTION ("knee_l_flexion"), or
/// JOINT_0, JOINT_1 where the motion has no name; a motion named after another joint's follows it
/// ("knee_flexion" of patellofemoral_l goes with knee_l_flexion).
///
/// A muscle's path is its centre line (MuscleLines) from bone to bone, thinned out about joints
/// that rotate far and led over cylinders there (choose_path), so that its moment arms are those of
/// the volume at rest and keep their sign. Where that cannot be had, an end moves within 2 cm on
/// its bone: attachments are areas.
///
/// Tendons that anatomy holds behind a joint's axis (published_passings) are led there where the
/// volumes lie elsewhere. Optimal fibre lengths and pennations are published ones
/// (find_published_fibres) times the length of the limb over that of the people measured, half the
/// belly where none is known; PCSA = contractile volume cos(pennation) / fibre length, fmax = PCSA
/// * specific tension, so that a belly grown by alpha^2 pulls alpha^2 as hard. Legs of the
/// specimen, and of an atlas, are corrected to measured areas (PublishedFibres::area_ratio);
/// muscles with the volumes of people are not, whose legs so come to the forces of [Rajagopal2016].
/// Ligaments, and muscles that lack an end on a bone or cross no joint that moves, are left out and
/// counted in the notes. Boxes bound the bones and touch the ground. Joints carry 0.02 kg m^2 and 1
/// N m s/rad of their own, for simulators: vertebrae and finger bones alone are too light for the
/// muscles that pull on them.
/// @throws InputError  when the body has no skeleton
MusculoskeletalModel model_from_body(const Body& body, const BodyModelOptions& options = {});

/// fmax of every muscle of the body as model_from_body has it, N; 0 of those that it leaves out.
/// Looks for no paths, which take most of its time.
/// @throws InputError  when the body has no skeleton
std::vector<double> greatest_muscle_forces(const Body& body, const BodyModelOptions& options = {});

/// The rigid body of model_from_body that each segment of the skeleton is part of.
/// @throws InputError  when the body has no skeleton
std::vector<Index> rigid_bodies_of_segments(const Body& body);

/// The bones of each rigid body of model_from_body as one surface, in the rigid body's own frame.
std::vector<TriangleMesh> bone_surfaces(const Body& body);

}  // namespace sinew
