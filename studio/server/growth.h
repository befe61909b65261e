#pragma once

#include "sinew/growth/growth_session.h"
#include "sinew/pipeline/body_display.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "studio/server/document.h"
#include "studio/server/monitor.h"

namespace sinew::studio {

class Jobs;
class Stage;
class Verbs;
class Views;

/// What the document asks for on a body: a plan whose painted map lies on that body's skin.
/// @param values  what carries the map from the display's skin to the body's
GrowthPlan plan_on(const Edits& edits, const Body& body, const SkinValues& values, int iterations);

/// The document, its history, and the solve that follows the sliders on the scene's body.
///
/// Functions that take the lock: any thread. The others belong to the quick worker's thread.
class Growth {
public:
    using Hook = std::function<void(const Lock&)>;

    Growth(Monitor& monitor, Views& views, Jobs& jobs, Stage& stage);

    /// Called when the shape is about to change: whatever moves ends. Of the parts, before the
    /// first page comes.
    void when_changed(Hook hook) {
        hooks_.push_back(std::move(hook));
    }

    const Edits& edits(const Lock&) const {
        return document_.now();
    }
    /// Rises with every change of the document.
    std::uint32_t revision(const Lock&) const {
        return document_.revision();
    }
    /// Nobody drags, and what was asked for is solved.
    bool is_at_rest(const Lock&) const {
        return !is_dragging_ && grown_revision_ == document_.revision();
    }
    /// All edits anew, as one step. @throws InputError  for what the body does not have
    void replace(const Lock& lock, Edits edits);
    /// Drags and motions end here.
    void let_rest(const Lock& lock);
    /// A finer solve has measured what is shown.
    void take_fine_measures(const Lock& lock, Json measures);

    /// Sets up the solver for the scene's body; until then edits only wait.
    void prepare();
    bool is_prepared() const {
        return session_ != nullptr;
    }
    /// Solves what was asked for last.
    void require_grown();
    std::shared_ptr<const GrowthResult> result() const {  ///< none: the body as it came
        return result_;
    }
    const Body& body() const;         ///< as grown
    const Points& positions() const;  ///< of the scene's tetrahedra, as solved
    std::uint32_t grown_revision() const {
        return grown_revision_;
    }

    void add_verbs(Verbs& verbs);  ///< edit, paint, recipe, undo, redo, reset

private:
    Json edit(const Json& message);
    Json paint(const Json& message);
    Json recipe(const Json& message);
    Json step(const std::function<bool(Document&)>& change);
    void changed(const Lock& lock, bool is_dragging);
    bool is_behind();
    void grow();
    void forget();

    Monitor& monitor_;
    Views& views_;
    Jobs& jobs_;
    Stage& stage_;
    std::vector<Hook> hooks_ = {};
    // Under the lock.
    Document document_ = {};
    bool is_dragging_ = false;
    std::string resolution_ = "preview";
    Json measures_ = nullptr;
    Json bone_ends_ = Json::object();  // where bones begin and end after edits
    std::vector<std::string> warnings_ = {};
    // Written by the quick worker under the lock.
    std::uint32_t grown_revision_ = 0;  // of the document, as solved
    std::shared_ptr<const GrowthResult> result_ = {};
    // Of the quick worker.
    std::unique_ptr<GrowthSession> session_ = {};
};

}  // namespace sinew::studio
