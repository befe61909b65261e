#pragma once

#include "sinew/growth/growth_session.h"
#include "sinew/pipeline/body_display.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "studio/server/monitor.h"

namespace sinew::studio {

class Growth;
class Jobs;
class Stage;
class Views;
struct Scene;

/// The person at standard resolution: solved when the quick solve has ended and nobody drags, and
/// given up at the next wish. While there is nothing to do it learns how muscle groups answer, so
/// that the next solve begins near its end.
///
/// Functions that take the lock: any thread. require() belongs to the quick worker's thread; the
/// work itself is a duty of the fine worker's.
class FineGrowth {
public:
    /// The body to write: the one at rest, and as grown where it was.
    struct Finest {
        std::shared_ptr<const Body> rest;  ///< none: there is no finer body
        std::shared_ptr<const GrowthResult> result;
    };

    /// @param cache  of bodies that are made
    FineGrowth(Monitor& monitor, Views& views, Jobs& jobs, Stage& stage, Growth& growth,
               std::filesystem::path cache);

    /// The built-in figure is to be made at standard resolution.
    void make_figure(const Lock& lock);
    /// This is the person on the stage at standard resolution.
    void take(const Lock& lock, Body body);
    Finest finest(const Lock& lock) const;
    /// Waits until what was asked for last is in the finest body.
    void require();

private:
    struct Person {
        Body body;
        BodySurfaces surfaces;
        SkinValues skin_values;
        std::unique_ptr<GrowthSession> session = {};
        bool has_learnt = false;  // all that there is to learn; under the lock

        Person(const BodyDisplay& display, Body b)
            : body(std::move(b)),
              surfaces(body, display.meshes()),
              skin_values(display.mesh(DisplayLayer::Skin), body) {}
    };

    bool is_wanted(const Lock& lock) const;
    bool may_learn(const Lock& lock) const;
    void work();
    void make();
    void take_up();
    void grow();
    void learn();
    /// Where the fine body's points are is shown, if that is still what is asked for.
    /// @param coarse  where the scene's points are; null: at rest
    bool show(const std::shared_ptr<Scene>& scene, const Person& person, const Points* coarse,
              const Points& positions, std::uint32_t revision);

    Monitor& monitor_;
    Views& views_;
    Jobs& jobs_;
    Stage& stage_;
    Growth& growth_;
    const std::filesystem::path cache_;
    // Under the lock.
    bool wants_figure_ = false;
    std::optional<Body> body_ = {};        // read or made, not yet taken up
    std::shared_ptr<Person> person_ = {};  // its session belongs to the fine worker
    std::uint32_t revision_ = 0;           // of the document, as solved finely
    std::shared_ptr<const GrowthResult> result_ = {};
};

}  // namespace sinew::studio
