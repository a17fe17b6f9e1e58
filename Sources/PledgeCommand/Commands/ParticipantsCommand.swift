import Foundation
import MyDataHelpsKit
import PledgeCoding

/// The options of a command that needs a service account.
enum ServiceAccountOptions {
    static let name = Option.text("--service-account", "NAME", "a name", "the service account's name")
    private static let key = Option.file("--key", "its private key, a PEM file")
    private static let keyVariable = Option.text("--key-env", "NAME", "a name", "the variable with its private key")
    private static let project = Option.text("--project", "ID", "an identifier", "the project's identifier")
    static let all: [any AnyOption] = [name, key, keyVariable, project]

    /// A service account and its project, with the names and the key in the form in which a file of accounts contains
    /// them.
    struct Choice {
        let project: Project.ID
        let address: URL
        let name: String
        let key: [String: String]
        fileprivate let access: Access
        fileprivate let signing: SigningKey

        /// Returns the service account, or another one that has the same key.
        ///
        /// - Parameters:
        ///   - name: The name of the other account.
        ///   - address: The base URL of the other account's server.
        func account(
            named name: String? = nil, at address: URL? = nil, _ adapt: Access.Adaptation = { _ in }
        ) -> Account<ServiceAccount> {
            let (name, address) = (name ?? self.name, address ?? self.address)
            let credential = Credential(authorizer: .none, address: address, origin: .serviceAccount(name))
            return access.account(.mydatahelps, credential, adapt) { options in
                let client = MyDataHelpsClient(baseURL: address, options: options)
                return ServiceAccount(name: name, client: client) { [signing] in try signing.signature(of: $0) }
            }
        }
    }

    static func choice(_ arguments: Arguments, of command: String) throws -> Choice {
        guard let name = arguments[name], let project = arguments[project],
            let (form, place) = arguments[key].map({ ("file", $0) }) ?? arguments[keyVariable].map({ ("env", $0) }),
            let signing = SigningKey([form: place], arguments.environment)
        else {
            throw UsageError("“pledge \(command)” needs --service-account, --project, and --key or --key-env.")
        }
        guard arguments[key] == nil || arguments[keyVariable] == nil else {
            throw UsageError("--key and --key-env name two keys: omit one.")
        }
        return Choice(
            project: Project.ID(project), address: try Access.Service.mydatahelps.address(arguments.environment),
            name: name, key: [form: place], access: try Access(arguments), signing: signing)
    }
}

/// `pledge participants`: lists the participants of a project, or writes them as a file of accounts for other commands.
enum ParticipantsCommand {
    private static let search = Option.text(
        "--search", "TEXT", "a text", "only people whose identifier, name, or email address contains TEXT")
    private static let segment = Option.text(
        "--segment", "ID", "an identifier", "only people in this segment of the project")
    private static let accounts = Option.flag(
        "--accounts",
        "print a line for each enrolled participant, in the form that “pledge export” and “pledge sync” read")

    static let command = Command(
        name: "participants", summary: "list a project's participants with a service account", part: .machines,
        options: ServiceAccountOptions.all + [search, segment, accounts] + Listing.options + Access.requests,
        examples: [
            "pledge participants --service-account MyDataHelps.1234.study --key key.pem --project 1234":
                "everyone in the project",
            "pledge participants --service-account … --key key.pem --project 1234 --accounts | pledge export -":
                "the data of the whole project",
        ]
    ) { arguments in
        let choice = try ServiceAccountOptions.choice(arguments, of: "participants")
        guard try !arguments[accounts] || Listing.form(arguments) == nil else {
            throw UsageError("--accounts prints lines of its own: omit the other format.")
        }
        let account = choice.account()
        let query = ProjectParticipantsQuery(
            project: choice.project, search: arguments[search], segmentID: arguments[segment])
        guard arguments[accounts] else {
            return exitCode(of: account, listedAgain: try list(account, query, arguments), arguments)
        }
        let leftOut = Locked(0)
        let seen = Locked(SeenItems())
        try account.client.pages(query).forEach { decoded in
            for person in decoded.value {
                guard seen.withLock({ $0.isNew(HashKey(person.id.value)) }) else { continue }
                guard person.isEnrolled != false, !person.participantIdentifier.isEmpty else {
                    leftOut.withLock { $0 += 1 }
                    continue
                }
                var json = JSONText()
                json.object { json in
                    json.field("service", "mydatahelps")
                    json.field("account", person.participantIdentifier)
                    json.field("address", choice.address.absoluteString)
                    json.object("token") { json in
                        json.object("serviceAccount") { json in
                            json.field("name", choice.name)
                            json.field("key", choice.key)
                            json.field("project", choice.project.value)
                            json.field("participant", person.participantIdentifier)
                        }
                    }
                }
                json.endLine()
                try arguments.terminal.write(json.text)
            }
            return true
        }.wait()
        let count = leftOut.withLock { $0 }
        if count > 0 {
            arguments.terminal.notify(
                "\(NumberText.counted(count, "participant")) left out: not enrolled, or without an identifier.")
        }
        for warning in account.warnings.all { arguments.terminal.notify("Not everything could be read. \(warning)") }
        return exitCode(of: account, listedAgain: seen.withLock(\.repeats), arguments)
    }

    /// Returns the exit code. If the service sent some participants twice, also prints how many.
    ///
    /// In this case, other participants may be missing. Usually, a missing participant is noticed because the service
    /// announces the total number. But a participant that was sent twice counts as two, and so hides that another
    /// participant is missing.
    private static func exitCode(
        of account: Account<ServiceAccount>, listedAgain count: Int, _ arguments: Arguments
    ) -> ExitCode {
        guard count > 0 else { return account.warnings.exitCode }
        let (who, verb) = count == 1 ? ("participant was", "is") : ("participants were", "are")
        arguments.terminal.notify(
            "\(NumberText.grouped(count)) \(who) listed twice, and \(verb) printed once. Others may be missing: run this "
                + "again.")
        return .partial
    }

    private static func list(
        _ account: Account<ServiceAccount>, _ query: ProjectParticipantsQuery, _ arguments: Arguments
    ) throws -> Int {
        try account.list(
            [account.client.pages(query)], by: { HashKey($0.id.value) },
            columns: [
                .init("identifier", "Participant"), .init("name", "Name"), .init("email", "Email"),
                .init("enrolled", "Enrolled"), .init("added", "Added"), .init("id", nil),
            ], newestBy: "added", emptyMessage: "The project has no such participants.", arguments
        ) { person in
            let demographics = person.demographics
            return [
                .text(person.participantIdentifier),
                .optional(fullName(demographics.firstName, demographics.lastName)),
                .optional(demographics.email ?? person.accountEmail),
                person.isEnrolled.map(Listing.Cell.flag) ?? .nothing, .timestamp(person.insertedDate),
                .text(person.id.value),
            ]
        }
    }
}
