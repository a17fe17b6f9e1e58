import Dispatch
import Foundation
import PledgeTestSupport

@testable import Pledge

/// A program while it runs.
final class ProgramRun: Sendable {
    static let first = MarkedQueue("first")
    static let second = MarkedQueue("second")

    /// A handler that ran, in the order of its queue.
    struct Entry {
        let queue: Program.Place, input: Int, number: Int
    }

    struct State {
        var promises: [Int: Promise<Int>] = [:]
        var guarantees: [Int: Guarantee<Int>] = [:]
        var seals: [Int: Resolver<Int>] = [:]
        var resolves: [Int: @Sendable (Int) -> Void] = [:]
        var runs: [Int: Int] = [:]
        var entries: [Entry] = []
        var attached = 0
        var isBuilt = false
        /// The actions to perform once all promises exist: the reference knows no promise that is created later.
        var early: [Program.Action] = []
    }

    let program: Program
    let cage = Cage()
    let time = ManualTimekeeper()
    let complaints = Recorder<String>()
    let state = Locked(State())

    init(_ program: Program) {
        self.program = program
    }

    func promise(_ number: Int) -> Promise<Int>? { state.withLock { $0.promises[number] } }

    /// Something for a handler to capture, and to call when it runs.
    func token(_ number: Int, of input: Int, on place: Program.Place) -> Token {
        let node = number < program.nodes.count ? program.nodes[number] : nil
        return cage.watch(
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
        case .cancel(let number): promise(number)?.cancel()
        case .look(let number): _ = promise(number)?.isPending
        case .wait(let number): _ = try? promise(number)?.wait(timeout: 0)
        case .forget(let number):
            // Not under the lock, because this may run any code.
            let forgotten = state.withLock { state in
                (state.promises.removeValue(forKey: number), state.guarantees.removeValue(forKey: number))
            }
            withExtendedLifetime(forgotten) {}
        case .ring: time.advance(by: 1)
        case .attach(let number, let place):
            guard let promise = promise(number) else { return }
            let late = state.withLock { state in
                state.attached += 1
                return program.nodes.count + state.attached
            }
            let token = token(late, of: number, on: place)
            promise.map(on: place.queue, flags: place.flags) { _ in token.enter() }
                .catch(on: nil, policy: .allErrors) { _ in }
        }
    }

    /// Records that a handler runs.
    func enter(_ token: Token) {
        if !token.place.isCurrent { complaints.append("\(token.number) ran, but not on \(token.place)") }
        state.withLock { state in
            state.runs[token.number, default: 0] += 1
            if let queue = token.place.serial {
                state.entries.append(Entry(queue: queue, input: token.input, number: token.number))
            }
        }
        perform(token.inside)
    }

    /// What a handler captures.
    final class Token: Sendable {
        fileprivate let number: Int, input: Int, place: Program.Place
        fileprivate let inside: [Program.Action]
        private let run: ProgramRun, atEnd: [Program.Action]

        init(
            _ run: ProgramRun, _ number: Int, _ input: Int, _ place: Program.Place, _ inside: [Program.Action],
            _ atEnd: [Program.Action]
        ) {
            (self.run, self.number, self.input, self.place) = (run, number, input, place)
            (self.inside, self.atEnd) = (inside, atEnd)
        }

        func enter() { run.enter(self) }

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
        case .global: .global()
        case .inline: nil
        }
    }

    var flags: DispatchWorkItemFlags? { self == .firstFlagged ? [] : nil }

    /// Whether the calling code runs where it should, as far as that can be detected.
    var isCurrent: Bool {
        switch self {
        case .unsaid, .pledge: DefaultExecutor.isCurrent
        case .first, .firstFlagged: ProgramRun.first.isCurrent
        case .second: ProgramRun.second.isCurrent
        case .global: !DefaultExecutor.isCurrent && !ProgramRun.first.isCurrent && !ProgramRun.second.isCurrent
        case .inline: true
        }
    }

    /// The serial queue that this is, if it is one.
    var serial: Program.Place? {
        switch self {
        case .unsaid, .pledge: .pledge
        case .first, .firstFlagged: .first
        case .second: .second
        case .global, .inline: nil
        }
    }
}
