#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "studio/server/commands.h"
#include "studio/server/monitor.h"
#include "studio/server/outbox.h"

namespace sinew::studio {

class Stage;
class Views;
class Worker;

/// One verb of the protocol (docs/studio-protocol.md).
struct Verb {
    std::string name;
    std::vector<CommandField> fields = {};  ///< checked before `answer` is called
    /// Asked for while the first body is read or made, it waits until that is there.
    bool needs_body = true;
    /// It takes long: the quick worker does it, and answers. The others are done on the network's
    /// thread.
    bool is_long = false;
    /// Does it. @returns  the answer's fields besides `re` and `ok` @throws InputError
    std::function<Json(ClientId, const Json& message)> answer;
    /// Called once the answer has been sent, on the same thread; none: nothing follows.
    std::function<void(ClientId, const Json& answer)> after = {};
};

/// The verbs that the parts have added: finds them, checks their fields, answers.
class Verbs {
public:
    Verbs(Monitor& monitor, Views& views, Stage& stage, Worker& worker)
        : monitor_(monitor), views_(views), stage_(stage), worker_(worker) {}

    /// Of the parts, before the first page comes.
    void add(Verb verb);

    /// What a page has sent. The network's thread.
    void command(ClientId client, const Json& message);
    /// The first body is there, or lost: does what has waited for it, in order. The quick worker's
    /// thread.
    void answer_waiting();

private:
    struct Waiting {  // NOLINT(bugprone-exception-escape): moves of JSON values do not throw
        ClientId client;
        Json message;
    };

    const Verb& find(const Json& message) const;
    bool must_wait(const Verb& verb, ClientId client, const Json& message);
    void do_now(const Verb& verb, ClientId client, const Json& message);
    void answer(const Verb& verb, ClientId client, const Json& message);
    void refuse(Json error, ClientId client, const Json& message);

    Monitor& monitor_;
    Views& views_;
    Stage& stage_;
    Worker& worker_;
    std::vector<Verb> verbs_ = {};
    // Under the lock.
    std::deque<Waiting> waiting_ = {};  // commands that came before the body
};

}  // namespace sinew::studio
