import Dispatch
import Foundation
import PledgeTestSupport

@testable import Pledge

/// A program while it runs, with its promises, its log, and the complaints about it.
final class ProgramRun: Sendable {
    static let first = MarkedQueue("first")
    static let second = MarkedQueue("second")
    static let concurrent = MarkedQueue("concurrent", attributes: .concurrent)
    static let main = MarkedQueue(marking: .main)
    // Handlers that wait for each other have a queue of their own, because a barrier on `concurrent` could separate them.
    private static let meeting = DispatchQueue(label: "meeting", attributes: .concurrent)

    struct State {
        var promises: [Int: Promise<Int>] = [:]
        var guarantees: [Int: Guarantee<Int>] = [:]
        var seals: [Int: Resolver<Int>] = [:]
        var resolves: [Int: @Sendable (Int) -> Void] = [:]
        var log = ProgramLog()
        /// The promises on which `cancel` was called, and those that were released after that.
        var cancels: Set<Int> = [], abandoned: Set<Int> = []
        var attached = 0
        var isBuilt = false
        /// Actions that are postponed until all promises exist. The reference doesn't handle promises that are created after
        /// an action.
        var early: [Program.Action] = []
    }

    let program: Program
    let objects = LiveObjects()
    let time = ManualTimekeeper()
    let complaints = Recorder<String>()
    let state = Locked(State())

    init(_ program: Program) {
        self.program = program
    }

    func promise(_ number: Int) -> Promise<Int>? { state.withLock { $0.promises[number] } }

    /// Returns a token that a handler captures, and calls when it runs.
    func token(_ number: Int, of input: Int, on place: Program.Place) -> Token {
        let node = number < program.nodes.count ? program.nodes[number] : nil
        return objects.watch(
            Token(self, number, input, place, node?.inside ?? [], node?.atEnd ?? []), "what \(number) captured")
    }

    func perform(_ actions: [Program.Action]) {
        let isNow = state.withLock { state in
            if !state.isBuilt { state.early += actions }
            return state.isBuilt
        }
        guard isNow else { return }
        for action in actions { perform(action) }
    }

    private func perform(_ action: Program.Action) {
        switch action {
        case .fulfill(let number, let value):
            let (seal, resolve) = state.withLock { ($0.seals[number], $0.resolves[number]) }
            seal?.fulfill(value)
            resolve?(value)
        case .reject(let number, let fault): state.withLock { $0.seals[number] }?.reject(fault)
        case .cancel(let number):
            guard let promise = promise(number) else { return }
            promise.cancel()
            state.withLock { _ = $0.cancels.insert(number) }
        case .abandon(let number):
            perform(.cancel(number))
            perform(.forget(number))
        case .look(let number): _ = promise(number)?.isPending
        case .wait(let number): _ = try? promise(number)?.wait(timeout: 0)
        case .forget(let number):
            // Releases the promise outside the lock, because a deinit may run any code.
            let forgotten = state.withLock { state in
                if state.cancels.contains(number) { state.abandoned.insert(number) }
                return (state.promises.removeValue(forKey: number), state.guarantees.removeValue(forKey: number))
            }
            withExtendedLifetime(forgotten) {}
        case .ring: time.advance(by: 1)
        case .attach(let number, let place):
            guard let promise = promise(number) else { return }
            let token = lateToken(of: number, on: place)
            promise.map(on: place.queue, flags: place.flags) { _ in token.enter() }
                .catch(on: nil, policy: .allErrors) { _ in }
        case .meet(let number):
            guard let promise = promise(number) else { return }
            let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            for index in 0...1 {
                let token = lateToken(of: -1, on: .global)
                promise.tap(on: Self.meeting) { [complaints] _ in
                    token.enter()
                    arrivals[index].signal()
                    guard arrivals[1 - index].wait(timeout: .now() + 900) == .timedOut else { return }
                    complaints.append("two handlers of \(number) on a concurrent queue didn't meet")
                }.catch(on: nil, policy: .allErrors) { _ in }
            }
        case .chain:
            let promise = Promise.value(1)
            let pending = [
                promise.asVoid().isPending, promise.map(on: nil) { $0 }.isPending, when(fulfilled: [promise]).isPending,
                promise.then(on: nil) { Promise.value($0) }.isPending,
                promise.map(on: nil) { [$0] }.firstValue.isPending,
                Promise<Int>(error: Fault.one).map { $0 }.isPending,
            ]
            if pending.contains(true) { complaints.append("chained onto a settled promise, pending: \(pending)") }
        }
    }

    /// Returns the token for a handler that one of the program's actions adds.
    private func lateToken(of input: Int, on place: Program.Place) -> Token {
        let late = state.withLock { state in
            state.attached += 1
            return program.nodes.count + state.attached
        }
        return token(late, of: input, on: place)
    }

    /// An object that a handler captures. It logs that the handler runs, and performs the handler's actions.
    final class Token: Sendable {
        private let run: ProgramRun, number: Int, input: Int, place: Program.Place
        private let inside: [Program.Action], atEnd: [Program.Action]

        init(
            _ run: ProgramRun, _ number: Int, _ input: Int, _ place: Program.Place, _ inside: [Program.Action],
            _ atEnd: [Program.Action]
        ) {
            (self.run, self.number, self.input, self.place) = (run, number, input, place)
            (self.inside, self.atEnd) = (inside, atEnd)
        }

        /// Records that the handler runs, and performs its actions.
        func enter() {
            if !place.isCurrent { run.complaints.append("\(number) ran, but not on \(place)") }
            record(.begun)
            run.perform(inside)
            record(.ended)
        }

        /// Records that the handler runs, performs its actions, and returns the value.
        func callAsFunction<T>(_ value: T) -> T {
            enter()
            return value
        }

        /// Records that a handler of an error runs, performs its actions, and returns the value that replaces the error.
        func callAsFunction<T>(_ error: any Error, _ other: T) -> T { callAsFunction(other) }

        func record(_ phase: ProgramLog.Phase) { run.state.withLock { $0.log.append(phase, number, input, place) } }

        deinit { run.perform(atEnd) }
    }
}

extension Program.Place {
    var queue: DispatchQueue? {
        switch self {
        case .unsaid: .configured
        case .pledge: .pledge
        case .first, .firstFlagged: ProgramRun.first.queue
        case .second: ProgramRun.second.queue
        case .main: .main
        case .mainKept: ProgramRun.main.queue
        case .global: .global()
        case .globalUtility: .global(qos: .utility)
        case .concurrent, .barrier: ProgramRun.concurrent.queue
        case .inline: nil
        }
    }

    var flags: DispatchWorkItemFlags? {
        switch self {
        case .firstFlagged: .enforceQoS
        case .barrier: .barrier
        default: nil
        }
    }

    /// Whether the calling code runs where it should, as far as that can be detected.
    var isCurrent: Bool {
        switch self {
        case .unsaid, .pledge: DefaultExecutor.isCurrent
        case .first, .firstFlagged: ProgramRun.first.isCurrent
        case .second: ProgramRun.second.isCurrent
        case .main, .mainKept: ProgramRun.main.isCurrent
        case .concurrent, .barrier: ProgramRun.concurrent.isCurrent
        case .global, .globalUtility:
            ![.pledge, .first, .second, .main, .concurrent].contains { (place: Self) in place.isCurrent }
        case .inline: true
        }
    }
}
