import ExistKit
import Foundation
import PledgeCoding

/// One sync of an Exist account. It consists of steps. Each step sends a request or reads a whole list, and then stores
/// the result in a transaction.
struct ExistSync: Sendable {
    let existAPI: ExistAPI
    let session: SyncSession
    let today: ExistDay

    func all(_ user: User) throws -> Promise<Void> {
        try session.history.transaction { database in
            try session.checkOwner(
                [.text(user.username)], storedAs: "SELECT username FROM account WHERE id = ?", in: database)
            try session.resetStatesIfFullReadIsDue(in: database)
            try user.update(database, account: session.account)
        }
        return attributes().then(on: session.history.queue) { attributes -> Promise<Void> in
            session.inTurn([
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

    /// Reads a list, stores it, and returns what `store` returns. If a page cannot be read, stores the items of the
    /// pages before it, and rejects with the error.
    func list<Item, Result: Sendable>(
        _ table: String, _ query: ExistQuery<Item>, store: @escaping @Sendable (Listed<Item>) throws -> Result
    ) -> Promise<Result> {
        let all = Locked(Listed<Item>())
        return existAPI.pages(query).forEach { decoded in
            session.record(decoded.value.unreadable, of: ListName(table), read: decoded.value.results.count)
            all.withLock { all in
                all.items += query.unseen(decoded.value.results, &all.seen)
                all.isWhole = all.isWhole && decoded.value.unreadable.lost == 0
            }
            // If the session is to end, it ends here, between two pages. After the last page, the list is stored first,
            // so that the next session doesn't have to request the list again.
            if decoded.value.next != nil { try session.checkNotStopped() }
            return true
        }.recover(on: session.history.queue) { error in
            var all = all.withLock { $0 }
            all.isWhole = false
            if !all.items.isEmpty { _ = try store(all) }
            throw error
        }.map(on: session.history.queue) { try store(all.withLock { $0 }) }
    }

    private func attributes() -> Promise<[Attribute]> {
        list("attribute", .attributes(includeInactive: true, includeLowPriority: true)) { found in
            let attributes = found.items
            try session.write { database in
                try forgetChangedAttributes(attributes, areAll: found.isWhole, in: database)
                var (count, gone) = try database.put(
                    attributes.map { $0.row(session.account) }, into: "attribute", comparing: session.allRows)
                if found.isWhole { count += try session.remove(gone, of: ListName("attribute"), in: database) }
                return count
            }
            return attributes
        }
    }

    /// Deletes the states of attributes that were removed, or whose values now have another type. So a session reads
    /// their values from the beginning again.
    private func forgetChangedAttributes(_ attributes: [Attribute], areAll: Bool, in database: Database) throws {
        let types = Dictionary(attributes.map { (ExactText($0.name), $0.valueType.rawValue) }, uniquingKeysWith: { $1 })
        let known = try database.rows(
            "SELECT name, value_type FROM attribute WHERE account = ? AND removed IS NULL", [session.account])
        for row in known {
            let type = types[ExactText(row[0].text ?? "")]
            if type == nil ? !areAll : type.map(SQLValue.integer) == row[1] { continue }
            try database.run(
                "DELETE FROM sync_state WHERE account = ? AND list = 'value' AND name = ?", [session.account, row[0]])
        }
    }

    private func averages() -> Promise<Void> { replace("average", .averages()) { $0.row(session.account) } }

    private func correlations() -> Promise<Void> {
        replace("correlation", .correlations(strong: true)) { $0.row(session.account) }
    }

    /// Reads a list, and replaces the stored list with it. This is for lists of which the service keeps only the latest
    /// items.
    private func replace<Item>(
        _ table: String, _ query: ExistQuery<Item>, _ row: @escaping @Sendable (Item) -> [SQLValue]
    ) -> Promise<Void> {
        list(table, query) { try session.put($0.items.map(row), of: ListName(table), areAll: $0.isWhole) }
    }
}

// MARK: - Values

extension ExistSync {
    private func values(of attributes: [Attribute]) throws -> Promise<Void> {
        let states = try session.history.withDatabase { try $0.states(of: "value", account: session.account) }
        let progress = attributes.map { ValueProgress($0, states[ExactText($0.name)]) }
        let byName = Dictionary(attributes.map { (ExactText($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        return try request(ValueRequestPlan(progress, today: today, overlap: session.options.overlap), byName)
    }

    /// Sends the next request of a plan, stores the response, and continues with the plan that follows from it.
    private func request(
        _ plan: ValueRequestPlan, _ attributes: [ExactText: Attribute]
    ) throws -> Promise<Void> {
        try session.checkNotStopped()
        session.options.onProgress(plan.estimate)
        let next: Promise<ValueRequestPlan>
        switch plan.next() {
        case nil: return Promise()
        case .page(let name, let last):
            guard let attribute = attributes[ExactText(name)] else {
                preconditionFailure("The plan has an attribute that the service did not list.")
            }
            next = page(of: attribute, through: last, plan)
                .recover(on: session.history.queue) { error -> Promise<ValueRequestPlan> in
                    .value(try skip(name, after: error, plan))
                }
        case .window(let first, let last): next = window(first, through: last, plan)
        }
        return next.then(on: session.history.queue) { plan -> Promise<Void> in try request(plan, attributes) }
    }

    private func page(
        of attribute: Attribute, through last: ExistDay?, _ plan: ValueRequestPlan
    ) -> Promise<ValueRequestPlan> {
        let name = attribute.name
        return existAPI.page(.values(of: name, through: last)).map(on: session.history.queue) { page, _ in
            let list = ListName("value", name)
            let days = page.results.map(\.day).sorted(by: >)
            let typed = existAPI.values(page.results, of: attribute)
            let unreadable = page.unreadable + typed.unreadable
            let rows = valueRows(typed.values, of: name, as: attribute.valueType)
            session.record(unreadable, of: list, read: rows.count)
            var next = plan
            try next.record(
                name, through: last, days: days, values: rows.count + unreadable.undecoded,
                count: page.totalCount ?? page.results.count, hasMore: page.next != nil)
            try write(from: plan, to: next) { database in
                let first = page.next == nil ? nil : days.last
                let last = last ?? max(today, days.first ?? today)
                var (count, gone) = try database.put(
                    rows, into: "value", comparing: stretch(of: name, from: first, through: last))
                if unreadable.lost == 0, !page.results.isEmpty {
                    count += try session.remove(gone, of: list, in: database)
                }
                return count
            }
            return next
        }
    }

    /// Returns the plan without an attribute whose values could not be read. Throws the error if no other values are to
    /// be read after it.
    private func skip(_ name: String, after error: any Error, _ plan: ValueRequestPlan) throws -> ValueRequestPlan {
        var next = plan
        // Exist doesn't find the values of some attributes that are out of use.
        if error.failureKind == .notFound, let (state, isNew) = next.recordHidden(name) {
            try session.history.transaction { try session.put([(ListName("value", name), state)], in: $0) }
            if isNew {
                session.record(
                    note: "The values of “\(name)” are not found while the attribute is out of use: they are requested "
                        + "again every week, and when the attribute is in use.")
            }
            return next
        }
        // The attribute may have been removed after this session read the list of attributes, or the service may fail
        // to return its values. The other attributes can still be read.
        guard next.skip(name, serviceFailed: error.failureKind == .serviceFault),
            session.recordGap(of: ListName("value", name), error)
        else { throw error }
        return next
    }

    private func window(
        _ first: ExistDay, through last: ExistDay, _ plan: ValueRequestPlan
    ) -> Promise<ValueRequestPlan> {
        list("value", .attributesWithValues(days: first.distance(to: last) + 1, through: last)) {
            (found: Listed<Attribute>) -> ValueRequestPlan in
            let known = Set(plan.attributes.map { ExactText($0.name) })
            // Two kinds of attributes are ignored. An attribute without any days carries no information, because the
            // service lists days without values, too. An unknown attribute was created after this session read the list
            // of attributes; the next session reads it.
            let attributes = found.items.filter { attribute in
                !(attribute.values.isEmpty && attribute.unreadableValues.isEmpty)
                    && known.contains(ExactText(attribute.name))
            }
            let rows = attributes.map { valueRows($0.values, of: $0.name, as: $0.valueType) }
            for (attribute, rows) in zip(attributes, rows) {
                session.record(attribute.unreadableValues, of: ListName("value", attribute.name), read: rows.count)
            }
            let hasValues = zip(attributes, rows).contains { !$0.unreadableValues.isEmpty || !$1.isEmpty }
            var next = plan
            next.record(first, through: last, names: Set(attributes.map { ExactText($0.name) }), hasValues: hasValues)
            try write(from: plan, to: next) { database in
                var sum = ChangeCount()
                for (attribute, rows) in zip(attributes, rows) {
                    let (count, gone) = try database.put(
                        rows, into: "value", comparing: stretch(of: attribute.name, from: first, through: last))
                    sum += count
                    if attribute.unreadableValues.lost == 0 {
                        sum += try session.remove(gone, of: ListName("value", attribute.name), in: database)
                    }
                }
                return sum
            }
            return next
        }
    }

    private func valueRows(_ values: [Attribute.DayValue], of name: String, as type: ValueType) -> [[SQLValue]] {
        values.compactMap { entry in
            entry.value.map { [session.account, .text(name), SQLValue(entry.day), SQLValue($0, as: type)] }
        }
    }

    private func stretch(of name: String, from first: ExistDay?, through last: ExistDay) -> Table.Part {
        Table.Part(
            key: [session.account, .text(name)], condition: "day BETWEEN ? AND ?",
            values: [.text(first?.description ?? ""), SQLValue(last)])
    }

    /// Writes values, and the states that say which days were read, in one transaction.
    ///
    /// - Parameters:
    ///   - old: The plan before the values were read.
    ///   - new: The plan that follows from the values.
    private func write(
        from old: ValueRequestPlan, to new: ValueRequestPlan, _ writeValues: (Database) throws -> ChangeCount
    ) throws {
        try session.write { database in
            var count = try writeValues(database)
            for (before, after) in zip(old.attributes, new.attributes) where after.isComplete && !before.isComplete {
                let list = ListName("value", after.name)
                if session.lacksItems(of: list) { continue }
                // Rows before the first value of the attribute come from the time before it was removed and re-added,
                // or before its type changed. They are removed.
                let older = Table.Part(
                    key: [session.account, .text(after.name)], condition: "day < ?", values: [SQLValue(after.oldest)])
                count += try session.remove(database.keys(of: older, in: "value"), of: list, in: database)
            }
            let changed = zip(old.attributes, new.attributes).filter { $0.state != $1.state }.map(\.1)
            try session.put(changed.map { (ListName("value", $0.name), $0.state) }, in: database)
            return count
        }
    }
}

extension ExistSync {
    func insights() throws -> Promise<Void> {
        let state = try session.storedState(of: ListName("insight"))
        let newer = state?.bookmark.flatMap { ExistDay($0) }.map { newInsights(since: $0, state) } ?? Promise()
        return newer.then(on: session.history.queue) { _ -> Promise<Void> in
            state?.isComplete == true ? Promise() : allInsights(before: state)
        }
    }

    /// Reads the insights for the days since the last run, and for the overlap before these days.
    private func newInsights(since bookmark: ExistDay, _ state: SyncState?) -> Promise<Void> {
        let first = min(bookmark, today).advanced(by: -session.options.overlap)
        // The request begins two days earlier, because the service does not say which time zone it uses for the day of
        // an insight.
        let pages = existAPI.pages(.insights(from: first.advanced(by: -2)))
        let part = Table.Part(
            key: [session.account], condition: "coalesce(day, created) >= ? AND created >= ?",
            values: [SQLValue(first), SQLValue(first)])
        let isEmpty = Locked(true)
        return session.readPages(pages, of: ListName("insight"), from: state, mayRemove: true) { page, state in
            if !page.results.isEmpty { isEmpty.withLock { $0 = false } }
            let isLast = page.next == nil
            // If there are no insights at all, no rows are removed. An empty list may mean that the token has no
            // permission to read insights.
            let isWhole = isLast && !isEmpty.withLock(\.self)
            if isWhole { state.bookmark = today.description }
            return PageRows(
                rows: page.results.map { $0.row(session.account) }, unreadable: page.unreadable, isLast: isLast,
                covering: isWhole ? part : nil)
        }
    }

    /// Reads all insights, newest first. If an earlier run was interrupted, resumes at the oldest day that it reached.
    private func allInsights(before state: SyncState?) -> Promise<Void> {
        let last = state?.oldest.flatMap { ExistDay($0) }
        let pages = existAPI.pages(.insights(through: last?.advanced(by: 2)))
        // A session that resumes in the middle of the list doesn't know the keys of all insights, so it may not remove
        // rows.
        return session.readPages(pages, of: ListName("insight"), from: state, mayRemove: state?.oldest == nil) {
            page, state in
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
            return PageRows(
                rows: page.results.map { $0.row(session.account) }, unreadable: page.unreadable,
                isLast: state.isComplete, covering: isWhole ? session.allRows : nil)
        }
    }
}
