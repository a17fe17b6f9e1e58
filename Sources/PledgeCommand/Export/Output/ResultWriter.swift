import Foundation
import Pledge

/// Writes finished lines, all that wait at once: syncing a single line costs as much as syncing sixty.
final class ResultWriter: @unchecked Sendable {
    // Unchecked: the file is only accessed on `queue`.
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

    /// - Returns: A promise that is fulfilled when the line is durable.
    /// - Rejects: If it cannot be written; nothing more is written then.
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
