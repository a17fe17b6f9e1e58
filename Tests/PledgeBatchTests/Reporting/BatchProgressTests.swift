import Foundation
import Testing

@testable import PledgeBatch

@Suite("The progress of a batch")
struct BatchProgressTests {
    @Test(
        "A duration is rounded to what matters of it",
        arguments: [
            (0.4, "0 s"), (99.4, "99 s"), (99.5, "2 min"), (5_969, "99 min"), (5_970, "1 h 39 min"),
            (90_060, "25 h 1 min"),
        ])
    func duration(seconds: Double, text: String) {
        #expect(BatchProgress.duration(seconds) == text)
    }

    @Test("It says what is done, what waits until when, and how long the rest takes, as far as that is known")
    func description() {
        var progress = BatchProgress(done: 1_198, failed: 2, elapsed: 120)
        #expect("\(progress)" == "1,198 done, 2 failed, 10.0/s" && progress.eta == nil)
        (progress.waiting, progress.wake, progress.left) = (1, Date(timeIntervalSince1970: 600), 50)
        #expect("\(progress)" == "1,198 done, 2 failed, 1 waiting until 00:10:00Z, 10.0/s, 5 s left")
        let new = BatchProgress(left: 7)
        #expect("\(new)" == "0 done, 0 failed, 0.0/s" && new.eta == nil && new.rate == 0)
    }
}
