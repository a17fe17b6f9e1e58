import Foundation
import PledgeTestSupport
import Testing

@testable import Pledge

/// The state is a value, so every order of its steps can be tested without threads.
@Suite("The state of a promise")
struct PromiseStateTests {
    private typealias State = PromiseState<NSObject, NumberedHandler, String>

    /// The operations on a state.
    private enum Step: CaseIterable {
        case fulfill, reject, add, removeFirst, removeLast, deliver, cancel, cancelUnlessAwaited, hook, wait, discount
    }

    /// A simple model of a state after its steps.
    private struct Model {
        var phase = State.Phase.pending
        var waiting: [NumberedHandler] = []
        var tickets: [Int: Ticket] = [:]
        var handed: [Int] = []
        var count = 0
        var isCancelled = false
        var isSending = false
        var hooks: [String] = []
        var source: NSObject?
        let isGuarantee: Bool

        mutating func hand(_ handlers: [NumberedHandler]) {
            handed += handlers.map(\.number)
            waiting.removeAll { handlers.contains($0) }
        }

        var counted: Int { waiting.filter(\.counts).count }
    }

    @Test(
        "In every order of four steps, a promise's state delivers each handler once and in order, and each cancel hook once"
    )
    func everyOrder() {
        for isGuarantee in [false, true] {
            var path: [Step] = []
            func visit(_ depth: Int) {
                check(path, isGuarantee)
                guard depth > 0 else { return }
                for step in Step.allCases {
                    path.append(step)
                    visit(depth - 1)
                    path.removeLast()
                }
            }
            visit(4)
        }
    }

    @Test("The state of a promise agrees with a simple model in long sequences of random steps")
    func longRuns() {
        var random = SeededGenerator(seed: 14)
        for _ in 0..<2_000 {
            let path = (0..<40).map { _ in Step.allCases.randomElement(using: &random) ?? .add }
            check(path, .random(using: &random))
        }
    }

    private func check(_ path: [Step], _ isGuarantee: Bool) {
        var state = State()
        if isGuarantee { state.set(.guarantee) }
        var model = Model(isGuarantee: isGuarantee)
        for step in path {
            perform(step, &state, &model)
            let agrees =
                state.phase == model.phase && state.has(.cancelled) == model.isCancelled
                && state.has(.sending) == model.isSending && state.waiting == model.waiting.count
                && state.counted == model.counted
            if !agrees || Set(model.handed).count != model.handed.count {
                Issue.record("After \(path), at \(step): \(model)")
                return
            }
        }
        if model.handed != model.handed.sorted() { Issue.record("Out of order after \(path): \(model.handed)") }
    }

    private func perform(_ step: Step, _ state: inout State, _ model: inout Model) {
        switch step {
        case .fulfill, .reject: settle(step == .fulfill ? .fulfilled : .rejected, &state, &model)
        case .add: add(&state, &model)
        case .removeFirst, .removeLast:
            remove(step == .removeFirst ? model.waiting.first : model.waiting.last, &state, &model)
        case .deliver:
            guard model.isSending else { return }
            let batch = state.nextDue(inlining: false)
            let due = batch.compactMap(\.handler)
            #expect(due == model.waiting)
            model.isSending = !batch.isEmpty
            model.hand(due)
        case .cancel: cancel(unlessAwaited: false, &state, &model)
        case .cancelUnlessAwaited: cancel(unlessAwaited: true, &state, &model)
        case .hook:
            let isLate = state.onCancel("hook")
            #expect(isLate == model.isCancelled)
            if model.phase == .pending, !isLate { model.hooks.append("hook") }
        case .wait:
            let source = NSObject()
            let former = state.setSource(source, ticket: 7)
            #expect(former === (model.phase == .pending ? model.source : nil))
            if model.phase == .pending { model.source = source }
        case .discount: discount(&state, &model)
        }
    }

    @Test(
        "The state of a promise can store every ticket number that a process can reach",
        arguments: [0, 0xFFFF_FFFF, 0x1_0000_0000, 0x12_3456_789A] as [Ticket])
    func longTicket(ticket: Ticket) {
        var state = State()
        let source = NSObject()
        state.setSource(source, ticket: ticket)
        #expect(state.ticket == ticket)
        #expect(state.takeSource()?.ticket == ticket)
    }

    private func discount(_ state: inout State, _ model: inout Model) {
        guard let handler = model.waiting.first, let ticket = model.tickets[handler.number] else { return }
        let after = NumberedHandler(number: handler.number, counts: false)
        #expect(state.change(ticket) { _ in after } == (model.phase == .pending ? handler : nil))
        guard model.phase == .pending else { return }
        model.waiting = model.waiting.map { $0 == handler ? after : $0 }
    }

    private func settle(_ outcome: State.Phase, _ state: inout State, _ model: inout Model) {
        guard model.phase == .pending else { return }
        let only = state.settle(outcome)
        // A single handler is either handed over at once or delivered later.
        #expect(only == nil || model.waiting == [only])
        model.phase = outcome
        model.isSending = only == nil && !model.waiting.isEmpty
        model.hand(only.map { [$0] } ?? [])
        #expect(state.takeHooks() == model.hooks)
        model.hooks = []
        #expect(state.takeSource()?.source === model.source)
        model.source = nil
    }

    @Test("If a cancel leaves a promise unfinished, its state returns the canceled dependents only once")
    func left() {
        var state = State()
        _ = state.add(NumberedHandler(number: 1, counts: false))
        #expect([state.markUnfinished(nil, .long), state.markUnfinished(nil, .long)].map(\.count) == [1, 0])
    }

    private func add(_ state: inout State, _ model: inout Model) {
        guard state.phase == .pending || !state.sendsNow(inline: false) else { return }
        let handler = NumberedHandler(number: model.count)
        model.tickets[model.count] = state.add(handler)
        model.waiting.append(handler)
        model.count += 1
    }

    private func remove(_ handler: NumberedHandler?, _ state: inout State, _ model: inout Model) {
        // A handler that was handed over must not be found again by its ticket.
        if let gone = model.handed.last, let ticket = model.tickets[gone] {
            #expect(state.change(ticket) { _ in nil } == nil)
        }
        guard let handler, let ticket = model.tickets[handler.number] else { return }
        let removed = state.change(ticket) { _ in nil }
        #expect(removed == (model.phase == .pending ? handler : nil))
        guard removed != nil else { return }
        model.waiting.removeAll { $0 == handler }
        #expect(state.change(ticket) { _ in nil } == nil)
    }

    private func cancel(unlessAwaited: Bool, _ state: inout State, _ model: inout Model) {
        let hooks = state.cancel(unlessAwaited: unlessAwaited)
        let isWanted = unlessAwaited && model.counted > 0
        #expect((hooks != nil) == (model.phase == .pending && !model.isCancelled && !isWanted))
        guard let hooks else { return }
        #expect(hooks == model.hooks)
        (model.isCancelled, model.hooks) = (true, [])
        // A canceled guarantee waits for its value. Other canceled promises reject.
        if !model.isGuarantee { settle(.rejected, &state, &model) }
    }
}
