/// Waits for a list of promises together.
///
/// Each input gets a handler that only counts, at once and in the thread that settles the input; the one that decides
/// the matter runs, on the default executor.
@usableFromInline
final class Gather: @unchecked Sendable {
    // Unchecked: what changes is atomic or behind a lock; what is behind the lock is touched by who took it out.

    typealias Decision = (_ source: _AnyPromise, _ inputs: [_AnyPromise]) -> Void

    private struct Matter {
        let inputs: [_AnyPromise]
        /// They belong to the lists of the inputs: one is there as long as its promise is pending and it was not
        /// detached.
        let handlers: [Unmanaged<_AnyPromise>]
        let decide: Decision
    }

    /// What is waited for, until that is decided. A handler that was detached may stay for long where it was, and is not
    /// to keep it alive.
    private let matter: Locked<Matter?>
    private let missing: Countdown
    /// What decides the matter before the last one is in.
    private let early: [_AnyPromise.State]

    /// - Parameters:
    ///   - inputs: at least one.
    ///   - early: outcomes that decide the matter at once.
    ///   - decide: settles `output`; gets the promise whose outcome decided.
    private init(
        _ inputs: [_AnyPromise], into output: _AnyPromise, early: [_AnyPromise.State], decide: @escaping Decision
    ) {
        self.early = early
        missing = Countdown(inputs.count)
        matter = Locked(nil)
        let extras = _AnyPromise.Extras()
        extras.gather = self
        // All are made before the first can decide, and send the others away.
        let handlers = inputs.map { _ in
            let handler = _AnyPromise(role: [.values, .rejections, .plumbing, .bare, .counts]) { handler, source in
                handler.extras?.gather?.conclude(source)
            }
            handler.extras = extras
            return Unmanaged.passRetained(handler)
        }
        matter.withLock { $0 = Matter(inputs: inputs, handlers: handlers, decide: decide) }
        // The one who cancels holds `output`; a guarantee's may have become one after this.
        output.onCancel { [unowned output] alsoCancel in
            alsoCancel += self.unused(staying: output.neverRejects)
        }
        for index in inputs.indices { inputs[index].accept(handlers[index]) }
    }

    /// Rejects `output` with the first error among `inputs`, or calls `fulfill` when all are fulfilled.
    @usableFromInline
    static func all(_ inputs: [_AnyPromise], into output: _AnyPromise, fulfill: @escaping ([_AnyPromise]) -> Void) {
        _ = Gather(inputs, into: output, early: [.rejected]) { source, inputs in
            if let error = source.failure {
                output._reject(error)
            } else {
                fulfill(inputs)
            }
        }
    }

    /// Calls `fulfill` when all have settled, one way or the other.
    static func settled(_ inputs: [_AnyPromise], into output: _AnyPromise, fulfill: @escaping () -> Void) {
        _ = Gather(inputs, into: output, early: []) { _, _ in fulfill() }
    }

    /// Calls `settle` with the first promise that settles in one of these ways; or, if none does, with the last.
    static func first(
        _ outcomes: [_AnyPromise.State], of inputs: [_AnyPromise], into output: _AnyPromise,
        settle: @escaping (_AnyPromise) -> Void
    ) {
        _ = Gather(inputs, into: output, early: outcomes) { source, _ in settle(source) }
    }

    /// Counts an outcome. Called under the lock of the promise that has it.
    func isDecided(by outcome: _AnyPromise.State) -> Bool {
        // What decides early does not count, so that the matter cannot be decided twice.
        early.contains(outcome) || missing.step()
    }

    private func conclude(_ source: _AnyPromise) {
        // Another was quicker, or `output` was cancelled.
        guard let matter = matter.withLock({ $0.take() }) else { return }
        matter.decide(source, matter.inputs)
        // The others go on, but nobody here waits for them any more.
        if !missing.isOver { _ = detachAll(of: matter, staying: false) }
    }

    /// The inputs that nobody waits for any more, once the output does not.
    ///
    /// - Parameter staying: the output is a guarantee's, and needs the outcomes to settle.
    private func unused(staying: Bool) -> [_AnyPromise] {
        if staying {
            // Under the lock, because who takes the matter out may send the handlers away for good.
            return matter.withLock { $0.map { detachAll(of: $0, staying: true) } ?? [] }
        }
        return matter.withLock { $0.take() }.map { detachAll(of: $0, staying: false) } ?? []
    }

    private func detachAll(of matter: Matter, staying: Bool) -> [_AnyPromise] {
        let inputs = matter.inputs
        return inputs.indices.filter { inputs[$0].detach(matter.handlers[$0], staying: staying) }.map { inputs[$0] }
    }
}
