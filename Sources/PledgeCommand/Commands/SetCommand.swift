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

/// An update whose value is already in the service's form.
private struct StoredUpdate: AttributeUpdate {
    var name: String
    var day: ExistDay
    var update: AttributeValue
}

/// Shared code of `set`, `increment`, and `release`.
struct Writing {
    let arguments: Arguments
    let account: Account<ExistAPI>
    var existAPI: ExistAPI { account.client }

    init(_ arguments: Arguments) throws {
        (self.arguments, account) = (arguments, try Access(arguments).exist())
    }

    /// Writes the assignments, prints what was stored, and returns the exit code.
    ///
    /// - Parameter write: Sends an item per assignment; `mayAcquire` is false if that would stop a device or an app.
    static func run(
        _ arguments: Arguments, adds: Bool = false,
        _ write: (
            _ existAPI: ExistAPI, User, _ items: [(Assignment, ExistKit.Attribute)],
            _ mayAcquire: @escaping @Sendable (_ name: String) -> Bool
        ) throws -> Promise<ExistAPI.UpdateReply>
    ) throws -> Int32 {
        let assignments = try arguments.operands.map { try Assignment($0, adds: adds) }
        let writing = try Writing(arguments)
        let (user, known) = try when(fulfilled: writing.existAPI.user().map(\.user), writing.attributes()).wait()
        let attributes = try writing.find(assignments, in: known)
        let takesOver = arguments[SetCommand.takeOver]
        let reply = try write(writing.existAPI, user, Array(zip(assignments, attributes))) { name in
            takesOver || filler(of: name, in: attributes) == nil
        }
        return try writing.show(reply, attributes, user)
    }

    /// Returns all attributes, including those not in use.
    func attributes() -> Promise<[ExistKit.Attribute]> {
        existAPI.all(.attributes(includeInactive: true, includeLowPriority: true)).map(\.items)
    }

    /// Returns the device or app that acquiring an attribute would stop; nil for a manual attribute.
    private static func filler(of name: String?, in attributes: [ExistKit.Attribute]) -> String? {
        let attribute = name.flatMap(attributes.named)
        return attribute?.manual == true ? nil : attribute?.serviceInfo?.label
    }

    /// Returns each attribute of the assignments once, after creating missing tags and acquiring unused templates.
    private func find(_ assignments: [Assignment], in known: [ExistKit.Attribute]) throws -> [ExistKit.Attribute] {
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
        // Find all attributes before creating any.
        let ways = try zip(assignments, found).map { assignment, attribute -> () throws -> ExistKit.Attribute in
            if let attribute { return { attribute } }
            if assignment.isTag { return { try create(assignment.name) } }
            if let template = templates.first(where: { ExactText($0.name) == ExactText(assignment.name) }) {
                return { try take(template.name) }
            }
            let attribute = try AttributeFinder.find(assignment.name, in: known)
            return { attribute }
        }
        return try ways.map { try $0() }
    }

    private func create(_ tag: String) throws -> ExistKit.Attribute {
        let made = try existAPI.create([.tag(tag)]).wait().attributeResponse
        guard let created = made.success.first else {
            throw Failure("Exist did not create the tag “\(tag)”: “\(made.failed.first?.error ?? "")”.")
        }
        arguments.terminal.tell("Created the tag “\(created.label)”.")
        return created
    }

    private func take(_ template: String) throws -> ExistKit.Attribute {
        let reply = try existAPI.acquire([.template(template)], successObjects: true).wait().attributeResponse
        if let failed = reply.failed.first {
            throw Failure("Exist did not acquire “\(template)”: “\(failed.error)”.")
        }
        return try reply.success.first?.attribute ?? AttributeFinder.find(template, in: attributes().wait())
    }

    /// Prints what was stored, and reports failures.
    private func show(
        _ write: Promise<ExistAPI.UpdateReply>, _ attributes: [ExistKit.Attribute], _ user: User
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
        try print(
            columns: [
                .init("attribute", "Stored"), .init("day", "Day"), .init("value", "Value"), .init("unit", nil),
            ], rows: rows, emptyMessage: "Nothing was stored.")
        for item in result.failed {
            let isLeft = item.errorCode == .unauthorised && !arguments[SetCommand.takeOver]
            let owner = isLeft ? Self.filler(of: item.name, in: attributes) : nil
            arguments.terminal.tell(
                "Not stored: \(item.name ?? "an item"). "
                    + (owner.map { "\($0.onOneLine) provides it; use --take-over to acquire it." }
                        ?? "Exist says: \(item.error)"))
        }
        // The response omits some items; others were sent without a response.
        for index in result.unconfirmed.map(\.index) + (end?.write?.unknown ?? []) {
            arguments.terminal.tell(
                "May or may not be stored: \(attributes[index].name). Check it before you repeat the command.")
        }
        guard let end else { return result.failed.isEmpty && result.unconfirmed.isEmpty ? 0 : 1 }
        for index in end.write?.unsent ?? [] { arguments.terminal.tell("Not sent: \(attributes[index].name).") }
        throw end
    }

    func print(columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String) throws {
        try account.listing(columns: columns, rows: rows, emptyMessage: emptyMessage).write(arguments)
        // The demo's account ends with the command.
        if account.isDemo { arguments.terminal.tell("Demo: nothing was kept.") }
    }

    /// Returns the result of a write, or its partial result with the error that stopped it.
    private func outcome(
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
