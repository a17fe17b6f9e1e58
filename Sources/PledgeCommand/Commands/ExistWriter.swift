import ExistKit
import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// A value in the form in which the service stores it, with the entry that it comes from.
struct EnteredValue: AttributeUpdate {
    var entry: ValueEntry
    var attribute: ExistKit.Attribute
    var update: AttributeValue
    var name: String { attribute.name }
    var day: ExistDay { entry.day }

    var increment: AttributeIncrement { AttributeIncrement(name: name, by: update, day: day) }
}

/// Writes to Exist, for all commands that do so.
struct ExistWriter {
    let arguments: Arguments
    let account: Account<ExistAPI>
    var existAPI: ExistAPI { account.client }
    private var terminal: Terminal { arguments.terminal }
    /// The number of requests that the service may have processed since this count was last set to zero. A request that
    /// the service refused because of its rate limit doesn't count.
    private let processed = Locked(0)
    /// The write request that is in progress, which an interrupt may cancel.
    private let current = Locked<Promise<ExistAPI.UpdateOutput>?>(nil)

    /// - Parameter isLong: Whether the command may wait for the hourly rate limit. If it may, it can take hours.
    init(_ arguments: Arguments, isLong: Bool = false) throws {
        self.arguments = arguments
        let access = try Access(arguments)
        account = try access.exist { [processed] client in
            client.observer = { event in
                switch event.kind {
                case .sent: processed.withLock { $0 += 1 }
                case .received(status: 429, _): processed.withLock { $0 -= 1 }
                default: break
                }
            }
            guard isLong else { return }
            var rules = BatchRules()
            rules.longestWait = arguments[SetCommand.wait] ?? rules.longestWait
            let limiter = RateLimiter(
                limit: ExistAPI.limit, per: 3600, clock: client.clock,
                waitingAtMost: arguments[SetCommand.wait] ?? .infinity)
            client.waitForLimits(with: limiter, rules, access.settings)
        }
    }

    /// Stores or adds the values, prints what was stored, and returns the exit code.
    static func run(_ arguments: Arguments, adds: Bool = false) throws -> ExitCode {
        let assignments = try arguments.operands.map { try Assignment($0, adds: adds) }
        let input = try input(arguments)
        if arguments.has(SetCommand.on), arguments.has(SetCommand.days) {
            throw UsageError("--days and --on select different days: omit one.")
        }
        let isMany = input != nil || arguments.has(SetCommand.days) || arguments[SetCommand.on]?.count ?? 1 > 1
        let writer = try ExistWriter(arguments, isLong: isMany || arguments.has(SetCommand.wait))
        let file = try input.map {
            try ValueFile(
                $0.bytes, named: $0.name, from: arguments[SetCommand.startLine] ?? .min,
                allowsDemo: writer.account.isDemo)
        }
        let (user, known) = try when(fulfilled: writer.existAPI.user().map(\.user), writer.attributes()).wait()
        let first = user.today.advanced(by: 1 - (arguments[SetCommand.days] ?? 1))
        let entries =
            file?.entries
            ?? (arguments[SetCommand.on] ?? first...user.today).flatMap { day in
                assignments.map { ValueEntry(assignment: $0, day: day, showsDay: isMany) }
            }
        let plan = try writer.plan(entries, in: known, user, file?.problems ?? [])
        let code =
            try arguments[SetCommand.dryRun]
            ? writer.preview(plan, user) : writer.send(writer.prepare(plan), user)
        return code == .success && plan.hasGaps ? .partial : code
    }

    /// Returns the content and the name of the file of `--from`; nil without this option.
    private static func input(_ arguments: Arguments) throws -> (bytes: Data, name: String)? {
        guard let path = arguments[SetCommand.from] else {
            if let option = SetCommand.ofFiles.first(where: arguments.has) {
                throw UsageError("\(option.name) requires --from FILE.")
            }
            guard arguments.operands.isEmpty else { return nil }
            throw UsageError("“pledge set” needs NAME=VALUE, or --from FILE.")
        }
        guard arguments.operands.isEmpty, !arguments.has(SetCommand.on), !arguments.has(SetCommand.days) else {
            throw UsageError("--from stores the lines of a file: omit NAME=VALUE, --on, and --days.")
        }
        let isInput = path == "-"
        let descriptor = isInput ? arguments.terminal.input : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(reading: path, errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: !isInput)
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw UsageError("\(path) is a folder: name a file in it.")
        }
        guard let bytes = try? handle.readToEnd() ?? Data() else { throw Failure("\(path) cannot be read.") }
        return (bytes, isInput ? "Standard input" : path)
    }

    /// Returns all attributes, including those not in use.
    func attributes() -> Promise<[ExistKit.Attribute]> {
        existAPI.all(.attributes(includeInactive: true, includeLowPriority: true)).map(\.items)
    }

    /// Everything that the command is going to send. It is determined before the first request that changes anything.
    private struct Plan {
        var values: [EnteredValue] = []
        /// The names of the tags that must be created before their values are stored.
        var tags: [String] = []
        /// The names of the templates that must be acquired before their values are stored.
        var templates: [String] = []
        /// Whether some lines are left out because they cannot be read.
        var hasGaps = false
    }

    /// Checks whether the entries fit their attributes, and returns what to send. If an attribute doesn't exist yet,
    /// the result includes its creation.
    private func plan(
        _ entries: [ValueEntry], in known: [ExistKit.Attribute], _ user: User, _ unreadable: [ValueFile.Problem]
    ) throws -> Plan {
        let names = Dictionary(
            entries.map { (AttributeFinder.key($0.assignment.name), $0.assignment) },
            uniquingKeysWith: { first, _ in first })
        let finder = AttributeFinder(known)
        let missing = names.values.filter { finder.match($0.name) == nil }
        let wanted = Set(missing.filter { !$0.isTag }.map { ExactText($0.name) })
        let all = wanted.isEmpty ? [] : try existAPI.all(.templates()).wait().items
        let templates = all.filter { wanted.contains(ExactText($0.name)) }
        var plan = Plan(tags: missing.filter(\.isTag).map(\.name).sorted(), templates: templates.map(\.name))
        // These attributes stand for tags and templates that don't exist as attributes yet, so that their values can be
        // checked as well.
        let planned = AttributeFinder(
            known + plan.tags.map { Attribute(name: $0, group: AttributeGroup(name: "custom"), valueType: .boolean) }
                + templates.map {
                    Attribute(name: $0.name, group: $0.group, valueType: $0.valueType, template: $0.name)
                })
        var (days, problems): ([ExactText: Set<ExistDay>], _) = ([:], unreadable)
        for entry in entries {
            do {
                let assignment = entry.assignment
                let attribute = try planned.find(assignment.name, hasHint: problems.count < LimitedNotes.most)
                guard !assignment.isTag || attribute.valueType == .boolean else {
                    throw UsageError("“\(assignment.name)” is an attribute, not a tag: write \(attribute.name)=….")
                }
                let value = try assignment.stored(attribute, user)
                guard days[ExactText(attribute.name), default: []].insert(entry.day).inserted else {
                    throw UsageError("“\(assignment.name.excerpt)” is given twice for \(entry.day).")
                }
                plan.values.append(EnteredValue(entry: entry, attribute: attribute, update: value))
            } catch  where error is UsageError || error is Failure {
                guard let line = entry.line else { throw error }
                problems.append((line, "\(error)"))
            }
        }
        plan.hasGaps = !problems.isEmpty
        try print(problems)
        return plan
    }

    /// Creates the missing tags, and acquires the unused templates. Returns the values to store, in which the new
    /// attributes replace the planned ones.
    private func prepare(_ plan: Plan) throws -> [EnteredValue] {
        var made: [ExactText: ExistKit.Attribute] = [:]
        for tag in plan.tags { made[ExactText(tag)] = try createTag(tag) }
        for template in plan.templates { made[ExactText(template)] = try take(template) }
        return plan.values.map { value in
            var value = value
            value.attribute = made[ExactText(value.attribute.name)] ?? value.attribute
            return value
        }
    }

    /// Reports the lines that cannot be read. Throws if there are any, unless the user chose to skip them.
    private func print(_ problems: [ValueFile.Problem]) throws {
        guard !problems.isEmpty else { return }
        var notes = LimitedNotes(terminal)
        for problem in problems.sorted(by: { $0.line < $1.line }) {
            notes.add("Line \(problem.line): \(problem.text)")
        }
        notes.end("line")
        guard !arguments[SetCommand.skipUnreadable] else { return }
        throw UsageError(
            "Nothing was stored, because \(NumberText.counted(problems.count, "line")) cannot be read: correct them, "
                + "or add --skip-unreadable.")
    }

    private func createTag(_ tag: String) throws -> ExistKit.Attribute {
        let made = try existAPI.create([.tag(tag)]).wait().attributeResponse
        guard let created = made.success.first else {
            throw Failure("Exist did not create the tag “\(tag)”: “\(made.failed.first?.error ?? "")”.")
        }
        terminal.notify("Created the tag “\(created.label)”.")
        return created
    }

    private func take(_ template: String) throws -> ExistKit.Attribute {
        let response = try existAPI.acquire([.template(template)], successObjects: true).wait().attributeResponse
        if let failed = response.failed.first {
            throw Failure("Exist did not acquire “\(template)”: “\(failed.error)”.")
        }
        return try response.success.first?.attribute ?? AttributeFinder(attributes().wait()).find(template)
    }

    /// Prints each value that would be stored, the stored value that it would replace, and whether the command would
    /// acquire the attribute. Stores nothing.
    private func preview(_ plan: Plan, _ user: User) throws -> ExitCode {
        for tag in plan.tags { terminal.notify("Would create the tag “\(tag.onOneLine.excerpt)”.") }
        let owned = try existAPI.all(.owned(includeInactive: true, includeLowPriority: true)).wait().items
        let own = Set(owned.map { ExactText($0.name) })
        let isNew = Set((plan.tags + plan.templates).map { ExactText($0) })
        var values = [EnteredValue]()
        var notes = LimitedNotes(terminal)
        for value in plan.values {
            if let filler = Self.filler(of: value.attribute), !arguments[SetCommand.takeOver],
                !own.contains(ExactText(value.name))
            {
                notes.add("Would not be stored: \(value.entry.title). \(Self.advice(filler))")
            } else {
                values.append(value)
            }
        }
        notes.end("value")
        var stored: [ExactText: [ExistDay: AttributeValue]] = [:]
        for (name, group) in Dictionary(grouping: values, by: { ExactText($0.name) }) where !isNew.contains(name) {
            let days = group.map(\.day)
            guard let first = days.min(), let last = days.max() else { continue }
            let found = try AttributesCommand.values(of: group[0].attribute, from: first, through: last, existAPI)
            for item in found { stored[name, default: [:]][item.day] = item.value }
        }
        try print(
            columns: Self.columns(arguments, "Would store")
                + [.init("replaced", "Instead of"), .init("acquired", "Acquires it"), .init("provider", "From")],
            rows: values.map { value in
                let isOwn = own.contains(ExactText(value.name)) || plan.tags.contains(value.name)
                let former = ValueCells(value.attribute, for: user).cells(stored[ExactText(value.name)]?[value.day])
                return row(value, value.update, user) + [
                    former.value, .flag(!isOwn), .optional(isOwn ? nil : value.attribute.serviceInfo?.label),
                ]
            }, emptyMessage: "Nothing would be stored.")
        terminal.notify("Nothing was stored: this was a dry run.")
        return values.count < plan.values.count ? .failure : .success
    }

    /// The outcome of sending some of the values, as many as the service accepts at once.
    private struct PartOutcome {
        let values: [EnteredValue]
        /// The response. If there is an error, the response may be partial.
        var result = AttributeUpdateResponse()
        /// The indexes of the values that were sent, but got no response.
        var unknown = IndexSet()
        var failure: (any Error)?
        /// Whether the user interrupted the command before the service processed any of the values.
        var isUnsent = false

        /// Returns the index of the first of these values that is left to send; nil if none is left.
        ///
        /// If the request that acquires attributes failed, the values of these attributes are left. The values after them
        /// are then sent again. This must not happen to amounts that were added.
        ///
        /// - Parameter provided: The names of attributes that must not be acquired, so that their values stay refused.
        func firstLeft(exceptAcquiring provided: Set<ExactText>) -> Int? {
            if let first = unknown.first { return first }
            let refused = result.failed.filter { $0.errorCode == .unauthorised }.compactMap(\.index)
                .filter { !provided.contains(ExactText(values[$0].name)) }
            guard failure != nil, let first = refused.min() else { return nil }
            let wasAdded = values[first].entry.assignment.adds && result.success.contains { ($0.index ?? 0) > first }
            return wasAdded ? nil : first
        }

        /// The indexes of the values that may or may not be stored. The response doesn't mention them, or there was no
        /// response.
        var open: [Int] { result.unconfirmed.map(\.index) + unknown }
    }

    /// Sends the values in parts, and prints the outcome of each part.
    private func send(_ values: [EnteredValue], _ user: User) throws -> ExitCode {
        guard !values.isEmpty else {
            try show([], of: [], user, isFirst: true, isLast: true)
            return .success
        }
        let hours = Double(values.count / ExistAPI.mostItemsPerWrite) / Double(ExistAPI.limit)
        if hours > 1 {
            terminal.notify("That takes about \(NumberText.duration(hours * 3600)) at the service's limit.")
        }
        let provided = arguments[SetCommand.takeOver] ? [] : values.filter { Self.filler(of: $0.attribute) != nil }
        let notAcquired = Set(provided.map { ExactText($0.name) })
        let interrupts = handleInterrupts()
        defer { interrupts.end() }
        var notes = WriteNotes(terminal)
        var rest = values[...]
        var isFirst = true
        while true {
            let part = Array(rest.prefix(ExistAPI.mostItemsPerWrite))
            let outcome = write(part, interrupts, exceptAcquiring: notAcquired)
            // If nothing at all is known about values from the command line, only the error is printed.
            if let failure = outcome.failure, rest.startIndex == 0, part[0].entry.line == nil,
                outcome.unknown.count == part.count, !interrupts.isReceived
            {
                throw failure
            }
            if !outcome.isUnsent { rest = rest.dropFirst(part.count) }
            let isLast = rest.isEmpty || outcome.failure != nil || interrupts.isReceived
            if isLast || !outcome.result.success.isEmpty {
                try show(outcome.result.success, of: part, user, isFirst: isFirst, isLast: isLast)
                isFirst = false
            }
            add(outcome, to: &notes)
            guard isLast else { continue }
            notes.end()
            suggestContinuing(with: outcome.firstLeft(exceptAcquiring: notAcquired).map { part[$0] }, unsent: rest)
            if interrupts.isReceived { return .interrupted }
            if let failure = outcome.failure { throw failure }
            return notes.areEmpty ? .success : .failure
        }
    }

    /// Handles interrupts while values are sent, until the caller ends the result.
    private func handleInterrupts() -> Interrupts {
        Interrupts(terminal.signals) { [current, terminal, processed, clock = arguments.context.clock] in
            // If the service has processed no request of this part, the command is waiting for the rate limit. Nothing
            // is lost if the wait is canceled now.
            guard processed.withLock({ $0 > 0 }) else { return current.withLock { $0 }?.cancel() ?? () }
            terminal.notify("Waiting for the response, which says what is stored. Interrupt again to stop immediately.")
            _ = clock.schedule(5) { current.withLock { $0 }?.cancel() }
        }
    }

    /// Sends one part of the values, and waits for the outcome.
    ///
    /// - Parameter provided: The names of attributes that must not be acquired, because a device or an app would then
    ///   no longer provide them.
    private func write(
        _ part: [EnteredValue], _ interrupts: Interrupts, exceptAcquiring provided: Set<ExactText>
    ) -> PartOutcome {
        let mayAcquire: @Sendable (String) -> Bool = { !provided.contains(ExactText($0)) }
        processed.withLock { $0 = 0 }
        let promise =
            part[0].entry.assignment.adds
            ? existAPI.incrementAcquiringIfNeeded(attributes: part.map(\.increment), acquiring: mayAcquire)
            : existAPI.updateAcquiringIfNeeded(attributes: part, acquiring: mayAcquire)
        current.withLock { $0 = promise }
        if interrupts.isReceived, processed.withLock({ $0 == 0 }) { promise.cancel() }
        var outcome = PartOutcome(values: part)
        do {
            outcome.result = try promise.wait().attributeResponse
        } catch {
            outcome.failure = error
            outcome.isUnsent = error.isCancelled && processed.withLock { $0 == 0 }
            if let progress = (error as? ExistError)?.write, let result = progress.result as? AttributeUpdateResponse {
                outcome.result = result
                outcome.unknown = progress.unknown
            } else {
                outcome.unknown = IndexSet(part.indices)
            }
            if outcome.isUnsent { outcome.unknown = [] }
        }
        return outcome
    }

    /// The notes about values that are not stored, or may not be.
    private struct WriteNotes {
        var refused: LimitedNotes
        var unsure: LimitedNotes

        init(_ terminal: Terminal) {
            refused = LimitedNotes(terminal)
            unsure = LimitedNotes(terminal)
        }

        var areEmpty: Bool { refused.count == 0 && unsure.count == 0 }

        mutating func end() {
            refused.end("value that was not stored", "values that were not stored")
            unsure.end("value that may or may not be stored", "values that may or may not be stored")
        }
    }

    private func add(_ outcome: PartOutcome, to notes: inout WriteNotes) {
        for item in outcome.result.failed {
            let value = item.index.map { outcome.values[$0] }
            let isOthers = item.errorCode == .unauthorised && !arguments[SetCommand.takeOver]
            let owner = isOthers ? value.flatMap { Self.filler(of: $0.attribute) } : nil
            notes.refused.add(
                "Not stored: \(value?.entry.title ?? item.name?.excerpt ?? "an item"). "
                    + (owner.map(Self.advice) ?? "Exist says: \(item.error)"))
        }
        for index in outcome.open {
            notes.unsure.add(
                "May or may not be stored: \(outcome.values[index].entry.title). Check it before you repeat the command."
            )
        }
    }

    /// Prints how many values were not sent, and how to continue.
    ///
    /// - Parameter first: The first value of the last part that is left to send; nil if none is left.
    private func suggestContinuing(with first: EnteredValue?, unsent rest: ArraySlice<EnteredValue>) {
        if let first = rest.first {
            terminal.notify(
                "Not sent: \(NumberText.counted(rest.count, "value")), beginning with \(first.entry.title).")
        }
        if let line = (first ?? rest.first)?.entry.line {
            terminal.notify("Continue with --start-line \(line).")
        }
    }

    /// Returns the name of the device or app that provides an attribute. The device or app would stop doing so if the
    /// attribute were acquired. Returns nil if the user fills in the attribute manually.
    private static func filler(of attribute: ExistKit.Attribute) -> String? {
        attribute.manual == true ? nil : attribute.serviceInfo?.label
    }

    private static func advice(_ filler: String) -> String {
        "\(filler.onOneLine) provides it; use --take-over to acquire it."
    }

    private func show(
        _ items: [UpdatedAttribute], of part: [EnteredValue], _ user: User, isFirst: Bool, isLast: Bool
    ) throws {
        try print(
            columns: Self.columns(arguments, "Stored"),
            rows: items.compactMap { item in
                guard let value = item.index.map({ part[$0] }) else { return nil }
                return row(value, item.current ?? item.value, user)
            }, emptyMessage: "Nothing was stored.", isFirst: isFirst, isLast: isLast)
    }

    private static func columns(_ arguments: Arguments, _ heading: String) -> [Listing.Column] {
        (arguments.has(SetCommand.from) ? [.init("line", "Line")] : []) + [
            .init("attribute", heading), .init("day", "Day"), .init("value", "Value"), .init("unit", nil),
        ]
    }

    private func row(_ entered: EnteredValue, _ value: AttributeValue?, _ user: User) -> [Listing.Cell] {
        let (value, unit) = ValueCells(entered.attribute, for: user).cells(value)
        let line = entered.entry.line.map { [Listing.Cell.number(Double($0))] } ?? []
        return line + [.text(entered.name), .text(entered.day.description), value, unit]
    }

    func print(
        columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String, isFirst: Bool = true,
        isLast: Bool = true
    ) throws {
        var listing = account.listing(columns: columns, rows: rows, emptyMessage: emptyMessage)
        listing.isFirst = isFirst
        listing.isLast = isLast
        if !isLast { listing.warnings = [] }
        try listing.write(arguments)
        // The demo's account exists only until the command ends.
        if account.isDemo, isLast { terminal.notify("Demo: nothing was kept.") }
    }

    /// Reports the items that failed or may have failed, and returns the exit code.
    ///
    /// - Parameters:
    ///   - done: What should have been done with the items, such as “created”.
    ///   - names: The names of the items, in the order in which they were sent.
    func report<Item>(_ result: WriteResult<Item>, _ done: String, _ names: [String]) -> ExitCode {
        for item in result.failed {
            terminal.notify("Not \(done): \(item.index.map { names[$0] } ?? "an item"). Exist says: \(item.error)")
        }
        for item in result.unconfirmed { terminal.notify("May or may not be \(done): \(names[item.index]).") }
        return result.failed.isEmpty && result.unconfirmed.isEmpty ? .success : .failure
    }
}

/// Prints the first twenty messages of one kind. If there are more, prints at the end how many were left out.
struct LimitedNotes {
    static let most = 20

    private let terminal: Terminal
    private(set) var count = 0

    init(_ terminal: Terminal) { self.terminal = terminal }

    mutating func add(_ text: String) {
        count += 1
        if count <= Self.most { terminal.notify(text) }
    }

    /// Prints how many messages were left out, if any.
    ///
    /// - Parameters:
    ///   - noun: What each message is about, such as “line”.
    ///   - plural: The plural of the noun; nil if it ends in s.
    mutating func end(_ noun: String, _ plural: String? = nil) {
        let more = count - Self.most
        guard more > 0 else { return }
        terminal.notify("And \(NumberText.grouped(more)) more \(more == 1 ? noun : plural ?? noun + "s").")
    }
}
