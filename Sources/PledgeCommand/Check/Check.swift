import ExistKit
import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// The result of `pledge check` for one service. Each response of the service is compared with what our model read from
/// it, and with the response of the sandbox.
struct Check {
    struct Result {
        var answer: Answer
        /// The reason why the response could not be compared; nil if it was compared.
        var problem: String?
        var differences: [Difference] = []
    }

    var service: String
    var results: [Result]
    /// The differences that the user should report. Differences that a service is free to make are left out.
    var reportedDifferences: [Difference] { results.flatMap(\.differences).filter { !$0.isLawful } }
    var isWhole: Bool { results.allSatisfy { $0.problem == nil } }

    init(service: String, answers: [Answer], sandbox: [Answer]) {
        self.service = service
        let known = Dictionary(sandbox.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        results = answers.map { answer in
            guard answer.wasAnswered else {
                return Result(answer: answer, problem: answer.failure.map { "\($0)" } ?? "there was no response")
            }
            return Result(answer: answer, differences: answer.differences(from: known[answer.name]))
        }
        let (own, its) = (answers.contains(where: \.announcesLimit), sandbox.contains(where: \.announcesLimit))
        if own != its, !sandbox.isEmpty, let first = results.firstIndex(where: { $0.problem == nil }) {
            results[first].differences.append(
                Difference(
                    .limits, own ? "the service announces a limit, unlike the sandbox" : "no limit is announced"))
        }
    }

    /// The result as text for the terminal.
    var text: String {
        let lines = results.flatMap { result -> [String] in
            let answer = result.answer
            let items = answer.items.map { ", \(NumberText.counted($0.count, "item"))" } ?? ""
            let facts = "\(answer.response.map { "\($0.status)" } ?? "no response")\(items)"
            let title = "\(answer.name) (\(facts), \(Int((answer.seconds * 1000).rounded())) ms)"
            if let problem = result.problem { return ["? \(title): \(problem.onOneLine)"] }
            let all = result.differences.map { "  \($0.isLawful ? "·" : "✗") \($0.description.onOneLine)" }
            return [(result.differences.allSatisfy(\.isLawful) ? "✓ " : "✗ ") + title] + all
        }
        let sum =
            reportedDifferences.isEmpty
            ? "Nothing differs" : NumberText.counted(reportedDifferences.count, "difference")
        return
            "\(service)\n\(lines.joined(separator: "\n"))\n\(sum)\(isWhole ? "." : " in the responses that came.")\n\n"
    }
}

extension Answer {
    /// Returns the differences between the response and what our model read from it, and between the response and the
    /// sandbox's response to the same call.
    fileprivate func differences(from sandbox: Answer?) -> [Difference] {
        guard let response else { return [] }
        var found: [Difference] = []
        if let expected = sandbox?.response?.status, response.status != expected {
            found.append(Difference(.status, "the status is \(response.status), but \(expected) in the sandbox"))
        }
        if failure != nil, found.isEmpty { found.append(Difference(.unread, "the response cannot be read")) }
        guard response.status < 300 else { return found }
        guard let json else {
            return found.isEmpty
                ? [Difference(.unread, "the response is not JSON that other programs could read")] : found
        }
        let names = dictionaries.union(sandbox?.dictionaries ?? [])
        func shape(_ json: JSONValue?) -> JSONShape? {
            json.flatMap { $0 == .null ? nil : JSONShape($0, dictionaries: names) }
        }
        let model = shape(sandbox?.json)
        // Our models ignore some fields on purpose. If such a field is also in the sandbox's response, it is not
        // reported.
        let known = (model?.differences(from: shape(sandbox?.read), sandbox: nil) ?? []).map {
            "\($0.kind) \($0.place)"
        }
        if let sent = shape(json) {
            found += sent.differences(from: shape(read), sandbox: model)
                .filter { !known.contains("\($0.kind) \($0.place)") }
        }
        return found + unread(knowing: model?.names ?? []) + listDifferences(from: sandbox)
            + wordDifferences(from: sandbox)
    }

    /// Returns the differences for items that our model could not read.
    ///
    /// The reason why an item could not be read may contain the name of a member. If the sandbox has no member with
    /// this name, the name may be somebody's data, so the reason is not shown.
    private func unread(knowing names: Set<String>) -> [Difference] {
        let reasons = setAside.map { item -> String in
            if item.isMissing { return "fewer items came than the service announced" }
            let path = item.reason.components(separatedBy: " is ")[0].split {
                !$0.isLetter && !$0.isNumber && $0 != "_"
            }
            let isKnown = path.allSatisfy { names.contains(String($0)) || $0.allSatisfy(\.isNumber) }
            return "cannot be read as sent: \(isKnown ? item.reason : "a field is not as expected")"
        }
        return Dictionary(grouping: reasons) { $0 }.sorted { $0.key < $1.key }.map { reason, all in
            Difference(
                .unread, reason.hasPrefix("fewer") ? reason : "\(NumberText.counted(all.count, "item")) \(reason)")
        }
    }

    /// Returns the URL of a link in the response, such as `next`. This tool never follows such a link, but requests the
    /// next page by its number.
    private func link(_ name: String) -> URL? {
        guard case .object(let members)? = json, case .string(let text)? = members[name], !text.isEmpty else {
            return nil
        }
        return URL(string: text, relativeTo: response?.url)?.absoluteURL
    }

    private func listDifferences(from sandbox: Answer?) -> [Difference] {
        guard let limit, let count = items?.count, let url = response?.url else { return [] }
        var found: [Difference] = []
        if count > limit {
            found.append(Difference(.pageSize, "a page has \(count) items, but \(limit) were requested"))
        }
        guard let next = link("next") else { return found }
        if count < limit {
            found.append(
                Difference(.pageSize, "a page before the last has \(count) items, but \(limit) were requested"))
        }
        if next.host != url.host || next.port != url.port {
            found.append(Difference(.link, at: "next", "leads to another server than the list's"))
        } else if next.path != url.path {
            found.append(Difference(.link, at: "next", "leads to another path than the list's"))
        }
        let page = URLComponents(url: next, resolvingAgainstBaseURL: true)?.queryItems?.first { $0.name == "page" }
        if page?.value != "2" { found.append(Difference(.link, at: "next", "has no page 2 in its query")) }
        return found
    }

    private func wordDifferences(from sandbox: Answer?) -> [Difference] {
        words.sorted { $0.key < $1.key }.flatMap { type, own -> [Difference] in
            guard let known = sandbox?.words[type], !known.isEmpty else { return [] }
            let spellings = Dictionary(known.map { ($0.lowercased(), $0) }) { first, _ in first }
            let others = own.subtracting(known).sorted()
            let misspelled = others.compactMap { spellings[$0.lowercased()] }.map { word in
                Difference(.word, "a \(type) is spelled differently than the sandbox's “\(word)”")
            }
            let new = others.count - misspelled.count
            return misspelled
                + (new == 0
                    ? [] : [Difference(.newWord, "\(NumberText.counted(new, "word")) of \(type) not in the sandbox")])
        }
    }
}

/// The content of the file that `--report` writes.
struct CheckReport: Encodable {
    struct Service: Encodable {
        var service: String
        var answers: [Item]
    }

    struct Item: Encodable {
        var name: String
        var status: Int?
        var milliseconds: Int
        var items: Int?
        var isAnswered: Bool
        var differences: [Difference]
    }

    var version = Version.full
    var services: [Service]

    init(_ checks: [Check]) {
        services = checks.map { check in
            Service(
                service: check.service,
                answers: check.results.map { result in
                    Item(
                        name: result.answer.name, status: result.answer.response?.status,
                        milliseconds: Int((result.answer.seconds * 1000).rounded()), items: result.answer.items?.count,
                        isAnswered: result.problem == nil, differences: result.differences)
                })
        }
    }
}
