import Foundation
import Testing

@testable import PledgeBatch

@Suite("The progress of a batch")
struct BatchProgressTests {
    @Test(
        "A batch's progress shows how many items are done or waiting, when a wait ends, and the remaining time if known"
    )
    func description() {
        var tally = BatchTally()
        (tally.done, tally.errors) = (1_198, ["forbidden": 2])
        var progress = BatchProgress(tallies: ["exist": tally], elapsed: 1_200)
        #expect("\(progress)" == "1,198 done, 2 failed, 1.0/s" && progress.eta == nil)
        (progress.waiting, progress.wake, progress.left) = (1, Date(timeIntervalSince1970: 600), 50)
        #expect("\(progress)" == "1,198 done, 2 failed, 1 waiting until 00:10:00Z, 1.0/s, 50 s left")
        let new = BatchProgress(left: 7)
        #expect("\(new)" == "0 done, 0 failed, 0.0/s" && new.eta == nil && new.rate == 0 && new.elapsed == 0)
        #expect(BatchProgress(tallies: ["exist": tally], elapsed: 0.5).rate == 2_400)
    }
}
