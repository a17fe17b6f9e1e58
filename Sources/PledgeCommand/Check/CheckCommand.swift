import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP

/// `pledge check`: compares what an account's service sends with our models and with the sandbox.
enum CheckCommand {
    static let report = Option.file("--report", "write what was found as JSON, without any of your values")

    static let writes = Option.flag(
        "--writes", "also create a tag in Exist, “Pledge check”, set it for today, and release it")
    static let yes = Option.flag("--yes", "do that without being asked")

    static let command = Command(
        name: "check", summary: "compare what a service sends with what this tool believes of it", part: .accounts,
        options: [report, writes, yes] + ServiceAccountOptions.all + Access.options,
        examples: [
            "pledge check": "ask the services of your accounts, reading only",
            "pledge check --report check.json": "with a file to attach to an issue",
        ],
        notes: [
            .init(
                title: "WHAT IT SENDS",
                text: """
                    At most 20 requests to each service, all of which only read: one page of each thing that pledge \
                    reads. With --writes, 5 more to Exist, after you have agreed. A service account also requests its \
                    token. The same requests go to the built-in sandbox, on this machine.
                    """),
            .init(
                title: "THE REPORT",
                text: """
                    The file has names of fields, kinds of values, counts, status codes, and times. It has none of your \
                    values: no names, texts, numbers, or dates of yours, and no token.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is as this tool believes
                    1  something could not be asked
                    4  something differs
                    64  invalid command line or environment
                    """),
        ]
    ) { arguments in
        let file = try arguments[report].map { path in
            arguments.terminal.notify(
                "\(path) will have names of fields, kinds of values, counts, and times, but none of your values.")
            return try WholeFile(path)
        }
        let checks = try checks(arguments)
        try file?.write(CheckReport(checks).prettyJSON())
        if let path = arguments[report] { arguments.terminal.notify("Wrote \(path).") }
        if checks.contains(where: { !$0.findings.isEmpty }) { return ExitCode.partial.rawValue }
        return checks.allSatisfy(\.isWhole) ? 0 : 1
    }

    /// Returns whether to write as well, for which the user is asked once more.
    private static func mayWrite(_ arguments: Arguments) throws -> Bool {
        guard arguments[writes] else { return false }
        if arguments[yes] { return true }
        let question = "This creates the tag “Pledge check” in your account of Exist, where it will stay. Go on?"
        switch arguments.terminal.confirm(question) {
        case true?: return true
        case false?: throw Failure("Nothing was sent.")
        case nil: throw UsageError("--writes changes your account of Exist: add --yes if you want that.")
        }
    }

    /// Asks each service of which there is an account, or MyDataHelps as a service account, and shows what is found.
    private static func checks(_ arguments: Arguments) throws -> [Check] {
        let access = try Access(arguments)
        if arguments[yes], !arguments[writes] { throw UsageError("--yes requires --writes.") }
        if ServiceAccountOptions.all.contains(where: arguments.has) {
            let others: [any AnyOption] = [writes, yes, Access.profile, Access.demo]
            if let other = others.first(where: arguments.has) {
                throw UsageError("\(other.name) applies to your own accounts: leave it out with --service-account.")
            }
            let choice = try ServiceAccountOptions.choice(arguments, of: "check")
            let sample = try access.demoServiceAccount()
            return [
                try check("MyDataHelps, as a service account", choice.address, access) { inquiry in
                    inquiry.ask(choice.account(inquiry.adapt).client, of: choice.project)
                } askSandbox: { inquiry in
                    let account = choice.account(named: sample.name, at: sample.address, inquiry.adapt)
                    inquiry.ask(account.client, of: Project.ID(sample.project))
                }
            ]
        }
        var own: [(service: Access.Service, credential: Credential)] = []
        if !arguments[Access.demo] {
            for service in Access.Service.allCases {
                try access.credential(service, isNeeded: false).map { own.append((service, $0)) }
            }
        }
        if own.isEmpty {
            own = [(.exist, try access.beginDemo(.exist)), (.mydatahelps, try access.demo(.mydatahelps))]
        }
        let writes = try mayWrite(arguments)
        func ask(_ service: Access.Service, _ credential: Credential, _ inquiry: Inquiry) {
            switch service {
            case .exist:
                let existAPI = access.exist(credential, inquiry.adapt).client
                inquiry.ask(existAPI)
                if writes { inquiry.askToWrite(existAPI) }
            case .mydatahelps: inquiry.ask(access.participant(credential, inquiry.adapt).client)
            }
        }
        return try own.map { service, credential in
            let sample = try access.demo(service)
            return try check(service.title, credential.address, access) {
                ask(service, credential, $0)
            } askSandbox: {
                ask(service, sample, $0)
            }
        }
    }

    private static func check(
        _ title: String, _ address: URL, _ access: Access, ask: (Inquiry) -> Void, askSandbox: (Inquiry) -> Void
    ) throws -> Check {
        let (terminal, clock) = (access.terminal, access.arguments.context.clock)
        terminal.notify(
            "Asking \(title), at \(address.host ?? "\(address)"), for one page of each thing that pledge reads.")
        let (inquiry, model) = (Inquiry(clock), Inquiry(clock))
        ask(inquiry)
        askSandbox(model)
        let check = Check(service: title, answers: inquiry.answers, sandbox: model.answers)
        try terminal.show(check.text)
        return check
    }
}

/// What a service has sent, compared with our models and the sandbox.
struct Check {
    struct Result {
        var answer: Answer
        /// Why it could not be asked, or what was sent could not be compared; nil otherwise.
        var problem: String?
        var differences: [Difference]
    }

    var service: String
    var results: [Result]

    init(service: String, answers: [Answer], sandbox: [Answer]) {
        self.service = service
        let known = Dictionary(sandbox.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        results = answers.map { answer in
            if let failure = answer.failure, !answer.wasAsked {
                return Result(answer: answer, problem: "\(failure)", differences: [])
            }
            return Result(answer: answer, differences: answer.differences(from: known[answer.name]))
        }
    }

    var findings: [Difference] { results.flatMap(\.differences) }
    var isWhole: Bool { results.allSatisfy { $0.problem == nil } }

    /// What people read of it.
    var text: String {
        let lines = results.flatMap { result -> [String] in
            let answer = result.answer
            let items = answer.items.map { ", \(NumberText.counted($0.count, "item"))" } ?? ""
            let facts = "\(answer.response.map { "\($0.status)" } ?? "no response")\(items)"
            let title = "\(answer.name) (\(facts), \(Int((answer.seconds * 1000).rounded())) ms)"
            if let problem = result.problem { return ["? \(title): \(problem)"] }
            let all = result.differences.map { "    \($0.description.onOneLine)" }
            return [(all.isEmpty ? "✓ " : "✗ ") + title] + all
        }
        let count = findings.count
        let sum = count == 0 ? "Nothing differs" : NumberText.counted(count, "difference")
        let end = isWhole ? "\(sum)." : "\(sum) so far. The rest was not asked."
        return "\(service)\n\(lines.joined(separator: "\n"))\n\(end)\n\n"
    }
}

extension Answer {
    /// Returns what differs from our model, and from what the sandbox has sent.
    func differences(from sandbox: Answer?) -> [Difference] {
        var found: [Difference] = []
        guard let response else { return [] }
        if let expected = sandbox?.response?.status, response.status != expected {
            found.append(Difference(.status, "the status is \(response.status), and \(expected) in the sandbox"))
        }
        if failure != nil, found.isEmpty { found.append(Difference(.unread, "the response cannot be read")) }
        guard response.status < 300, let json else { return found }
        let names = dictionaries.union(sandbox?.dictionaries ?? [])
        let sent = JSONShape(json, dictionaries: names)
        let model = sandbox?.json.map { JSONShape($0, dictionaries: names) }
        if let read, read != .null {
            // What the sandbox sends as well is known, and left out on purpose.
            let known = model.map { $0.lost(in: JSONShape(sandbox?.read ?? .null, dictionaries: names)) } ?? []
            found += sent.lost(in: JSONShape(read, dictionaries: names)).filter { !known.contains($0) }
        }
        let dropped = Set(found.map(\.place))
        if let model { found += sent.differences(from: model).filter { !dropped.contains($0.place) } }
        found += unread(knowing: model?.names ?? [])
        found += listDifferences(from: sandbox)
        found += wordDifferences(from: sandbox)
        return found
    }

    /// Items that were set aside. A reason may name a member, whose name is data unless the sandbox has it as well.
    private func unread(knowing names: Set<String>) -> [Difference] {
        let reasons = setAside.map { item in
            let words = item.reason.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            return words.first.map(names.contains) == true ? item.reason : "a field is not as expected"
        }
        return Dictionary(grouping: reasons) { $0 }.sorted { $0.key < $1.key }.map { reason, all in
            Difference(.unread, "\(NumberText.counted(all.count, "item")) cannot be read as sent: \(reason)")
        }
    }

    /// The headers that announce limits.
    private var limitHeaders: Set<String> {
        Set((response?.headers.fields ?? []).map { $0.name.lowercased() }.filter { $0.contains("ratelimit") })
    }

    private func header(_ part: String) -> String? {
        response?.headers.fields.first {
            $0.name.lowercased().hasSuffix(part) && $0.name.lowercased().contains("ratelimit")
        }?
        .value
    }

    /// The links of a list: where they lead, and the names in their queries.
    private func link(_ name: String) -> URLComponents? {
        guard case .object(let members)? = json, case .string(let text)? = members[name], !text.isEmpty else {
            return nil
        }
        return URLComponents(string: text)
    }

    private func listDifferences(from sandbox: Answer?) -> [Difference] {
        var found: [Difference] = []
        let expected = sandbox?.limitHeaders ?? []
        if sandbox != nil, limitHeaders != expected {
            let names = limitHeaders.sorted().joined(separator: ", ")
            found.append(
                Difference(
                    .limits,
                    "the limit is announced by \(names.isEmpty ? "no header" : names), and by "
                        + (expected.isEmpty ? "none" : expected.sorted().joined(separator: ", ")) + " in the sandbox"))
        } else if let own = header("-limit"), let its = sandbox?.header("-limit"), own != its {
            found.append(Difference(.limits, "the announced limit is not \(its), as the sandbox's"))
        }
        guard let limit, let count = items?.count else { return found }
        if count > limit {
            found.append(Difference(.pageSize, "a page has \(count) items, and \(limit) were asked for"))
        }
        for name in ["next", "previous"] {
            guard let own = link(name), let url = response?.url else { continue }
            if name == "next", count < limit {
                found.append(
                    Difference(.pageSize, "a page before the last has \(count) items, and \(limit) were asked for"))
            }
            if own.path != url.path && own.path != url.path + "/" {
                found.append(Difference(.link, at: name, "leads to another path than the list's"))
            }
            if own.scheme != url.scheme || own.host != url.host {
                found.append(Difference(.link, at: name, "leads to another server than the list's"))
            }
            let keys = Set((own.queryItems ?? []).map(\.name))
            if let its = sandbox?.link(name).map({ Set(($0.queryItems ?? []).map(\.name)) }), its != keys {
                found.append(
                    Difference(
                        .link, at: name, "has a query of \(keys.count) parameters, and \(its.count) in the sandbox"))
            }
        }
        return found
    }

    private func wordDifferences(from sandbox: Answer?) -> [Difference] {
        words.sorted { $0.key < $1.key }.flatMap { type, own -> [Difference] in
            let known = Dictionary((sandbox?.words[type] ?? []).map { ($0.lowercased(), $0) }) { first, _ in first }
            return own.sorted().compactMap { word in
                guard let other = known[word.lowercased()], sandbox?.words[type]?.contains(word) == false else {
                    return nil
                }
                return Difference(.word, "a \(type) is spelled otherwise than the sandbox's “\(other)”")
            }
        }
    }
}

/// The content of the file of `--report`.
struct CheckReport: Encodable {
    struct Service: Encodable {
        var service: String
        var answers: [Item]
    }

    struct Item: Encodable {
        var name: String
        var status: Int?
        var milliseconds: Int
        var bytes: Int?
        var items: Int?
        var isAnswered: Bool
        var differences: [Difference]
    }

    var version = Version.text
    var services: [Service]

    init(_ checks: [Check]) {
        services = checks.map { check in
            Service(
                service: check.service,
                answers: check.results.map { result in
                    Item(
                        name: result.answer.name, status: result.answer.response?.status,
                        milliseconds: Int((result.answer.seconds * 1000).rounded()),
                        bytes: result.answer.response?.body.count, items: result.answer.items?.count,
                        isAnswered: result.problem == nil, differences: result.differences)
                })
        }
    }

}
