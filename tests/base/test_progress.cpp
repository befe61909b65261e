#include "sinew/base/error.h"
#include "sinew/base/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sinew {

TEST(Progress, TellsTheCallbackBeginStepsAndEnd) {
    std::vector<std::string> heard;
    const Progress progress = progress_from_callback([&](const ProgressEvent& e) {
        heard.push_back(std::to_string(static_cast<int>(e.kind)) + std::string(e.text) +
                        std::to_string(e.done) + "/" + std::to_string(e.total));
    });
    {
        Progress::Stage stage = progress.stage("mesh", 2);
        stage.advance();
        stage.advance();
    }
    progress.warn("thin");
    const std::vector<std::string> expected = {"0mesh0/2", "1mesh1/2", "1mesh2/2", "2mesh0/0",
                                               "3thin0/0"};
    EXPECT_EQ(heard, expected);
}

TEST(Progress, CancelStopsTheNextStep) {
    const Progress progress;
    const Progress copy = progress;
    Progress::Stage stage = progress.stage("work", 10);
    stage.advance();
    copy.cancel();
    EXPECT_THROW(stage.advance(), Cancelled);
    EXPECT_THROW(static_cast<void>(progress.stage("more")), Cancelled);
}

}  // namespace sinew
