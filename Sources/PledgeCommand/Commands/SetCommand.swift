import ExistKit
import Foundation
import PledgeCoding

/// `pledge set`: stores values for a day.
enum SetCommand {
    static let on = Option.day("--on", "the day to write", defaultValue: "today, in your time zone")
    static let takeOver = Option.flag(
        "--take-over", "acquire attributes that a device or an app provides, which then no longer does")

    static let command = Command(
        name: "set", summary: "store a day's values and tags in Exist", part: .writing,
        operands: .init(form: "NAME=VALUE…", count: 1...1_000),
        options: [on, takeOver] + Listing.options + Access.options,
        examples: [
            .init("pledge set mood=7 \"tag: coffee\"", "today's mood and a tag, which is created if it is new"),
            .init(
                "pledge set weight=72.4 --on 2026-11-20 --take-over",
                "another day; the weight is entered manually from now on"),
            .init("pledge set headache=no", "clear a tag"),
        ],
        notes: [
            .init(
                title: "VALUES",
                text: """
                    Numbers are in your account's units. Durations: 450, 7h30m, or 7:30. Times: 22:55. Tags: yes or no.
                    Fractions: 0.2 or 20%. A stored value is replaced. Attributes that a device or an app provides are not
                    changed without --take-over; “pledge release” gives them back. Values that could not be stored are
                    reported, and the exit code is 1.
                    """), Listing.note,
        ]
    ) { arguments in
        try Writing.run(arguments) { existAPI, user, items, mayAcquire in
            let day = arguments[on] ?? user.today
            return existAPI.updateAcquiringIfNeeded(
                attributes: try items.map { assignment, attribute in
                    StoredUpdate(name: attribute.name, day: day, update: try assignment.stored(attribute, user))
                }, acquiring: mayAcquire)
        }
    }
}

/// An update whose value is already in the form the service stores.
private struct StoredUpdate: AttributeUpdate {
    var name: String
    var day: ExistDay
    var update: AttributeValue
}

/// The code that `set`, `increment`, and `release` share.
enum Writing {
    /// Writes what the command line says, and prints what was stored.
    ///
    /// - Parameter write: Sends an item for each assignment; `mayAcquire` is false for what a device or an app would lose.
    static func run(
        _ arguments: Arguments, adds: Bool = false,
        _ write: (
            _ existAPI: ExistAPI, User, _ items: [(Assignment, ExistKit.Attribute)],
            _ mayAcquire: @escaping @Sendable (_ name: String) -> Bool
        ) throws -> Promise<ExistAPI.UpdateReply>
    ) throws -> Int32 {
        let assignments = try arguments.operands.map { try Assignment($0, adds: adds) }
        let account = try Access(arguments).exist()
        let existAPI = account.client
        let (user, known) = try when(fulfilled: existAPI.user().map(\.user), attributes(existAPI)).wait()
        let attributes = try find(assignments, in: known, existAPI, arguments.terminal)
        let takesOver = arguments[SetCommand.takeOver]
        let writing = try write(existAPI, user, Array(zip(assignments, attributes))) { name in
            takesOver || filler(of: name, in: attributes) == nil
        }
        return try show(writing, attributes, user, account, arguments)
    }

    /// Returns all attributes, including those not in use.
    static func attributes(_ existAPI: ExistAPI) -> Promise<[ExistKit.Attribute]> {
        existAPI.all(.attributes(includeInactive: true, includeLowPriority: true)).map(\.items)
    }

    /// Returns the device or app that would lose an attribute if it were acquired; nil for a manual attribute.
    private static func filler(of name: String, in attributes: [ExistKit.Attribute]) -> String? {
        let attribute = attributes.named(name)
        return attribute?.manual == true ? nil : attribute?.serviceInfo?.label
    }

    /// Returns the attributes of the assignments, each once. Creates missing tags and acquires templates not in use.
    private static func find(
        _ assignments: [Assignment], in known: [ExistKit.Attribute], _ existAPI: ExistAPI, _ terminal: Terminal
    ) throws -> [ExistKit.Attribute] {
        let found = assignments.map { AttributeFinder.match($0.name, in: known) }
        for (assignment, attribute) in zip(assignments, found) where assignment.isTag {
            if let attribute, attribute.valueType != .boolean {
                throw UsageError("“\(assignment.name)” is an attribute, not a tag: write \(attribute.name)=….")
            }
        }
        let meant = zip(assignments, found).map { $1.map { ExactText($0.name) } ?? AttributeFinder.fold($0.name) }
        for (index, assignment) in assignments.enumerated() where meant[..<index].contains(meant[index]) {
            throw UsageError("“\(assignment.name)” is given twice.")
        }
        let isAnyMissing = zip(assignments, found).contains { !$0.isTag && $1 == nil }
        let templates = isAnyMissing ? try existAPI.all(.templates()).wait().items : []
        // Find everything before creating anything.
        let ways = try zip(assignments, found).map { assignment, attribute -> () throws -> ExistKit.Attribute in
            if let attribute { return { attribute } }
            if assignment.isTag { return { try create(assignment.name, existAPI, terminal) } }
            if let template = templates.first(where: { ExactText($0.name) == ExactText(assignment.name) }) {
                return { try take(template.name, existAPI) }
            }
            let attribute = try AttributeFinder.find(assignment.name, in: known)
            return { attribute }
        }
        return try ways.map { try $0() }
    }

    private static func create(
        _ tag: String, _ existAPI: ExistAPI, _ terminal: Terminal
    ) throws -> ExistKit.Attribute {
        let made = try existAPI.create([.tag(tag)]).wait().attributeResponse
        guard let created = made.success.first else {
            throw Failure("Exist did not create the tag “\(tag)”: “\(made.failed.first?.error ?? "")”.")
        }
        terminal.tell("Created the tag “\(created.label)”.")
        return created
    }

    private static func take(_ template: String, _ existAPI: ExistAPI) throws -> ExistKit.Attribute {
        let reply = try existAPI.acquire([.template(template)], successObjects: true).wait().attributeResponse
        if let failed = reply.failed.first {
            throw Failure("Exist did not acquire “\(template)”: “\(failed.error)”.")
        }
        if let attribute = reply.success.first?.attribute { return attribute }
        return try AttributeFinder.find(template, in: attributes(existAPI).wait())
    }

    /// Prints what was stored, reports what wasn't, and returns the exit code. The write has an item for each attribute.
    private static func show(
        _ write: Promise<ExistAPI.UpdateReply>, _ attributes: [ExistKit.Attribute], _ user: User,
        _ account: Account<ExistAPI>, _ arguments: Arguments
    ) throws -> Int32 {
        let (result, end) = try outcome(of: write)
        let rows = result.success.map { item -> [Listing.Cell] in
            let name = Listing.Cell.text(item.name)
            guard let attribute = attributes.named(item.name) else { return [name, .nothing, .nothing, .nothing] }
            return [
                name, .text((item.day ?? arguments[SetCommand.on] ?? user.today).description),
                AttributesCommand.cell(item.current ?? item.value, of: attribute, user),
                .optional(DisplayUnit(attribute, for: user).column),
            ]
        }
        try account.listing(
            columns: [
                .init("attribute", "Stored"), .init("day", "Day"), .init("value", "Value"), .init("unit", nil),
            ], rows: rows, emptyMessage: "Nothing was stored."
        ).write(arguments)
        tellIfDemo(account, arguments)
        for item in result.failed {
            let isLeft = item.errorCode == .unauthorised && !arguments[SetCommand.takeOver]
            let owner = isLeft ? filler(of: item.name ?? "", in: attributes) : nil
            arguments.terminal.tell(
                "Not stored: \(item.name ?? "an item"). "
                    + (owner.map { "\($0.onOneLine) provides it; use --take-over to acquire it." }
                        ?? "Exist says: \(item.error)"))
        }
        // Of some, the response says nothing; of others, there was none.
        for index in result.unconfirmed.map(\.index) + (end?.write?.unknown ?? []) {
            arguments.terminal.tell(
                "May or may not be stored: \(attributes[index].name). Check it before you repeat the command.")
        }
        guard let end else { return result.failed.isEmpty && result.unconfirmed.isEmpty ? 0 : 1 }
        for index in end.write?.unsent ?? [] { arguments.terminal.tell("Not sent: \(attributes[index].name).") }
        throw end
    }

    /// The demo's account ends with the command.
    static func tellIfDemo(_ account: Account<ExistAPI>, _ arguments: Arguments) {
        if account.isDemo { arguments.terminal.tell("Demo: nothing was kept.") }
    }

    /// What a write did, and the error that ended it early, if it did anything before.
    private static func outcome(
        of write: Promise<ExistAPI.UpdateReply>
    ) throws -> (AttributeUpdateResponse, ExistError?) {
        do {
            return (try write.wait().attributeResponse, nil)
        } catch let error as ExistError {
            guard let result = error.write?.result as? AttributeUpdateResponse,
                !(result.success.isEmpty && result.failed.isEmpty && result.unconfirmed.isEmpty)
            else { throw error }
            return (result, error)
        }
    }
}
