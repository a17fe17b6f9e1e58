import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP

/// `pledge check`: compares what a service sends for an account with our models and with the sandbox.
enum CheckCommand {
    static let report = Option.file("--report", "write what was found as JSON, without any of your values")

    static let writes = Option.flag(
        "--writes", "also create a tag in Exist, “Pledge check”, set it for today, and release it")
    static let yes = Option.flag("--yes", "do what --writes says without asking you first")

    static let command = Command(
        name: "check", summary: "compare what a service sends with what this tool expects", part: .accounts,
        options: [report, writes, yes] + ServiceAccountOptions.all + Access.options,
        examples: [
            "pledge check": "check the services of your accounts, without changing anything",
            "pledge check --report check.json": "with a file to attach to an issue",
        ],
        notes: [
            .init(
                title: "WHAT IT SENDS",
                text: """
                    The check sends at most 20 requests to each service. They change nothing, and read one page of everything \
                    that pledge reads. With --writes, it sends 5 more requests to Exist, after you have agreed; the tag stays \
                    in your account, unused. If a token must be requested or renewed, this takes one more request. For \
                    comparison, the same requests go to the sandbox on this machine.
                    """),
            .init(
                title: "WHAT IT PRINTS",
                text: """
                    ✓  as this tool expects
                    ·  a field that may be missing, or a new word
                    ✗  something differs, such as a field that pledge ignores or needs
                    ?  could not be checked, because of the network, the token, or a limit
                    """),
            .init(
                title: "THE REPORT",
                text: """
                    The file has names of fields, kinds of values, counts, status codes, and times. It has none of your \
                    values and no token. Names of new fields are as the service sends them: read the file before you \
                    attach it to an issue.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is as this tool expects
                    1  something could not be checked
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
        guard checks.allSatisfy({ $0.reportedDifferences.isEmpty }) else {
            arguments.terminal.notify(
                "Please report this: attach the file of --report to an issue. pledge still works.")
            return .partial
        }
        return checks.allSatisfy(\.isWhole) ? .success : .failure
    }

    /// Returns whether the check should also write to the account. Without `--yes`, asks the user first. Throws if the
    /// user declines or can't be asked.
    private static func mayWrite(_ arguments: Arguments, isDemo: Bool) throws -> Bool {
        guard arguments[writes] else { return false }
        if arguments[yes] || isDemo { return true }
        let question = "This creates the tag “Pledge check” in your account of Exist, where it stays. Continue?"
        switch arguments.terminal.confirm(question) {
        case true?: return true
        case false?: throw Failure("Nothing was sent.")
        case nil: throw UsageError("--writes changes your account of Exist: add --yes if you want that.")
        }
    }

    /// Sends the requests of the check to each service for which the user has an account, and shows the results. With
    /// the options for a service account, checks only MyDataHelps, using that account. Without any account, checks the
    /// demo.
    private static func checks(_ arguments: Arguments) throws -> [Check] {
        let access = try Access(arguments)
        if arguments[yes], !arguments[writes] { throw UsageError("--yes requires --writes.") }
        if ServiceAccountOptions.all.contains(where: arguments.has) {
            let others: [any AnyOption] = [writes, yes, Access.profile, Access.demo]
            if let other = others.first(where: arguments.has) {
                throw UsageError("\(other.name) applies only to your own accounts: omit it with --service-account.")
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
        let writes = try own.contains { $0.service == .exist } && mayWrite(arguments, isDemo: own[0].credential.isDemo)
        func ask(_ service: Access.Service, _ credential: Credential, _ inquiry: Inquiry) {
            switch service {
            case .exist:
                let existAPI = access.exist(credential, inquiry.adapt).client
                let user = inquiry.ask(existAPI)
                if writes, let user { inquiry.askToWrite(existAPI, on: user.today) }
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
            "Asking \(title), at \(address.host ?? "\(address)"), for one page of everything that pledge reads.")
        let (inquiry, model) = (Inquiry(clock), Inquiry(clock))
        ask(inquiry)
        askSandbox(model)
        let check = Check(service: title, answers: inquiry.answers, sandbox: model.answers)
        try terminal.show(check.text)
        if let name = inquiry.leftOver {
            terminal.notify("The tag \(name) could not be released: run “pledge release \(name)”.")
        }
        return check
    }
}
