import Pledge

/// A log handler for the whole process that records every event.
///
/// It is installed once and never removed, so that concurrent tests cannot replace it: each test searches only for
/// events about its own error or text.
package final class LogCapture: Sendable {
    package static let shared = LogCapture()

    private let events = Recorder<PromiseEvent>()

    private init() {
        let events = events
        PromiseConfiguration.shared.logHandler = { events.append($0) }
    }

    /// Returns the promise types of the unhandled rejections with this error.
    package func unhandled<E: Error & Equatable>(_ wanted: E) -> [String] {
        events.all.compactMap { event in
            guard case .unhandled(let error, let type, _) = event, error as? E == wanted else { return nil }
            return type
        }
    }

    /// Forgets all events: for a process in which nothing else runs.
    package func forget() { events.removeAll() }

    /// Returns the events whose text contains `text`.
    package func lines(containing text: String) -> [String] {
        events.all.map(\.description).filter { $0.contains(text) }
    }
}
