import ExistKit
import Foundation
import PledgeCoding

/// One sync of an Exist account. It consists of steps. Each step sends a request or reads a whole list, and then stores
/// the result in a transaction.
struct ExistSync: Sendable {
    let existAPI: ExistAPI
    let run: SyncRun
    let today: ExistDay

    func all(_ user: User) throws -> Promise<Void> {
        try run.history.write { database in
            try run.identify("SELECT username FROM account WHERE id = ?", [.text(user.username)], in: database)
            try user.update(database, account: run.key)
        }
        return attributes().then(on: run.history.queue) { attributes -> Promise<Void> in
            run.inTurn([
                (ListName("value"), { @Sendable in try values(of: attributes) }), (ListName("average"), averages),
                (ListName("correlation"), correlations), (ListName("insight"), insights),
            ])
        }
    }

    /// The items that were read from a list.
    struct Listed<Item: Sendable>: Sendable {
        /// The items, without duplicates.
        var items: [Item] = []
        /// Whether these are all items of the list. They are if every page, and every item on each page, could be read.
        var isWhole = true
        fileprivate var seen: Set<HashKey> = []
    }

    /// Reads a list and stores it. If a page cannot be read, stores the items of the pages before it, and rejects with
    /// the error.
    func list<Item>(
        _ table: String, _ query: ExistQuery<Item>, store: @escaping @Sendable (Listed<Item>) throws -> Void
    ) -> Promise<[Item]> {
        let all = Locked(Listed<Item>())
        return existAPI.pages(query).forEach { decoded in
            run.record(decoded.value.unreadable, of: ListName(table), read: decoded.value.results.count)
            all.withLock { all in
                all.items += query.unseen(decoded.value.results, &all.seen)
                all.isWhole = all.isWhole && decoded.value.unreadable.lost == 0
            }
            // If the run is to end, it ends here, between two pages. After the last page, the list is stored first, so
            // that the next run doesn't have to request the list again.
            if decoded.value.next != nil { try run.goOn() }
            return true
        }.recover(on: run.history.queue) { error in
            var all = all.withLock { $0 }
            all.isWhole = false
            if !all.items.isEmpty { try store(all) }
            throw error
        }.map(on: run.history.queue) {
            let all = all.withLock { $0 }
            try store(all)
            return all.items
        }
    }

    private func attributes() -> Promise<[Attribute]> {
        list("attribute", .attributes(includeInactive: true, includeLowPriority: true)) { found in
            let attributes = found.items
            let isWhole = found.isWhole
            try run.write { database in
                let known = try database.rows(
                    "SELECT name, value_type FROM attribute WHERE account = ? AND removed IS NULL", [run.key])
                let types = Dictionary(
                    attributes.map { (ExactText($0.name), $0.valueType.rawValue) }, uniquingKeysWith: { $1 })
                for row in known {
                    let type = types[ExactText(row[0].text ?? "")]
                    if type == nil ? !isWhole : type.map(SQLValue.integer) == row[1] { continue }
                    // The attribute was removed, or its values now have another type. Its state is deleted, so that a
                    // sync reads its values from the beginning again.
                    try database.run(
                        "DELETE FROM sync_state WHERE account = ? AND list = 'value' AND name = ?", [run.key, row[0]])
                }
                return try database.put(
                    attributes.map { $0.row(run.key) }, into: "attribute", within: run.everything,
                    removing: isWhole ? run.removal(of: "attribute") : nil)
            }
        }
    }

    private func averages() -> Promise<Void> { replace("average", .averages()) { $0.row(run.key) } }

    private func correlations() -> Promise<Void> {
        replace("correlation", .correlations(strong: true)) { $0.row(run.key) }
    }

    /// Reads a list, and replaces the stored list with it. This is for lists of which the service keeps only the latest
    /// items.
    private func replace<Item>(
        _ table: String, _ query: ExistQuery<Item>, _ row: @escaping @Sendable (Item) -> [SQLValue]
    ) -> Promise<Void> {
        list(table, query) { try run.put($0.items.map(row), in: table, areAll: $0.isWhole) }.asVoid()
    }
}

// MARK: - Values

extension ExistSync {
    private func values(of attributes: [Attribute]) throws -> Promise<Void> {
        let states = try run.history.read { try $0.states(of: "value", account: run.account) }
        let progress = attributes.map { ValueProgress($0, states[ExactText($0.name)]) }
        let types = Dictionary(
            attributes.map { (ExactText($0.name), $0.valueType) }, uniquingKeysWith: { first, _ in first })
        return try read(Locked(ValuePlan(progress, today: today, overlap: run.options.overlap)), types)
    }

    private func read(_ plan: Locked<ValuePlan>, _ types: [ExactText: ValueType]) throws -> Promise<Void> {
        try run.goOn()
        let (request, left) = plan.withLock { ($0.next(), $0.estimate) }
        run.options.onProgress(left)
        let step: Promise<Void>
        switch request {
        case nil: return Promise()
        case .history(let name, let last):
            step = history(name, through: last, types[ExactText(name)] ?? .unknown(-1), plan)
                .recover(on: run.history.queue) { error in
                    if error.failureKind == .notFound, try hide(name, plan) { return }
                    // The attribute may have been removed after this run read the list of attributes, or the service
                    // may fail to return its values. The other attributes can still be read.
                    let canSkip = plan.withLock { $0.skip(name, isOver: error.failureKind == .serviceFault) }
                    guard canSkip, run.continues(without: ListName("value", name), error) else { throw error }
                }
        case .window(let first, let last): step = window(first, through: last, plan)
        }
        return step.then(on: run.history.queue) { _ -> Promise<Void> in try read(plan, types) }
    }

    private func history(
        _ name: String, through last: ExistDay?, _ type: ValueType, _ plan: Locked<ValuePlan>
    ) -> Promise<Void> {
        existAPI.page(.values(of: name, through: last)).done(on: run.history.queue) { page, _ in
            let days = page.results.map(\.day).sorted(by: >)
            let rows = valueRows(page.results, of: name, as: type)
            let lost = page.unreadable.lost
            let read = rows.count
            run.record(page.unreadable, of: ListName("value", name), read: read)
            try put(plan) { plan in
                try plan.record(
                    name, through: last, days: days, values: read + page.unreadable.undecoded,
                    count: page.totalCount ?? page.results.count, hasMore: page.next != nil)
            } writing: { database in
                let first = page.next == nil ? nil : days.last
                let last = last ?? max(today, days.first ?? today)
                return try database.put(
                    rows, into: "value", within: stretch(of: name, from: first, through: last),
                    removing: lost == 0 && !page.results.isEmpty ? run.removal(of: "value", name) : nil)
            }
        }
    }

    /// Continues without the values of an attribute after Exist has answered that it doesn't find these values. That
    /// happens for some attributes that are out of use. If the attribute is in use, does nothing and returns false.
    private func hide(_ name: String, _ plan: Locked<ValuePlan>) throws -> Bool {
        guard let (state, isNew) = plan.withLock({ $0.recordHidden(name) }) else { return false }
        try run.history.write { try run.put([(name, state)], of: "value", in: $0) }
        if isNew {
            run.record(
                note: "The values of “\(name)” are not found while the attribute is out of use: they are requested "
                    + "again every week, and when the attribute is in use.")
        }
        return true
    }

    private func window(_ first: ExistDay, through last: ExistDay, _ plan: Locked<ValuePlan>) -> Promise<Void> {
        list("value", .attributesWithValues(days: first.distance(to: last) + 1, through: last)) { found in
            let known = Set(plan.withLock { $0.attributes.map { ExactText($0.name) } })
            // Two kinds of attributes are ignored. An attribute without any days carries no information, because the
            // service lists days without values, too. An unknown attribute was created after this run read the list of
            // attributes; the next run reads it.
            let attributes = found.items.filter { attribute in
                !(attribute.values.isEmpty && attribute.unreadableValues.isEmpty)
                    && known.contains(ExactText(attribute.name))
            }
            let rows = attributes.map { valueRows($0.values, of: $0.name, as: $0.valueType) }
            for (attribute, rows) in zip(attributes, rows) {
                run.record(attribute.unreadableValues, of: ListName("value", attribute.name), read: rows.count)
            }
            let hasValues = zip(attributes, rows).contains { !$0.unreadableValues.isEmpty || !$1.isEmpty }
            try put(plan) { plan in
                plan.record(
                    first, through: last, names: Set(attributes.map { ExactText($0.name) }), hasValues: hasValues)
            } writing: { database in
                var count = ChangeCount()
                for (attribute, rows) in zip(attributes, rows) {
                    let isWhole = attribute.unreadableValues.lost == 0
                    count += try database.put(
                        rows, into: "value", within: stretch(of: attribute.name, from: first, through: last),
                        removing: isWhole ? run.removal(of: "value", attribute.name) : nil)
                }
                return count
            }
        }.asVoid()
    }

    private func valueRows(_ values: [Attribute.DayValue], of name: String, as type: ValueType) -> [[SQLValue]] {
        values.compactMap { entry in
            entry.value.map { [run.key, .text(name), SQLValue(entry.day), SQLValue($0, as: type)] }
        }
    }

    private func stretch(of name: String, from first: ExistDay?, through last: ExistDay) -> Table.Part {
        Table.Part(
            key: [run.key, .text(name)], condition: "day BETWEEN ? AND ?",
            values: [.text(first?.description ?? ""), SQLValue(last)])
    }

    /// Writes values, and the bookmarks that say which days were read, in one transaction. Then updates the plan.
    private func put(
        _ plan: Locked<ValuePlan>, recording record: (inout ValuePlan) throws -> Void,
        writing write: (Database) throws -> ChangeCount
    ) throws {
        let old = plan.withLock { $0 }
        var new = old
        try record(&new)
        try run.write { database in
            var count = try write(database)
            for (before, after) in zip(old.attributes, new.attributes) where after.isComplete && !before.isComplete {
                if run.lacksItems(of: ListName("value", after.name)) { continue }
                // Rows before the first value of the attribute come from the time before it was removed and re-added,
                // or before its type changed. They are removed.
                let older = Table.Part(
                    key: [run.key, .text(after.name)], condition: "day < ?", values: [SQLValue(after.oldest)])
                count += try database.remove(older, of: "value", except: [], run.removal(of: "value", after.name))
            }
            // A plan also tracks things that are not stored, such as an attribute's cursor. So an attribute that has
            // changed in the plan is written only if the state that is stored has changed, too.
            let changed = zip(old.attributes, new.attributes).filter { $0 != $1 && $0.state != $1.state }.map(\.1)
            try run.put(changed.map { ($0.name, $0.state) }, of: "value", in: database)
            return count
        }
        plan.withLock { [new] in $0 = new }
    }
}

extension ExistSync {
    func insights() throws -> Promise<Void> {
        let state = try run.history.read { try $0.states(of: "insight", account: run.account) }[ExactText("")]
        let newer = state?.bookmark.flatMap { ExistDay($0) }.map { newInsights(since: $0, state) } ?? Promise()
        return newer.then(on: run.history.queue) { _ -> Promise<Void> in
            state?.isComplete == true ? Promise() : allInsights(before: state)
        }
    }

    /// Reads the insights for the days since the last run, and for the overlap before these days.
    private func newInsights(since bookmark: ExistDay, _ state: SyncState?) -> Promise<Void> {
        let first = min(bookmark, today).advanced(by: -run.options.overlap)
        // The request begins two days earlier, because the service does not say which time zone it uses for the day of
        // an insight.
        let pages = existAPI.pages(.insights(from: first.advanced(by: -2)))
        let part = Table.Part(
            key: [run.key], condition: "coalesce(day, created) >= ? AND created >= ?",
            values: [SQLValue(first), SQLValue(first)])
        let isEmpty = Locked(true)
        return run.walk(pages, of: "insight", from: state, mayRemove: true, unreadable: \.unreadable) { page, state in
            if !page.results.isEmpty { isEmpty.withLock { $0 = false } }
            // If there are no insights at all, no rows are removed. An empty list may mean that the token has no
            // permission to read insights.
            let isLast = page.next == nil && !isEmpty.withLock(\.self)
            if isLast { state.bookmark = today.description }
            return (page.results.map { $0.row(run.key) }, isLast ? part : nil)
        }
    }

    /// Reads all insights, newest first. If an earlier run was interrupted, resumes at the oldest day that it reached.
    private func allInsights(before state: SyncState?) -> Promise<Void> {
        let last = state?.oldest.flatMap { ExistDay($0) }
        // A run that resumes in the middle of the list doesn't know the keys of all insights, so it may not remove
        // rows.
        return run.walk(
            existAPI.pages(.insights(through: last?.advanced(by: 2))), of: "insight", from: state,
            mayRemove: state?.oldest == nil, unreadable: \.unreadable
        ) { page, state in
            let oldest = page.results.map { insight in
                // Insights are sorted by their creation. A recent insight may be about a day long ago, which doesn't
                // mean that all insights since that day have been read. Therefore, the later of the insight's day and
                // the day of its creation counts.
                let made = ExistDay(insight.created, in: .utc)
                return max(insight.targetDay ?? made, made)
            }.min()
            state.bookmark = state.bookmark ?? today.description
            state.oldest = oldest?.description ?? state.oldest
            state.isComplete = page.next == nil
            let isWhole = state.isComplete && state.oldest != nil
            return (page.results.map { $0.row(run.key) }, isWhole ? run.everything : nil)
        }
    }
}

extension SQLValue {
    /// Creates a column value from an attribute value. If the attribute's type allows decimals, integers are stored as
    /// `REAL`, too.
    init(_ value: AttributeValue, as type: ValueType) {
        switch (type, value) {
        case (.float, .integer(let number)), (.percentage, .integer(let number)): self = .real(Double(number))
        case (.float, .decimal(let number)), (.percentage, .decimal(let number)): self = SQLValue(number)
        case (.string, .integer(let number)): self = .text("\(number)")
        case (.unknown, .decimal(let number)): self = SQLValue(number)
        case (_, .integer(let number)): self = .integer(number)
        case (_, .decimal(let number)): self = Int(exactly: number).map { .integer($0) } ?? SQLValue(number)
        case (_, .text(let text)): self = .text(text)
        case (.boolean, .other(.bool(let flag))): self = SQLValue(flag)
        case (_, .other(let json)): self = .text(JSONColumn.text(json))
        }
    }

    init(_ day: ExistDay?) { self = day.map { .text($0.description) } ?? .null }
    init(_ date: Date?) { self = date.map { .text(TimestampColumn.text($0)) } ?? .null }
}

extension User {
    func update(_ database: Database, account: SQLValue) throws {
        try database.run(
            """
            UPDATE account SET username = ?, first_name = ?, last_name = ?, time_zone = ?, utc_offset = ?,
                imperial_distance = ?, imperial_weight = ?, imperial_energy = ?, imperial_liquid = ?,
                imperial_temperature = ?, day = ?
            WHERE id = ?
            """,
            [
                .text(username), .text(firstName), .text(lastName), .text(timezone), SQLValue(utcOffset),
                SQLValue(imperialDistance), SQLValue(imperialWeight), SQLValue(imperialEnergy),
                SQLValue(imperialLiquid), SQLValue(imperialTemperature), SQLValue(today), account,
            ])
    }
}

extension Attribute {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(name), .text(label), .text(group.name), .text(group.label), .integer(group.priority),
            .integer(priority), SQLValue(template), .integer(valueType.rawValue), SQLValue(valueTypeDescription),
            SQLValue(storedUnit?.name), SQLValue(service), SQLValue(manual), SQLValue(active),
        ]
    }
}

extension Average {
    func row(_ account: SQLValue) -> [SQLValue] {
        [account, .text(attribute), SQLValue(day), SQLValue(overall)]
            + ExistDay.Weekday.allCases.map { SQLValue(self[$0]) }
    }
}

extension Correlation {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, .text(attribute), .text(attribute2), .text(attributeCategory ?? ""),
            // The offset is part of the table's key. Key columns cannot be null, so a missing offset is stored as an
            // empty text.
            offset.map { .integer($0) } ?? .text(""),
            SQLValue(day), SQLValue(period), SQLValue(value), SQLValue(p), SQLValue(percentage), SQLValue(stars),
            SQLValue(secondPerson), SQLValue(strengthDescription), SQLValue(starsDescription), SQLValue(description),
            SQLValue(occurrence), SQLValue(rating?.rating),
        ]
    }
}

extension Insight {
    func row(_ account: SQLValue) -> [SQLValue] {
        [
            account, SQLValue(created), .text(type.name), SQLValue(createdOffset), SQLValue(targetDay),
            SQLValue(type.attribute?.name), SQLValue(type.period), SQLValue(type.priority), .text(text), .text(html),
        ]
    }
}
