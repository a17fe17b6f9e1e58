import ExistKit
import Foundation
import PledgeCoding

extension ExistSteps {
    func insights() throws -> Promise<Void> {
        let state = try run.history.read { try $0.states(of: "insight", account: run.account) }[ExactText("")]
        let newer = state?.bookmark.flatMap { ExistDay($0) }.map { newInsights(since: $0, state) } ?? Promise()
        return newer.then(on: run.history.queue) { _ -> Promise<Void> in
            state?.isComplete == true ? Promise() : allInsights(before: state)
        }
    }

    /// Reads the insights for the days since the last run and for the overlap before them.
    private func newInsights(since bookmark: ExistDay, _ state: SyncState?) -> Promise<Void> {
        let first = min(bookmark, today).advanced(by: -run.options.overlap)
        // Two days more, because the service does not specify which time zone an insight's day refers to.
        let query: ExistQuery = .insights(from: first.advanced(by: -2))
        return list("insight", query) { found in
            let insights = found.items
            // An empty list may also mean that the token lacks permission to read insights, so none are removed.
            if insights.isEmpty { return }
            try run.write { database in
                let part = Table.Part(
                    key: [run.key], condition: "coalesce(day, created) >= ? AND created >= ?",
                    values: [SQLValue(first), SQLValue(first)])
                let count = try database.put(
                    insights.map { $0.row(run.key) }, into: "insight", within: part,
                    removing: found.isWhole ? run.removal(of: "insight") : nil)
                var state = state ?? SyncState()
                if found.hasEnded { state.bookmark = today.description }
                try run.keep([("", state)], of: "insight", in: database)
                return count
            }
        }.asVoid()
    }

    /// Reads all insights, newest first, resuming where an earlier run was interrupted.
    private func allInsights(before state: SyncState?) -> Promise<Void> {
        // The keys of all insights; nil if they are not all read, or if there is nothing to remove.
        let keys = Locked<Set<[SQLValue]>?>(state.flatMap { $0.oldest == nil ? [] : nil })
        let state = Locked(state ?? SyncState())
        let last = state.withLock { $0.oldest }.flatMap { ExistDay($0) }
        return existAPI.pages(.insights(through: last?.advanced(by: 2))).forEach { answer in
            let insights = answer.value.results
            run.record(answer.value.unreadable, of: ListName("insight"), read: insights.count)
            let oldest = insights.map { insight in
                // They are sorted by creation: one about an old day does not mean that the days between were read.
                let made = ExistDay(insight.created, in: .utc)
                return max(insight.targetDay ?? made, made)
            }.min()
            var new = state.withLock { $0 }
            new.bookmark = new.bookmark ?? today.description
            new.oldest = oldest?.description ?? new.oldest
            new.isComplete = answer.value.next == nil
            try run.write { database in
                let rows = insights.map { $0.row(run.key) }
                var count = try database.put(rows, into: "insight")
                let all = keys.withLock { keys in
                    if answer.value.unreadable.lost == 0 {
                        keys?.formUnion(rows.map { Array($0[..<3]) })
                    } else {
                        keys = nil
                    }
                    return new.isComplete ? keys : nil
                }
                if let all, !all.isEmpty {
                    count += try database.remove(run.everything, of: "insight", except: all, run.removal(of: "insight"))
                }
                try run.keep([("", new)], of: "insight", in: database)
                return count
            }
            state.withLock { [new] in $0 = new }
            try run.goOn()
            return true
        }
    }
}
