/// Waits for a list of promises together. Its jobs run on the default executor, one at a time, so it needs no lock.
@usableFromInline
final class Gather: @unchecked Sendable {
    // Unchecked: `missing` is touched only on the default executor, which is serial; `handlers` only before the first
    // of them is registered and after that not changed.

    private let inputs: [_AnyPromise]
    private let handlers: [_Handler]
    private var missing: Int

    private init(_ inputs: [_AnyPromise], for output: _AnyPromise) {
        self.inputs = inputs
        handlers = inputs.map { _ in _Handler(role: [.values, .rejections, .plumbing]) }
        missing = inputs.count
        output.onCancel { self.leave(cancelling: true) }
    }

    private func begin(_ job: @escaping _Handler.Job) {
        for (input, handler) in zip(inputs, handlers) {
            input._register(handler, job)
        }
    }

    /// Rejects `output` with the first error among `inputs`, or calls `fulfill` when all are fulfilled.
    @usableFromInline
    static func all(_ inputs: [_AnyPromise], into output: _AnyPromise, fulfill: @escaping () -> Void) {
        let gather = Gather(inputs, for: output)
        gather.begin { _, source in
            if let error = source.failure {
                output._reject(error)
                // The others go on, but nobody here waits for them any more.
                gather.leave(cancelling: false)
            } else {
                gather.missing -= 1
                if gather.missing == 0 { fulfill() }
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
                gather.leave(cancelling: false)
            } else if gather.missing == 0 {
                output._reject(PromiseError.noWinner)
            }
        }
    }

    private func leave(cancelling: Bool) {
        for (input, handler) in zip(inputs, handlers) {
            input.release(handler, cancelling: cancelling)
        }
    }
}
