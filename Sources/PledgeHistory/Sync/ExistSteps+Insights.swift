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
        let pages = existAPI.pages(.insights(from: first.advanced(by: -2)))
        let part = Table.Part(
            key: [run.key], condition: "coalesce(day, created) >= ? AND created >= ?",
            values: [SQLValue(first), SQLValue(first)])
        let isEmpty = Locked(true)
        return run.walk(pages, of: "insight", from: state, mayRemove: true, unreadable: \.unreadable) { page, state in
            if !page.results.isEmpty { isEmpty.withLock { $0 = false } }
            // An empty list may also mean that the token lacks permission to read insights, so none are removed.
            let isLast = page.next == nil && !isEmpty.withLock(\.self)
            if isLast { state.bookmark = today.description }
            return (page.results.map { $0.row(run.key) }, isLast ? part : nil)
        }
    }

    /// Reads all insights, newest first, resuming where an earlier run was interrupted.
    private func allInsights(before state: SyncState?) -> Promise<Void> {
        let last = state?.oldest.flatMap { ExistDay($0) }
        // Of a list that is read from its middle, not all keys are known.
        return run.walk(
            existAPI.pages(.insights(through: last?.advanced(by: 2))), of: "insight", from: state,
            mayRemove: state?.oldest == nil, unreadable: \.unreadable
        ) { page, state in
            let oldest = page.results.map { insight in
                // They are sorted by creation: one about an old day does not mean that the days between were read.
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
