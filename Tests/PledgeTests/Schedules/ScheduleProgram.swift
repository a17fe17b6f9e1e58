import Dispatch
@testable import Pledge
import PledgeTestSupport

/// A program that runs in every schedule: what two or more threads do at once, and what must hold afterward.
struct ScheduleProgram: Sendable {
    let name: String
    /// Whether the program has so many schedules that it is tried with one preemption fewer.
    private(set) var isLarge = false
    /// Runs the program, and returns a complaint for each condition that doesn't hold.
    let complaints: @Sendable (Schedule) -> [String]

    /// Creates a program from a closure that runs threads, and then returns whether all conditions hold.
    init(_ name: String, _ body: @escaping @Sendable (Schedule) -> Bool) {
        self.name = name
        complaints = { body($0) ? [] : ["does not hold"] }
    }

    /// Creates a program from an exploration: an operator, and events that each run on a thread of their own.
    init(_ exploration: Exploration) {
        name = "\(exploration)"
        complaints = { exploration.complaints(seed: 0, in: $0) }
        isLarge = exploration.events.count > 2
    }

    static let all = orders + contests + losers + cancels + ends + waiting + operators

    /// Programs with each operator, inline and on a queue, and with each combination of two or three events.
    static let operators = Operator.all.indices.flatMap { number in
        [true, false].flatMap { isInline in
            events.map { Self(Exploration(operators: [number], events: $0, isInline: isInline, isFlushed: true)) }
        }
    }

    private static let events = (1..<1 << Exploration.Event.allCases.count).compactMap { set in
        let chosen = Exploration.Event.allCases.enumerated().filter { set & 1 << $0.offset != 0 }.map(\.element)
        return chosen.count == 2 || chosen.count == 3 ? chosen : nil
    }

    static let queues = [nil, .pledge, DispatchQueue(label: "schedule")]

    private static let orders = queues.flatMap { queue in
        [0, 1, 2].map { before in
            Self("handlers run in the order in which they were added, \(before) of them before the others") {
                let (source, order) = (Source(Int.self), Recorder<Int>())
                @Sendable func add(_ number: Int) {
                    source.promise.done(on: queue) { _ in order.append(number) }.cauterize()
                }
                (0..<before).forEach(add)
                $0.run([
                    {
                        add(before)
                        add(before + 1)
                    }, { source.seal.fulfill(1) },
                ])
                return order.all == Array(0..<before + 2)
            }
        }
    }

    private static let contests = queues.flatMap { queue in
        [true, false].map { isBefore in
            Self("the first of several calls decides the outcome, and each handler runs once") {
                let source = Source(Int.self)
                // A reference cycle, which the outcome must break.
                source.seal.onCancel { _ = source.seal }
                let (outcomes, ensures) = (Recorder<Result<Int, any Error>>(), Counter())
                func register() {
                    _ = source.promise.done(on: queue) { outcomes.append(.success($0)) }
                    source.promise.catch(on: queue, policy: .allErrors) { outcomes.append(.failure($0)) }
                    _ = source.promise.ensure(on: queue) { ensures.increment() }
                }
                if isBefore { register() }
                $0.run([
                    { source.seal.fulfill(1) },
                    {
                        if !isBefore { register() }
                        source.seal.reject(Fault.one)
                    }, { source.promise.cancel() },
                ])
                return ensures.value == 1 && source.stopCount == (source.promise.error?.isCancelled == true ? 1 : 0)
                    && "\(outcomes.all)" == "\([source.promise._peekedResult].compactMap(\.self))"
            }
        }
    }

    private static let combining: [@Sendable ([Promise<Int>]) -> Promise<[Int]>] = [
        { when(fulfilled: $0) }, { when(fulfilled: $0.makeIterator(), concurrently: 3) },
        { race($0.map { $0.map(on: nil) { [$0] } }) },
    ]

    private static let losers = combining.map { combine in
        Self("a combinator cancels its promises only if it is canceled, and handles later errors") { schedule in
            let holds = Locked(false)
            do {
                let sources = (0..<3).map { _ in Source(Int.self) }
                let promise = combine(sources.map(\.promise))
                schedule.drain()
                schedule.run([{ sources[0].seal.reject(Fault.one) }, { promise.cancel() }])
                let stops = promise.error?.isCancelled == true ? 1 : 0
                holds.withLock { $0 = promise.isRejected && sources.dropFirst().allSatisfy { $0.stopCount == stops } }
                sources[1].seal.reject(Fault.two)
            }
            return holds.withLock { $0 } && LogCapture.shared.unhandled(Fault.two).isEmpty
        }
    }

    private static let cancels: [Self] = [
        Self("an error that comes while a cancel is on its way raises no alarm") { schedule in
            let fault = Fault("on its way")
            do {
                let source = Source(Int.self)
                let end = source.promise.map { $0 }
                schedule.run([{ end.cancel() }, { source.seal.reject(fault) }])
                _ = end.error
            }
            return LogCapture.shared.unhandled(fault).isEmpty
        },
        Self("a canceled guarantee ends its pauses, and its closures run, even if nothing holds it") { schedule in
            let (time, runs) = (ManualTimekeeper(), Counter())
            @Sendable func run() -> Guarantee<Void> {
                runs.increment()
                return after(seconds: 1, timekeeper: time.timekeeper)
            }
            schedule.run([{ run().then(run).then(run).cancel() }])
            return runs.value == 3 && time.alarmCount == 0
        },
    ]
}
