import Foundation
import PledgeCoding

/// An event for the operator: a sentence for people, a name and facts for programs.
struct LogEvent: Sendable {
    var name: String
    var words: String
    var facts: [String: JSONValue] = [:]

    /// A line of `--log json`.
    func json(at date: Date) -> String {
        var members = facts
        members["time"] = .string(Timestamp.text(date))
        members["event"] = .string(name)
        if !words.isEmpty { members["message"] = .string(words) }
        var json = JSONText()
        json.append(.object(members))
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// To the millisecond.
    fileprivate static func seconds(_ seconds: Double) -> JSONValue {
        let rounded = NumberText.rounded(seconds, decimals: 3)
        return Int(exactly: rounded).map { .integer($0) } ?? .number(rounded)
    }
}

extension LogEvent {
    init(_ progress: Progress) {
        name = "progress"
        words = progress.line
        facts = [
            "done": .integer(progress.done), "failed": .integer(progress.failed),
            "waiting": .integer(progress.waiting), "seconds": .seconds(progress.elapsed),
        ]
        facts["left"] = progress.left.map { .integer($0) }
        facts["eta_seconds"] = progress.eta.map { .seconds($0) }
        facts["waiting_until"] = progress.wake.map { .string(Timestamp.text($0)) }
    }

    /// Creates an event about the errors, by kind; nil if there are none.
    ///
    /// - Parameter next: What to do about them.
    init?(errors kinds: [String: Int], _ next: (_ kinds: [String]) -> String) {
        guard !kinds.isEmpty else { return nil }
        let sorted = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let words = sorted.map { "\(Progress.grouped($0.value)) \($0.key)" }.joined(separator: ", ")
        self.init(
            name: "errors", words: "Errors: \(words)." + next(sorted.map(\.key)),
            facts: kinds.mapValues { .integer($0) })
    }

    /// - Parameters:
    ///   - rules: The limits of waiting.
    ///   - trouble: The server, and the reason it is considered down.
    init(_ note: Schedule.Note, _ rules: Schedule.Rules, trouble: String? = nil) {
        let service = note.service
        facts["service"] = .string(service.rawValue)
        facts["trouble"] = trouble.map { .string($0) }
        let why = trouble.map { " (\($0))" } ?? ""
        switch note {
        case .down:
            name = "outage"
            words =
                "\(service.title) is down\(why): only an occasional request is sent to it, for up to "
                + "\(Progress.duration(rules.outageWait))."
        case .probe:
            name = "probe"
            words = "Checking whether \(service.title) is back."
        case .up(_, let seconds):
            name = "outage-over"
            words = "\(service.title) is back after \(Progress.duration(seconds))."
            facts["seconds"] = .seconds(seconds)
        case .gone(_, let seconds):
            name = "outage-given-up"
            words =
                "\(service.title) did not come back within \(Progress.duration(seconds))\(why): its accounts are left for "
                + "another run."
            facts["seconds"] = .seconds(seconds)
        }
    }
}
