#pragma once

/// The public headers of Sinew, module by module. Programs include this one, or those that they
/// need, which compile faster.
///
/// This list is what "public" means: `cmake --install` installs the headers named here, and those
/// that they include. Reference pages (scripts/docs.sh) are made of the same list. A header that is
/// not named here may change or go at any time, also where it is installed.

// clang-format off

// base: errors, progress, threads, random numbers, described option fields
#include "sinew/base/error.h"
#include "sinew/base/fields.h"
#include "sinew/base/parallel.h"
#include "sinew/base/progress.h"
#include "sinew/base/random.h"
#include "sinew/base/timer.h"
#include "sinew/base/units.h"
#include "sinew/base/version.h"

// linalg: small matrices, sparse factorisation
#include "sinew/linalg/cholesky.h"
#include "sinew/linalg/dense.h"
#include "sinew/linalg/sparse_symmetric.h"
#include "sinew/linalg/svd3.h"

// mesh: triangles and tetrahedra as arrays
#include "sinew/mesh/arrays.h"
#include "sinew/mesh/attribute.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/mesh/validity.h"

// geometry: measures and maps on meshes
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/geometry/tet_locator.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/geometry/winding_number.h"

// meshing: makes and improves elements
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/hole_filling.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/iso_surface.h"
#include "sinew/meshing/level_set.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/repair.h"
#include "sinew/meshing/smooth.h"
#include "sinew/meshing/tetrahedralise.h"

// material: laws at one point
#include "sinew/material/compressible_neo_hookean.h"
#include "sinew/material/corotated.h"
#include "sinew/material/isochoric_neo_hookean.h"
#include "sinew/material/lame.h"
#include "sinew/material/linear.h"
#include "sinew/material/material.h"
#include "sinew/material/mooney_rivlin.h"
#include "sinew/material/muscle_material.h"
#include "sinew/material/shape_volume.h"
#include "sinew/material/stable_neo_hookean.h"
#include "sinew/material/symmetric_arap.h"
#include "sinew/material/volume_functions.h"

// contact: pairs that are too close
#include "sinew/contact/distance.h"
#include "sinew/contact/rigid_shape.h"
#include "sinew/contact/surface_contact.h"
#include "sinew/contact/tet_contact.h"

// energy: terms summed over a mesh
#include "sinew/energy/block_hessian.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/energy_term.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/fem_symmetric_arap.h"
#include "sinew/energy/fem_viscosity.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/energy/inertia.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/planes.h"
#include "sinew/energy/projective_bending.h"
#include "sinew/energy/projective_constraints.h"
#include "sinew/energy/projective_contacts.h"
#include "sinew/energy/projective_line.h"
#include "sinew/energy/projective_spring.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/energy/projective_triangles.h"
#include "sinew/energy/term_scratch.h"

// solver: minimisers and time stepping over a list of terms
#include "sinew/solver/frame_stepper.h"
#include "sinew/solver/local_global.h"
#include "sinew/solver/newton.h"
#include "sinew/solver/sensitivity.h"
#include "sinew/solver/solver_report.h"
#include "sinew/solver/time_stepping.h"
#include "sinew/solver/vertex_constraints.h"

// body: the nouns: anatomy, body, pose, state, motion
#include "sinew/body/anatomy.h"
#include "sinew/body/atlas.h"
#include "sinew/body/body.h"
#include "sinew/body/body_parts.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/body/composition_model.h"
#include "sinew/body/figure_table.h"
#include "sinew/body/girths.h"
#include "sinew/body/people_table.h"
#include "sinew/body/person_measures.h"
#include "sinew/body/joint_names.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/motion_clip.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/body/names.h"
#include "sinew/body/posable_joints.h"
#include "sinew/body/recording.h"
#include "sinew/body/retarget.h"
#include "sinew/body/shape_space.h"
#include "sinew/body/skeleton.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/body/summary.h"
#include "sinew/body/tissue_cells.h"

// io: files
#include "sinew/io/archive.h"
#include "sinew/io/asset.h"
#include "sinew/io/body_volume.h"
#include "sinew/io/bvh.h"
#include "sinew/io/character_files.h"
#include "sinew/io/composition_files.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/frame_writer.h"
#include "sinew/io/gltf.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/people_files.h"
#include "sinew/io/landmark_file.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/model_files.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/read_options.h"
#include "sinew/io/settings_json.h"
#include "sinew/io/shape_space_file.h"
#include "sinew/io/skel_files.h"
#include "sinew/io/usda.h"
#include "sinew/io/vtu.h"

// render: pictures
#include "sinew/render/body_scene.h"
#include "sinew/render/body_sheet.h"
#include "sinew/render/camera.h"
#include "sinew/render/colour.h"
#include "sinew/render/colour_map.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/image.h"
#include "sinew/render/plot.h"
#include "sinew/render/png.h"
#include "sinew/render/render.h"
#include "sinew/render/scene.h"

// tissue: anatomy gets stiffness
#include "sinew/tissue/fibre_stretch.h"
#include "sinew/tissue/muscle_tensors.h"
#include "sinew/tissue/tissue_terms.h"

// build: anatomy to body
#include "sinew/build/atlas_template.h"
#include "sinew/build/body_builder.h"
#include "sinew/build/figure.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/segment_masses.h"

// fit: scans of people
#include "sinew/fit/landmarks.h"
#include "sinew/fit/registration.h"
#include "sinew/fit/scan.h"

// growth: new rest shapes from targets
#include "sinew/growth/bone_editing.h"
#include "sinew/growth/composition.h"
#include "sinew/growth/fat_growth.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/growth/grow.h"
#include "sinew/growth/growth_session.h"
#include "sinew/growth/muscle_growth.h"
#include "sinew/growth/person_fit.h"
#include "sinew/growth/person_shape.h"

// skinning: flesh that follows a skeleton
#include "sinew/skinning/blend_skinning.h"
#include "sinew/skinning/body_skinning.h"
#include "sinew/skinning/projective_skinning.h"
#include "sinew/skinning/shown_skin.h"
#include "sinew/skinning/skin_upsampling.h"

// fit: people from measurements
#include "sinew/fit/anatomy_transfer.h"
#include "sinew/fit/composition.h"
#include "sinew/fit/layer_fit.h"
#include "sinew/fit/layers.h"
#include "sinew/fit/person_fit.h"

// motion: skeletons that move and line muscles that pull
#include "sinew/motion/body_model.h"
#include "sinew/motion/coordination.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/muscle_sweep.h"
#include "sinew/motion/range_of_motion.h"
#include "sinew/motion/rigid_dynamics.h"
#include "sinew/motion/smoothing.h"
#include "sinew/motion/static_optimisation.h"

// muscle: volumetric muscles that contract
#include "sinew/muscle/fibre_field.h"
#include "sinew/muscle/muscle_simulator.h"
#include "sinew/muscle/muscle_tets.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/muscle/spline_solid.h"

// pipeline: whole recipes
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/atlas_template.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/character_rig.h"
#include "sinew/pipeline/contract.h"
#include "sinew/pipeline/contract_job.h"
#include "sinew/pipeline/fit_batch.h"
#include "sinew/pipeline/fit_scan.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/pipeline/people.h"
#include "sinew/pipeline/skin_character.h"
#include "sinew/pipeline/skin_run.h"
#include "sinew/pipeline/solve_job.h"
#include "sinew/pipeline/solve_scene.h"
// clang-format on
