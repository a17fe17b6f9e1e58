#if compiler(>=6.2)
    import Foundation
    @testable import Pledge
    import PledgeTestSupport
    import Testing

    /// Runs the programs of ``ScheduleProgram/all`` in every schedule with at most one preemption.
    ///
    /// The long run before a release allows two preemptions. If this gives a program no more than a thousand schedules, the
    /// program runs again with three preemptions. `PLEDGE_EFFORT` multiplies the number of programs, and `PLEDGE_SCHEDULE`
    /// repeats a single run.
    @Suite("Every schedule of several threads")
    struct EveryScheduleTests {
        // Runs in a process of its own, because a schedule controls all threads of the process.
        @Test(
            "In every schedule of its threads, each program has the outcome that it states, and nothing waits forever")
        func programs() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                _ = LogCapture.shared
                await withCheckedContinuation { continuation in
                    // Runs on a thread of its own, because the threads of tasks must not be blocked.
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
            var (chosen, bounds) = (Array(0..<few) + some.sorted(), Rounds.isLong ? [2, 3] : [1])
            let repeated = ProcessInfo.processInfo.environment["PLEDGE_SCHEDULE"]
            let numbers = repeated?.split(separator: " ").compactMap { Int($0) }
            if let numbers { (chosen, bounds) = ([numbers[0]], [numbers[1]]) }
            let schedule = Schedule()
            Pledge.scheduler = schedule
            schedule.takeTasks(true)
            defer { schedule.takeTasks(false) }
            let start = ProcessInfo.processInfo.systemUptime
            var count = 0
            for number in chosen {
                for bound in bounds {
                    let plan = numbers.map { Array($0.dropFirst(2)) }
                    let tried = schedule.explore(all[number], number, bound: bound, repeating: plan)
                    count += tried
                    if tried > 1_000 { break }
                }
            }
            let rate = Int(Double(count) / (ProcessInfo.processInfo.systemUptime - start) * 60)
            Schedule.print("schedules: \(chosen.count) programs, \(count) schedules, \(rate) a minute")
            if numbers == nil, count < 20 * chosen.count {
                Schedule.print("\(Schedule.sign)hardly any thread was interrupted")
            }
        }
    }
#endif
