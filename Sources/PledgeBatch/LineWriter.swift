import Dispatch
import Pledge

/// Writes finished lines to a file. All lines that are waiting are written and synced together, because syncing one
/// line takes as long as syncing sixty.
package final class LineWriter<Line: Sendable>: @unchecked Sendable {
    // Unchecked: the closure `writeAll` isn't sendable. It is called only on `queue`, so only one thread at a time
    // writes the file.
    private struct State {
        var waiting: [(line: Line, resolver: Resolver<Void>)] = []
        var failure: (any Error)?
    }

    private let writeAll: ([Line]) throws -> Void
    private let queue = DispatchQueue(label: "pledge.batch.output")
    private let state = Locked(State())

    /// - Parameter writeAll: Writes the lines and syncs the file. If that fails, it must leave none of the lines in the
    ///   file.
    package init(_ writeAll: @escaping ([Line]) throws -> Void) {
        self.writeAll = writeAll
    }

    /// Writes a line, together with all other lines that are waiting.
    ///
    /// - Returns: A promise that is fulfilled when the line is on the disk.
    /// - Rejects: If the line cannot be written. The writer then writes nothing more, and rejects all later lines with
    ///   the same error.
    package func write(_ line: Line) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        state.withLock { $0.waiting.append((line, resolver)) }
        queue.async { self.writeWaiting() }
        return promise
    }

    /// Calls a closure after all lines of earlier calls of ``write(_:)`` were written, or could not be written.
    package func finish(_ close: @escaping @Sendable () -> Void) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        queue.async {
            close()
            DispatchQueue.global().async { resolver.fulfill(()) }
        }
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
        // Each promise is settled in a block of its own on a concurrent queue, because its handlers may block. For
        // example, a handler may begin the work of another item, and wait until another line is written.
        for (_, resolver) in batch { DispatchQueue.global().async { resolver.resolve(outcome) } }
    }
}
