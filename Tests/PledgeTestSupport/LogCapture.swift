import Pledge

/// Takes over the log handler for the whole process, and keeps what it is told.
///
/// Installed once and never removed, so that tests that run side by side cannot take it from one another: each looks
/// only for events about an error or a line of its own.
package final class LogCapture: Sendable {
    package static let shared = LogCapture()

    private let events = Recorder<PromiseEvent>()

    private init() {
        let events = events
        PromiseConfiguration.shared.logHandler = { events.append($0) }
    }

    /// The unhandled rejections with this error, as the types of the promises.
    package func unhandled<E: Error & Equatable>(_ wanted: E) -> [String] {
        events.all.compactMap { event in
            guard case .unhandled(let error, let type) = event, error as? E == wanted else { return nil }
            return type
        }
    }

    /// The events whose text contains this.
    package func lines(containing text: String) -> [String] {
        events.all.map(\.description).filter { $0.contains(text) }
    }
}
