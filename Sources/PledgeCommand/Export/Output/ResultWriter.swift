import Foundation
import Pledge

/// Writes what is finished, all that waits at once: a sync costs the same for one line as for sixty.
final class ResultWriter: @unchecked Sendable {
    // Unchecked: the file is touched only on `queue`.
    private struct State {
        var waiting: [(draft: Draft, resolver: Resolver<Void>)] = []
        var isWriting = false
        var failure: (any Error)?
    }

    private let file: ResultsFile
    private let queue = DispatchQueue(label: "pledge.export.output")
    private let state = Locked(State())

    init(_ file: ResultsFile) {
        self.file = file
    }

    /// - Returns: fulfilled when the line is where it stays.
    /// - Rejects: when it cannot be written; nothing more is written then.
    func write(_ draft: Draft) -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.pending()
        let begins = state.withLock { state -> Bool in
            state.waiting.append((draft, resolver))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { queue.async { self.writeWaiting() } }
        return promise
    }

    private func writeWaiting() {
        while true {
            let (batch, failure) = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isWriting = false }
                return (state.waiting, state.failure)
            }
            guard !batch.isEmpty else { return }
            do {
                if let failure { throw failure }
                try file.write(batch.map(\.draft))
                batch.forEach { $0.resolver.fulfill(()) }
            } catch {
                state.withLock { $0.failure = error }
                batch.forEach { $0.resolver.reject(error) }
            }
        }
    }
}
