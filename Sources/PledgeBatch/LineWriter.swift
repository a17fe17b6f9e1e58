import Dispatch
import Pledge

/// Writes finished lines. All lines that wait are written together, because syncing a single line costs as much as
/// syncing sixty.
package final class LineWriter<Line: Sendable>: @unchecked Sendable {
    // Unchecked: only `queue` uses the closure, and with it the file.
    private struct State {
        var waiting: [(line: Line, resolver: Resolver<Void>)] = []
        var failure: (any Error)?
    }

    private let writeAll: ([Line]) throws -> Void
    private let queue = DispatchQueue(label: "pledge.batch.output")
    private let state = Locked(State())

    /// - Parameter writeAll: Writes lines durably: all of them, or none.
    package init(_ writeAll: @escaping ([Line]) throws -> Void) {
        self.writeAll = writeAll
    }

    /// - Returns: A promise that is fulfilled when the line is durable.
    /// - Rejects: If the line cannot be written. After that, nothing more is written.
    package func write(_ line: Line) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        state.withLock { $0.waiting.append((line, resolver)) }
        queue.async { self.writeWaiting() }
        return promise
    }

    private func writeWaiting() {
        let (batch, failure) = state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.failure)
        }
        guard !batch.isEmpty else { return }
        let outcome = Result {
            if let failure { throw failure }
            try writeAll(batch.map(\.line))
        }
        if case .failure(let error) = outcome { state.withLock { $0.failure = error } }
        // Each promise is settled on a thread of its own, because its handlers may begin another item's work, and wait
        // for other lines.
        for (_, resolver) in batch { DispatchQueue.global().async { resolver.resolve(outcome) } }
    }
}
