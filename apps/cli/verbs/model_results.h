#pragma once

#include "cli/verbs/results.h"

namespace sinew::cli {

// What info, check, muscles and activations say with --json: the fields of the schema's "result".

struct MeshInfo {
    std::string name;
    Count vertices = 0;
    Count triangles = 0;
    double volume = 0.0;
    bool watertight = false;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MeshInfo>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the part"});
    v(o.vertices, Field{.name = "vertices", .help = "of the part"});
    v(o.triangles, Field{.name = "triangles", .help = "of the part"});
    v(o.volume, Field{.name = "volume_l", .help = "inside of it"});
    v(o.watertight, Field{.name = "watertight", .help = "it has no holes"});
}

struct SegmentInfo {
    std::string name;
    double mass = 0.0;
    std::array<double, 3> com = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SegmentInfo>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the segment"});
    v(o.mass, Field{.name = "mass_kg", .help = "of it"});
    v(o.com, Field{.name = "com", .help = "its centre of mass, m"});
}

struct PlateInfo {
    Count type = 0;
    double peak = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, PlateInfo>
void visit_fields(Options& o, Visitor&& v) {
    v(o.type, Field{.name = "type", .help = "of the force plate"});
    v(o.peak, Field{.name = "peak_vertical_n", .help = "largest force"});
}

struct InfoResult {
    std::string input;
    std::string kind;
    std::optional<std::string> name = {};
    std::optional<Count> vertices = {};
    std::optional<Count> triangles = {};
    std::optional<Count> tets = {};
    std::optional<std::vector<std::array<double, 3>>> bounds = {};
    std::optional<double> volume = {};
    std::optional<double> area = {};
    std::optional<bool> watertight = {};
    std::optional<Names> point_data = {};
    std::optional<std::vector<MeshInfo>> parts = {};
    std::optional<Count> surface_triangles = {};
    std::optional<ByName<Count>> regions = {};
    std::optional<Count> joints = {};
    std::optional<Count> frames = {};
    std::optional<double> frame_time = {};
    std::optional<double> duration = {};
    std::optional<Count> muscles = {};
    std::optional<Count> bones = {};
    std::optional<Count> skin_vertices = {};
    std::optional<double> mass = {};
    std::optional<double> stature = {};
    std::optional<double> body_fat = {};
    std::optional<std::vector<SegmentInfo>> segments = {};
    std::optional<Count> bodies = {};
    std::optional<Count> coordinates = {};
    std::optional<Count> wrap_objects = {};
    std::optional<Count> markers = {};
    std::optional<Count> ligaments = {};
    std::optional<Count> coordinate_limits = {};
    std::optional<Count> bushings = {};
    std::optional<Count> meshes = {};
    std::optional<std::string> credits = {};
    std::optional<Names> coordinate_list = {};
    std::optional<Names> notes = {};
    std::optional<double> begin = {};
    std::optional<double> end = {};
    std::optional<double> rate = {};
    std::optional<Names> marker_list = {};
    std::optional<ByName<Count>> unseen_frames = {};
    std::optional<Names> analog_channels = {};
    std::optional<Count> analog_samples = {};
    std::optional<std::vector<PlateInfo>> force_plates = {};
    std::optional<Count> columns = {};
    std::optional<std::string> angles = {};
    std::optional<Names> column_list = {};
    std::optional<std::string> converted = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, InfoResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.input, Field{.name = "input", .help = "the file read"});
    v(o.kind,
      Field{.name = "kind",
            .help = "triangles, tets, body, motion, model, markers, markers and plates or table"});
    v(o.name, Field{.name = "name", .help = "of a model or a table"});
    v(o.vertices, Field{.name = "vertices", .help = "of the mesh"});
    v(o.triangles, Field{.name = "triangles", .help = "of the surface, of a body of its skin"});
    v(o.tets, Field{.name = "tets", .help = "number of tetrahedra"});
    v(o.bounds, Field{.name = "bounds", .help = "lowest and highest corner, m"});
    v(o.volume, Field{.name = "volume_l", .help = "inside"});
    v(o.area, Field{.name = "area_m2", .help = "of the surface"});
    v(o.watertight, Field{.name = "watertight", .help = "it has no holes"});
    v(o.point_data, Field{.name = "point_data", .help = "names of values at points"});
    v(o.parts, Field{.name = "parts", .help = "of the file"});
    v(o.surface_triangles, Field{.name = "surface_triangles", .help = "of the boundary"});
    v(o.regions, Field{.name = "regions", .help = "tetrahedra by region"});
    v(o.joints, Field{.name = "joints", .help = "of a motion or a model"});
    v(o.frames, Field{.name = "frames", .help = "of a motion or a trial"});
    v(o.frame_time, Field{.name = "frame_time_s", .help = "between frames"});
    v(o.duration, Field{.name = "duration_s", .help = "of the motion"});
    v(o.muscles, Field{.name = "muscles", .help = "number of muscles"});
    v(o.bones, Field{.name = "bones", .help = "number of bones"});
    v(o.skin_vertices, Field{.name = "skin_vertices", .help = "of a body"});
    v(o.mass, Field{.name = "mass_kg", .help = "of a body or a model"});
    v(o.stature, Field{.name = "stature_m", .help = "of a body"});
    v(o.body_fat, Field{.name = "body_fat", .help = "fraction of the mass"});
    v(o.segments, Field{.name = "segments", .help = "of a body"});
    v(o.bodies, Field{.name = "bodies", .help = "of a model"});
    v(o.coordinates, Field{.name = "coordinates", .help = "of a model"});
    v(o.wrap_objects, Field{.name = "wrap_objects", .help = "of a model"});
    v(o.markers, Field{.name = "markers", .help = "of a model or a trial"});
    v(o.ligaments, Field{.name = "ligaments", .help = "of a model"});
    v(o.coordinate_limits, Field{.name = "coordinate_limits", .help = "forces at ends of ranges"});
    v(o.bushings, Field{.name = "bushings", .help = "of a model"});
    v(o.meshes, Field{.name = "meshes", .help = "of bones, that the model refers to"});
    v(o.credits, Field{.name = "credits", .help = "who made the model"});
    v(o.coordinate_list, Field{.name = "coordinate_list", .help = "their names"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
    v(o.begin, Field{.name = "begin_s", .help = "first time"});
    v(o.end, Field{.name = "end_s", .help = "last time"});
    v(o.rate, Field{.name = "rate_hz", .help = "frames per second"});
    v(o.marker_list, Field{.name = "marker_list", .help = "their names"});
    v(o.unseen_frames, Field{.name = "unseen_frames", .help = "by marker"});
    v(o.analog_channels, Field{.name = "analog_channels", .help = "their names"});
    v(o.analog_samples, Field{.name = "analog_samples", .help = "of each"});
    v(o.force_plates, Field{.name = "force_plates", .help = "of a .c3d"});
    v(o.columns, Field{.name = "columns", .help = "of a table"});
    v(o.angles, Field{.name = "angles", .help = "degrees, radians or not said"});
    v(o.column_list, Field{.name = "column_list", .help = "their names"});
    v(o.converted, Field{.name = "converted", .help = "unit and axes, where they were others"});
}

struct FoundProblem {
    std::string what;
    std::string where;
    std::optional<Count> count = {};
    std::optional<double> value = {};
    std::optional<std::array<double, 2>> expected = {};
    std::optional<std::string> unit = {};
    std::optional<std::string> source = {};
    std::optional<std::string> remedy = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FoundProblem>
void visit_fields(Options& o, Visitor&& v) {
    v(o.what, Field{.name = "what", .help = "is wrong or worth a look"});
    v(o.where, Field{.name = "where", .help = "it is"});
    v(o.count, Field{.name = "count", .help = "how many of them"});
    v(o.value, Field{.name = "value", .help = "that was found"});
    v(o.expected, Field{.name = "expected", .help = "range of the value"});
    v(o.unit, Field{.name = "unit", .help = "of the value"});
    v(o.source, Field{.name = "source", .help = "of what is expected"});
    v(o.remedy, Field{.name = "remedy", .help = "what to do"});
}

struct CheckResult {
    std::string input;
    bool healthy = false;
    std::vector<FoundProblem> problems = {};
    std::vector<FoundProblem> notes = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, CheckResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.input, Field{.name = "input", .help = "the file read"});
    v(o.healthy, Field{.name = "healthy", .help = "no problem was found"});
    v(o.problems, Field{.name = "problems", .help = "that must be mended"});
    v(o.notes, Field{.name = "notes", .help = "worth a look"});
}

struct MuscleNow {
    double length = 0.0;
    ByName<double> moment_arms = {};
    double force_max = 0.0;
    double fibre = 0.0;
    double tendon = 0.0;
    double pennation = 0.0;
    double fibre_now = 0.0;
    double force = 0.0;
    double passive_force = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleNow>
void visit_fields(Options& o, Visitor&& v) {
    v(o.length, Field{.name = "length_m", .help = "of muscle and tendon"});
    v(o.moment_arms, Field{.name = "moment_arms", .help = "by coordinate, m"});
    v(o.force_max, Field{.name = "force_max_n", .help = "isometric"});
    v(o.fibre, Field{.name = "fibre_m", .help = "optimal length"});
    v(o.tendon, Field{.name = "tendon_m", .help = "slack length"});
    v(o.pennation, Field{.name = "pennation_deg", .help = "at the optimal length"});
    v(o.fibre_now, Field{.name = "fibre_now_m", .help = "length now"});
    v(o.force, Field{.name = "force_n", .help = "now"});
    v(o.passive_force, Field{.name = "passive_force_n", .help = "of it without activation"});
}

struct SweptMuscle {
    std::vector<double> moment_arm = {};
    std::vector<double> length = {};
    std::vector<double> force = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SweptMuscle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.moment_arm, Field{.name = "moment_arm_m", .help = "per value"});
    v(o.length, Field{.name = "length_m", .help = "per value"});
    v(o.force, Field{.name = "force_n", .help = "per value"});
}

struct SweepResult {
    std::string coordinate;
    std::string unit;
    std::vector<double> values = {};
    ByName<SweptMuscle> muscles = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SweepResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.coordinate, Field{.name = "coordinate", .help = "that is swept"});
    v(o.unit, Field{.name = "unit", .help = "deg or m"});
    v(o.values, Field{.name = "values", .help = "of the coordinate"});
    v(o.muscles, Field{.name = "muscles", .help = "by name"});
}

struct WorkDone {
    double positive = 0.0;
    double negative = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, WorkDone>
void visit_fields(Options& o, Visitor&& v) {
    v(o.positive, Field{.name = "positive_j", .help = "work done"});
    v(o.negative, Field{.name = "negative_j", .help = "work taken up"});
}

struct MusclesResult {
    std::string model;
    std::optional<Count> bodies = {};
    std::optional<ByName<double>> coordinates = {};
    std::optional<ByName<MuscleNow>> muscles = {};
    std::optional<SweepResult> sweep = {};
    std::optional<std::string> motion = {};
    std::optional<Count> frames = {};
    std::optional<Count> columns = {};
    std::optional<ByName<WorkDone>> muscle_work = {};
    std::optional<ByName<WorkDone>> joint_work = {};
    std::optional<RecordingSummary> recording = {};
    std::optional<std::string> output = {};
    std::optional<std::string> reactions = {};
    std::optional<std::string> powers = {};
    std::optional<std::string> moments = {};
    std::optional<std::string> plot = {};
    std::optional<Names> notes = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MusclesResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.model, Field{.name = "model", .help = "its name"});
    v(o.bodies, Field{.name = "bodies", .help = "of the model"});
    v(o.coordinates, Field{.name = "coordinates", .help = "degrees or m"});
    v(o.muscles, Field{.name = "muscles", .help = "by name"});
    v(o.sweep, Field{.name = "sweep", .help = "over a coordinate"});
    v(o.motion, Field{.name = "motion", .help = "the file read"});
    v(o.frames, Field{.name = "frames", .help = "of the motion"});
    v(o.columns, Field{.name = "columns", .help = "of the table of muscles"});
    v(o.muscle_work, Field{.name = "muscle_work", .help = "by muscle"});
    v(o.joint_work, Field{.name = "joint_work", .help = "by coordinate"});
    v(o.recording, Field{.name = "recording", .help = "how a recording was put on the model"});
    v(o.output, Field{.name = "output", .help = "the table or picture written"});
    v(o.reactions, Field{.name = "reactions", .help = "the table written"});
    v(o.powers, Field{.name = "powers", .help = "the table written"});
    v(o.moments, Field{.name = "moments", .help = "the table written"});
    v(o.plot, Field{.name = "plot", .help = "the picture written"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
}

struct ResidualFields {
    double peak = 0.0;
    double rms = 0.0;
    std::string unit;
    double when = 0.0;
    double fraction = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ResidualFields>
void visit_fields(Options& o, Visitor&& v) {
    v(o.peak, Field{.name = "peak", .help = "largest force or moment"});
    v(o.rms, Field{.name = "rms", .help = "over the frames"});
    v(o.unit, Field{.name = "unit", .help = "N or N m"});
    v(o.when, Field{.name = "when_s", .help = "of the peak"});
    v(o.fraction,
      Field{.name = "share_of_body_weight", .help = "peak against body weight (times 1 m)"});
}

struct ActivationsResult {
    std::string model;
    std::string motion;
    Count frames = 0;
    Count unsolved_frames = 0;
    double frames_per_s = 0.0;
    Count loads = 0;
    ByName<double> peak_activation = {};
    ByName<double> peak_force = {};
    ByName<double> peak_moment = {};
    ByName<double> peak_reserve = {};
    ByName<ResidualFields> residuals = {};
    Names warnings = {};
    Names notes = {};
    std::optional<RecordingSummary> recording = {};
    std::optional<std::string> output = {};
    std::optional<std::string> forces = {};
    std::optional<std::string> moments = {};
    std::optional<std::string> reserve_moments = {};
    std::optional<std::string> loads_output = {};
    std::optional<std::string> plot = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ActivationsResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.model, Field{.name = "model", .help = "its name"});
    v(o.motion, Field{.name = "motion", .help = "the file read"});
    v(o.frames, Field{.name = "frames", .help = "of the motion"});
    v(o.unsolved_frames, Field{.name = "unsolved_frames", .help = "that did not converge"});
    v(o.frames_per_s, Field{.name = "frames_per_s", .help = "solved"});
    v(o.loads, Field{.name = "loads", .help = "outer forces"});
    v(o.peak_activation, Field{.name = "peak_activation", .help = "by muscle"});
    v(o.peak_force, Field{.name = "peak_force_n", .help = "by muscle"});
    v(o.peak_moment, Field{.name = "peak_moment", .help = "by coordinate"});
    v(o.peak_reserve, Field{.name = "peak_reserve", .help = "by coordinate"});
    v(o.residuals, Field{.name = "residuals", .help = "by coordinate"});
    v(o.warnings, Field{.name = "warnings", .help = "of the trial"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
    v(o.recording, Field{.name = "recording", .help = "how a recording was put on the model"});
    v(o.output, Field{.name = "output", .help = "the table written"});
    v(o.forces, Field{.name = "forces", .help = "the table written"});
    v(o.moments, Field{.name = "moments", .help = "the table written"});
    v(o.reserve_moments, Field{.name = "reserve_moments", .help = "the table written"});
    v(o.loads_output, Field{.name = "loads_output", .help = "the table written"});
    v(o.plot, Field{.name = "plot", .help = "the picture written"});
}

}  // namespace sinew::cli
