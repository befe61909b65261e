#include "studio/server/verbs.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "studio/server/jobs.h"
#include "studio/server/stage.h"
#include "studio/server/views.h"

namespace sinew::studio {

namespace {

constexpr std::size_t kMostWaiting = 200;

Json error_of(const ErrorParts& parts) {
    return {{"where", parts.where},
            {"found", parts.found},
            {"needs", parts.needs},
            {"remedy", parts.remedy}};
}

// Does something for a command. @returns  null, or why it was not done
template <class Work>
Json error_in(const Work& work) {
    try {
        work();
        return nullptr;
    } catch (const InputError& e) {
        return error_of(e.parts());
    } catch (const Json::exception&) {
        return error_of({.where = "command",
                         .found = "something else",
                         .needs = "fields of the protocol",
                         .remedy = "see docs/studio-protocol.md"});
    } catch (const Cancelled&) {
        return error_of({.where = "job",
                         .found = "it was cancelled",
                         .needs = "to run to its end",
                         .remedy = "try again"});
    }
}

}  // namespace

void Verbs::add(Verb verb) {
    verbs_.push_back(std::move(verb));
}

const Verb& Verbs::find(const Json& message) const {
    const auto it = message.find("do");
    const std::string name =
        it != message.end() && it->is_string() ? it->get<std::string>() : std::string();
    std::vector<std::string> names;
    for (const Verb& verb : verbs_) {
        if (verb.name == name) {
            return verb;
        }
        names.push_back(verb.name);
    }
    throw InputError({.where = "command",
                      .found = fmt::format("unknown verb '{}'{}", name, did_you_mean(name, names)),
                      .needs = "a verb of the protocol",
                      .remedy = "see docs/studio-protocol.md"});
}

void Verbs::command(ClientId client, const Json& message) {
    const Json error = error_in([&] {
        const Verb& verb = find(message);
        if (!must_wait(verb, client, message)) {
            do_now(verb, client, message);
        }
    });
    if (!error.is_null()) {
        refuse(error, client, message);
    }
}

// What needs a body and is asked for while there is none yet is done once it is there, in order.
bool Verbs::must_wait(const Verb& verb, ClientId client, const Json& message) {
    const Lock lock = monitor_.lock();
    const bool has_body = stage_.scene(lock) != nullptr && waiting_.empty();
    if (!verb.needs_body || has_body || stage_.is_lost(lock) || waiting_.size() >= kMostWaiting) {
        return false;
    }
    waiting_.push_back({client, message});
    return true;
}

void Verbs::answer_waiting() {
    for (;;) {
        Waiting next;
        {
            const Lock lock = monitor_.lock();
            if (waiting_.empty()) {
                return;
            }
            next = waiting_.front();
        }
        do_now(find(next.message), next.client, next.message);
        const Lock lock = monitor_.lock();
        waiting_.pop_front();
    }
}

void Verbs::do_now(const Verb& verb, ClientId client, const Json& message) {
    const Json error = error_in([&] {
        check_fields(verb.fields, message);
        if (verb.needs_body) {
            const Lock lock = monitor_.lock();
            stage_.require_scene(lock);
        }
    });
    if (!error.is_null()) {
        refuse(error, client, message);
    } else if (verb.is_long) {
        const Lock lock = monitor_.lock();
        worker_.post(lock, [this, &verb, client, message] { answer(verb, client, message); });
    } else {
        answer(verb, client, message);
    }
}

void Verbs::answer(const Verb& verb, ClientId client, const Json& message) {
    Json reply;
    const Json error = error_in([&] { reply = verb.answer(client, message); });
    if (!error.is_null()) {
        refuse(error, client, message);
        return;
    }
    reply["ok"] = true;
    reply["re"] = id_of(message);
    views_.send(client, reply);
    if (verb.after) {
        verb.after(client, reply);
    }
}

void Verbs::refuse(Json error, ClientId client, const Json& message) {
    for (Json& part : error) {
        part = views_.told(part.get<std::string>());
    }
    views_.send(client, {{"ok", false}, {"error", error}, {"re", id_of(message)}});
}

}  // namespace sinew::studio
