#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "studio/server/monitor.h"
#include "studio/server/outbox.h"
#include "studio/server/scene.h"

namespace sinew::studio {

class Jobs;
class Verbs;
class Views;

/// Who is on the stage and where: the person that all pages show, the positions last shown, and
/// the frames that carry them.
///
/// Functions that take the lock: any thread. The others belong to the quick worker's thread.
class Stage {
public:
    using Hook = std::function<void(const Lock&)>;

    Stage(Monitor& monitor, Views& views, Jobs& jobs);

    // Of the parts, before the first page comes.
    /// Called when another person is shown, before pages are told.
    void when_replaced(Hook hook) {
        hooks_.push_back(std::move(hook));
    }
    /// The revision of the document, which frames carry.
    void set_revision(std::function<std::uint32_t(const Lock&)> revision) {
        revision_ = std::move(revision);
    }

    /// None while the first body is read or made.
    std::shared_ptr<Scene> scene(const Lock&) const {
        return scene_;
    }
    std::shared_ptr<Scene> scene() const {  ///< the quick worker alone replaces it
        return scene_;
    }
    /// The one of a command. @throws InputError  where there is none
    std::shared_ptr<Scene> require_scene(const Lock& lock) const;
    bool is_lost(const Lock&) const {  ///< the first body could not be read
        return is_lost_;
    }
    void lose(const Lock&) {
        is_lost_ = true;
    }

    /// "loading", "rest", or what moves: "pose", "play", "jump", "contract".
    const std::string& mode(const Lock&) const {
        return mode_;
    }
    void set_mode(const Lock&, const std::string& mode) {
        mode_ = mode;
    }

    /// Of the scene's tetrahedra, as last shown; none: at rest.
    std::shared_ptr<const Points> positions(const Lock&) const {
        return x_;
    }
    /// What a finer solve adds to where the scene's tetrahedra have the meshes.
    void set_correction(const Lock&, Correction correction) {
        correction_ = std::move(correction);
    }

    /// Another person: everything is sent anew. The skin comes before all that clicks and sliders
    /// need, where nothing is shown yet.
    std::shared_ptr<Scene> show_person(Body body, int skin_triangles);
    /// The same person, shown alike, to be solved on another body.
    void exchange(const Lock& lock, std::shared_ptr<Scene> scene);
    /// Where the scene's tetrahedra are now. Frames that come too fast are left out but for the
    /// last.
    void show(const Points& points, bool is_final);
    /// Where a layer is when the scene's tetrahedra have these points.
    Points layer_at(DisplayLayer layer, const Points& points) const;
    /// A mesh of a file, beside the body. @returns  its number
    int show_beside(const TriangleMesh& mesh);

    void add_verbs(Verbs& verbs);  ///< hello, view, shown

private:
    void show_first(const TriangleMesh& skin);
    void make_fibres();
    SharedBytes fibre_frame(const Scene& scene, const Points& points, std::uint32_t revision) const;
    SharedBytes whole_frame(const Lock& lock, DisplayLayer layer, bool is_before) const;
    void send_meshes(const Lock& lock, ClientId client, const std::set<int>& layers);
    void send_what_follows(ClientId client, const Json& answer);

    Monitor& monitor_;
    Views& views_;
    Jobs& jobs_;
    std::vector<Hook> hooks_ = {};
    std::function<std::uint32_t(const Lock&)> revision_ = {};
    // Under the lock.
    std::shared_ptr<Scene> scene_ = {};
    SharedBytes first_skin_ = {};  // shown while the first scene is being made
    bool is_lost_ = false;
    std::string mode_ = "loading";
    std::shared_ptr<const Points> x_ = {};
    Correction correction_ = {};
    std::map<int, SharedBytes> beside_ = {};
    // Of the quick worker.
    Clock::time_point last_shown_ = {};
};

}  // namespace sinew::studio
