import Pledge

/// A log handler for the whole process that records every event.
///
/// It is installed once and never removed, so that concurrent tests cannot replace it: each test searches only for
/// events about its own error or text.
package final class LogCapture: Sendable {
    package static let shared = LogCapture()

    private let events = Recorder<PromiseEvent>()
    /// The unhandled rejections, by the text of their error. A dictionary is faster to search, because there are many of them,
    /// and each test looks up only those with its own error.
    private let rejections = Locked<[String: [(error: any Error, type: String)]]>([:])

    private init() {
        PromiseConfiguration.shared.logHandler = { [events, rejections] event in
            events.append(event)
            guard case .unhandled(let error, let type, _) = event else { return }
            rejections.withLock { $0["\(error)", default: []].append((error, type)) }
        }
    }

    /// Returns the promise types of the unhandled rejections with this error.
    package func unhandled<E: Error & Equatable>(_ wanted: E) -> [String] {
        (rejections.withLock { $0["\(wanted)"] } ?? []).filter { $0.error as? E == wanted }.map(\.type)
    }

    /// Forgets all events. Use this only in a process in which no other test runs.
    package func forget() {
        events.removeAll()
        rejections.withLock { $0 = [:] }
    }

    /// Returns the events whose text contains `text`.
    package func lines(containing text: String) -> [String] {
        events.all.map(\.description).filter { $0.contains(text) }
    }
}
