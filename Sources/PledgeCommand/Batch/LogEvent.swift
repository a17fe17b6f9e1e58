import Foundation
import PledgeBatch
import PledgeCoding

/// An event of a run. It has a sentence for people, and a name and fields for programs.
struct LogEvent: Sendable {
    var name: String
    var text: String
    var facts: [String: JSONValue] = [:]

    /// Returns the event as a line of `--log json`.
    func json(at date: Date) -> String {
        var members = facts
        members["time"] = .string(Timestamp.text(date))
        members["event"] = .string(name)
        if !text.isEmpty { members["message"] = .string(text) }
        var json = JSONText()
        json.append(.object(members))
        return json.text
    }
}

extension JSONValue {
    /// Creates a number of seconds, rounded to the millisecond.
    fileprivate static func seconds(_ seconds: Double) -> JSONValue {
        let rounded = NumberText.rounded(seconds, decimals: 3)
        return Int(exactly: rounded).map { .integer($0) } ?? .number(rounded)
    }
}

extension LogEvent {
    init(_ progress: BatchProgress) {
        name = "progress"
        text = progress.description
        facts = [
            "done": .integer(progress.done), "failed": .integer(progress.failed),
            "waiting": .integer(progress.waiting), "seconds": .seconds(progress.elapsed),
        ]
        facts["left"] = progress.left.map { .integer($0) }
        facts["eta_seconds"] = progress.eta.map { .seconds($0) }
        facts["waiting_until"] = progress.wake.map { .string(Timestamp.text($0)) }
    }

    /// Creates an event that summarizes errors, or returns nil if there are none.
    ///
    /// - Parameters:
    ///   - kinds: The number of failed accounts for each kind of error.
    ///   - lists: For each list and kind of error, the number of accounts in which that list failed while other lists
    ///     succeeded.
    ///   - advice: A sentence about what to do next; empty if there is none.
    init?(errors kinds: [String: Int], lists: [String: [String: Int]] = [:], advice: String) {
        guard !kinds.isEmpty else { return nil }
        let parts = lists.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.text($0.value))" }
        var facts: [String: JSONValue] = kinds.mapValues { .integer($0) }
        if !lists.isEmpty { facts["lists"] = .object(lists.mapValues { .object($0.mapValues { .integer($0) }) }) }
        self.init(
            name: "errors",
            text: "Errors: \(Self.text(kinds))." + (parts.isEmpty ? "" : " Lists: \(parts.joined(separator: "; ")).")
                + (advice.isEmpty ? "" : " \(advice)"),
            facts: facts)
    }

    /// Creates an event about items that could not be read, or returns nil if there are none.
    ///
    /// - Parameter lists: The number of these items in each list. The name `earlier` stands for the items that an
    ///   earlier run could not read.
    init?(unreadable lists: [String: Int]) {
        let count = lists.values.reduce(0, +)
        guard count > 0 else { return nil }
        let text = Self.text(lists).replacingOccurrences(of: " earlier", with: " of an earlier run")
        self.init(
            name: "unreadable",
            text:
                "\(NumberText.counted(count, "item")) could not be read, and \(count == 1 ? "is" : "are") missing: "
                + text + ".",
            facts: lists.mapValues { .integer($0) })
    }

    /// Returns the counts as a text such as `3 insight, 1 value`, with the largest count first.
    private static func text(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            "\(NumberText.grouped($0.value)) \($0.key)"
        }.joined(separator: ", ")
    }

    /// Creates an event about the health of a service.
    ///
    /// - Parameters:
    ///   - rules: The rules of the batch, which say how long it waits for a service that is down.
    ///   - trouble: The server, and the reason why the service is considered down.
    init(_ notice: Schedule.Notice, _ rules: BatchRules, trouble: String? = nil) {
        let title = AccountID.Service.title(of: notice.service)
        facts["service"] = .string(notice.service)
        facts["trouble"] = trouble.map { .string($0) }
        let why = trouble.map { " (\($0))" } ?? ""
        switch notice {
        case .down:
            let longest = NumberText.duration(rules.outageWait)
            name = "outage"
            text = "\(title) is down\(why): for up to \(longest), only an occasional request is sent to it."
        case .probe: (name, text) = ("probe", "Checking whether \(title) is back.")
        case .up(_, let seconds):
            name = "outage-over"
            text = "\(title) is back after \(NumberText.duration(seconds))."
            facts["seconds"] = .seconds(seconds)
        case .gone(_, let seconds):
            let time = NumberText.duration(seconds)
            name = "outage-given-up"
            text = "\(title) did not come back within \(time)\(why): its accounts are left for another run."
            facts["seconds"] = .seconds(seconds)
        }
    }
}
