/// Waits for a list of promises together. Its jobs run on the default executor, one at a time, so it needs no lock.
@usableFromInline
final class Gather: @unchecked Sendable {
    // Unchecked: `missing` is touched only on the default executor, which is serial; `handlers` only before the first
    // of them is registered and after that not changed.

    private let inputs: [_AnyPromise]
    private var handlers: [_Handler] = []
    private var missing: Int

    private init(_ inputs: [_AnyPromise], for output: _AnyPromise) {
        self.inputs = inputs
        missing = inputs.count
        // The one who cancels holds `output`; a guarantee's may have become one after this.
        output.onCancel { [unowned output] alsoCancel in
            alsoCancel += self.unused(staying: output.neverRejects)
        }
    }

    private func begin(_ job: @escaping _Handler.Job) {
        // All know what they wait for before the first can run, which may send the others away.
        handlers = inputs.map { input in
            let handler = _Handler(job)
            handler.upstream = input
            return handler
        }
        for index in inputs.indices { inputs[index].link(handlers[index]) }
    }

    /// Rejects `output` with the first error among `inputs`, or calls `fulfill` when all are fulfilled.
    @usableFromInline
    static func all(_ inputs: [_AnyPromise], into output: _AnyPromise, fulfill: @escaping ([_AnyPromise]) -> Void) {
        let gather = Gather(inputs, for: output)
        gather.begin { _, source in
            if let error = source.failure {
                output._reject(error)
                // The others go on, but nobody here waits for them any more.
                gather.leave()
            } else {
                gather.missing -= 1
                if gather.missing == 0 { fulfill(gather.inputs) }
            }
        }
    }

    /// Calls `fulfill` when all have settled, one way or the other.
    @usableFromInline
    static func settled(_ inputs: [_AnyPromise], into output: _AnyPromise, fulfill: @escaping () -> Void) {
        let gather = Gather(inputs, for: output)
        gather.begin { _, _ in
            gather.missing -= 1
            if gather.missing == 0 { fulfill() }
        }
    }

    /// Hands over each promise that settles until `settle` takes one; rejects `output` if it takes none.
    static func first(_ inputs: [_AnyPromise], into output: _AnyPromise, settle: @escaping (_AnyPromise) -> Bool) {
        let gather = Gather(inputs, for: output)
        gather.begin { _, source in
            gather.missing -= 1
            if settle(source) {
                gather.leave()
            } else if gather.missing == 0 {
                output._reject(PromiseError.noWinner)
            }
        }
    }

    private func leave() {
        for index in inputs.indices {
            _ = inputs[index].release(handlers[index])
        }
    }

    /// The inputs that nobody waits for any more, once the output does not.
    ///
    /// - Parameter staying: the output is a guarantee's, and needs the outcomes to settle.
    private func unused(staying: Bool) -> [_AnyPromise] {
        inputs.indices.filter { index in
            staying ? inputs[index].detach(handlers[index], staying: true) : inputs[index].release(handlers[index])
        }.map { inputs[$0] }
    }
}
