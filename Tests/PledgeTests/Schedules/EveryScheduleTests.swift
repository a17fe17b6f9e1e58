#if compiler(>=6.2)
    import Foundation
    @testable import Pledge
    import PledgeTestSupport
    import Testing

    /// Every schedule of ``ScheduleProgram/all`` with at most one preemption or, before a release, with two, and with
    /// three where two leave it at a thousand.
    /// `PLEDGE_EFFORT` multiplies the number of programs, and `PLEDGE_SCHEDULE` repeats one run.
    @Suite("In every schedule of several threads,")
    struct EveryScheduleTests {
        // In a process of its own, because a schedule decides over all threads.
        @Test("what a program says holds, and nothing waits forever")
        func programs() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                _ = LogCapture.shared
                await withCheckedContinuation { continuation in
                    // The threads of tasks must not be blocked.
                    Thread.detachNewThread {
                        Self.explore()
                        continuation.resume()
                    }
                }
            }
            let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            print(said)
            #expect(!said.contains(Schedule.sign))
        }

        private static func explore() {
            var random = SeededGenerator(seed: 1)
            let all = ScheduleProgram.all
            let few = all.count - ScheduleProgram.operators.count
            let some = (few..<all.count).shuffled(using: &random).prefix(Rounds.count(usual: 70))
            var chosen = Array(0..<few) + some.sorted()
            var (bounds, plan): ([Int], [Int]?) = (Rounds.isLong ? [2, 3] : [1], nil)
            if let words = ProcessInfo.processInfo.environment["PLEDGE_SCHEDULE"] {
                let numbers = words.split(separator: " ").compactMap { Int($0) }
                (chosen, bounds, plan) = ([numbers[0]], [numbers[1]], Array(numbers.dropFirst(2)))
            }
            let start = DispatchTime.now().uptimeNanoseconds
            let schedule = Schedule()
            Pledge.scheduler = schedule
            schedule.takeTasks(true)
            defer { schedule.takeTasks(false) }
            var count = 0
            for number in chosen {
                for bound in bounds {
                    let tried = schedule.explore(all[number], number, bound: bound, repeating: plan)
                    count += tried
                    if tried > 1_000 { break }
                }
            }
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            let rate = Int(Double(count) / seconds * 60)
            FileHandle.standardError.write(
                Data("schedules: \(chosen.count) programs, \(count) schedules, \(rate) a minute\n".utf8))
            if plan == nil, count < 20 * chosen.count {
                FileHandle.standardError.write(Data("\(Schedule.sign)hardly any thread was interrupted\n".utf8))
            }
        }
    }
#endif
