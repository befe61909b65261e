#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/mjcf_reference.h"

#include <pugixml.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace sinew::detail {

std::string text_of(std::initializer_list<double> numbers);
std::string text_of(const Vec3& v);
void set(pugi::xml_node node, const char* name, const std::string& value);
/// w x y z, as MuJoCo writes rotations; nothing for none.
void set_rotation(pugi::xml_node node, const Mat3& rotation);
double value_at(const ScalarFunction& f, double x);

/// A model in the words of MuJoCo. Bodies and joints are in mjcf_write.cpp, what runs between them
/// in mjcf_tendons.cpp.
class MjcfWriter {
public:
    MjcfWriter(const MusculoskeletalModel& model, const MjcfOptions& options);
    MjcfText write();

private:
    using Node = pugi::xml_node;
    struct Follower {
        std::string name;
        Index coordinate;
        ScalarFunction function;
        bool is_slide = false;
    };
    // The joint whose polynomial is furthest off, rad or m.
    struct FitError {
        std::string joint = {};
        double error = 0.0;
    };
    // Which coordinate leads in the end, and by which function.
    struct Lead {
        Index coordinate = -1;
        std::function<double(double)> function;
    };

    Node body_node(Index body) {
        return body < 0 ? world_ : nodes_[at(body)];
    }
    // What stands on the ground stands in the file's world.
    Placement in_body(Index body) const {
        return body < 0 ? T_world_model_ : Placement{};
    }
    double rest_at(Index coordinate) const {
        return rest_[at(coordinate)];
    }

    void add_head();
    void add_shapes();
    void add_body(const ModelJoint& joint);
    void add_inertia(Node node, const RigidBody& body);
    void add_small_inertia(Node node);
    std::vector<double> rest_values() const;
    bool add_axis(Node node, const ModelJoint& joint, std::size_t i, const ReferenceChain& chain,
                  double value);
    void add_passive_joint(Node joint, Index coordinate, bool is_main);
    void add_markers();
    void add_follower(Node equality, const Follower& follower, const std::string& leader,
                      Index coordinate, const std::function<double(double)>& f);
    Lead lead_of(Index coordinate, std::function<double(double)> f, std::size_t depth = 0) const;
    void add_couplers();
    void add_value(Index coordinate);

    std::string add_site(const std::string& owner, const PathPoint& point, std::size_t number,
                         Index& body);
    Node add_carrier(const std::string& name, Index body, const PathPoint& point,
                     const Vec3& position);
    void add_round_shape(Node geom, const WrapObject& wrap);
    void add_ring(Node spatial, const WrapObject& ring, const std::string& name);
    std::string wrap_geom(Index object);
    void add_tendons();
    void add_tendon(const std::string& name, const std::vector<PathPoint>& points,
                    const std::vector<PathWrap>& wraps);
    void add_wrap(Node spatial, const std::string& owner, const std::vector<PathPoint>& points,
                  const std::vector<PathWrap>& wraps, std::size_t before);
    void add_actuator(const MuscleUnit& unit);
    void add_ligament(const Ligament& ligament);
    void add_limit(const CoordinateLimit& limit);
    void add_pull_only(const std::string& name, const std::string& tendon, double slack,
                       double scale, double toe, double stiffness);
    void add_notes();

    const MusculoskeletalModel& model_;
    MjcfOptions options_;
    Placement T_world_model_ = {};
    pugi::xml_document document_;
    Node root_;
    Node world_;
    Node compiler_;
    Node tendons_;
    Node actuators_;
    std::vector<Node> nodes_ = {};
    std::vector<double> rest_ = {};  // of all coordinates
    std::map<Index, std::string> has_joint_ = {};
    std::map<Index, bool> has_wrap_ = {};
    std::vector<Follower> followers_ = {};
    std::vector<std::string> notes_ = {};
    FitError worst_slide_ = {};
    FitError worst_hinge_ = {};
    int fitted_ = 0;
    int blended_ = 0;
    int moving_ = 0;
    int rounded_ = 0;
    int rings_ = 0;
    int conditional_ = 0;
    int small_ = 0;
    int balanced_ = 0;
};

}  // namespace sinew::detail
