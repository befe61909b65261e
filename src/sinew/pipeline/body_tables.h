#pragma once

#include "sinew/motion/body_matching.h"
#include "sinew/motion/examination.h"

#include <filesystem>
#include <vector>

namespace sinew {

/// An examination table (.csv): columns test, side (left, right, both; l, r, b) and value_deg;
/// torque_nm where a row has its own threshold. Rows without a value are passed over.
/// @throws InputError  with the line
std::vector<ExamRow> read_exam_table(const std::filesystem::path& path);

/// A table of segments (.csv): columns segment (trunk, neck, head, femur or thigh, tibia or shank,
/// foot, humerus or upper_arm, ulna or forearm, hand), side (left, right; empty: both), length_m,
/// breadth_m (of the trunk, between the hips), mass_kg; _mm, _cm and _g in place of these.
/// @throws InputError  with the line
std::vector<SegmentMeasure> read_segment_table(const std::filesystem::path& path);

/// Poses of a model from recordings (.bvh and others of read_model_motion), tables (.mot, .sto) and
/// folders of them, each with its mirror image, every `step`-th frame; the word "limits" gives
/// random poses within the coordinates' ranges. The pose at rest comes first.
/// @param notes  gets what was read
/// @throws InputError; Cancelled
std::vector<std::vector<double>> read_poses(const MusculoskeletalModel& model,
                                            const std::vector<std::string>& sources, int step,
                                            std::vector<std::string>& notes,
                                            const Progress& progress = {});

}  // namespace sinew
