# Each mistake has a name, the code that it replaces, the wrong code, and the tests that should notice the mistake. The code to
# replace must occur exactly once in the module.
edits = [
    ("two columns are exchanged", "SQLValue(strengthDescription), SQLValue(starsDescription)",
     "SQLValue(starsDescription), SQLValue(strengthDescription)", "AccountReaderTests"),
    ("two columns are exchanged where they are read back", 'startDate: row.date("started"), endDate: row.date("ended")',
     'startDate: row.date("ended"), endDate: row.date("started")', "AccountReaderTests"),
    ("the state of a list is stored before its rows", """            try self.write { database in
                var (count, _) = try database.put(page.rows, into: list.table)
""", """            try self.write { database in
                try self.put([(list, state)], in: database)
                return ChangeCount()
            }
            try self.write { database in
                var (count, _) = try database.put(page.rows, into: list.table)
""", "SyncLimitTests"),
    ("the bookmark of values is stored before them", """        try session.write { database in
            var count = try writeValues(database)
""", """        let states = zip(old.attributes, new.attributes).filter { $0.state != $1.state }.map(\\.1)
        try session.write { database in
            try session.put(states.map { (ListName("value", $0.name), $0.state) }, in: database)
            return ChangeCount()
        }
        try session.write { database in
            var count = try writeValues(database)
""", "SyncLimitTests"),
    ("the overlap is a day too short", "cursor = min(newest, today).advanced(by: -overlap)",
     "cursor = min(newest, today).advanced(by: 1 - overlap)", "ValueRequestPlanTests"),
    ("a day between two windows is not read", "last >= today ? nil : last.advanced(by: 1)",
     "last >= today ? nil : last.advanced(by: 2)", "ValueRequestPlanTests"),
    ("a window into the past is a day too long", "last.advanced(by: 1 - ExistAPI.mostDaysPerRequest)",
     "last.advanced(by: -ExistAPI.mostDaysPerRequest)", "ValueRequestPlanTests"),
    ("a day in the future is a bookmark", "newest = newest.map { min($0, latest) }",
     "newest = newest.map { ($0, latest).0 }", "ValueRequestPlanTests"),
    ("an attribute is out of use a day too early", "if let inactive, newest >= inactive.advanced(by: overlap)",
     "if let inactive, newest >= inactive.advanced(by: overlap - 1)", "ValueRequestPlanTests"),
    ("the name of an older account is stored in the rows of a newer one",
     "                notes: (hasOwnName ? self.noteOnNewAccount : []) + losses.lines,\n",
     "                notes: { self.noteOnNewAccount.forEach(self.record(note:)); return losses.lines }(),\n", "OwnerTests"),
    ("refused removals on the last page are forgotten", "if page.covering != nil, self.isUnsettled(list) {", "if false {",
     "RemovalTests"),
    ("days before hidden ones are taken for read", "        let attribute = attributes.remove(at: index)\n",
     "        var attribute = attributes.remove(at: index)\n        if attribute.newest != nil { attribute.newest = today }\n",
     "HiddenValuesTests"),
    ("hidden values are requested every night", "        return days % 7 != 0\n", "        return newest == nil && days % 7 != 0\n",
     "HiddenValuesTests"),
    ("a time stamp in the future is a bookmark", "TimestampColumn.text(min($0, now))",
     "TimestampColumn.text(($0, now).0)", "SyncLimitTests"),
    ("tasks of the same moment on the next page are not read", "isLast: isEnd || oldest < end)", "isLast: isEnd || oldest <= end)", "SyncLimitTests"),
    ("ten removals are doubted", "if sum > Self.fewRows, try sum", "if sum >= Self.fewRows, try sum", "SyncLimitTests"),
    ("each attribute may lose ten values", "removed[list.table, default: 0] + count", "count",
     "SyncLimitTests"),
    ("a tenth may be removed", "stored() / 100", "stored() / 10", "RemovalTests"),
    ("removals that were doubted are forgotten in the next run",
     "{ Set(doubted.keys).union(unreadableLists) }", "{ Set(unreadableLists) }", "RemovalTests"),
    ("a participant is the same in any project", "stored != found\n", "stored.last != found.last\n", "OwnerTests"),
    ("another server's data is added to an account", "guard stored[1] == address else",
     "guard stored[1] == .null || stored[1] == address else", "SyncLimitTests"),
    ("a list that was refused is not said", "        } else {\n            add(",
     "        } else if isService {\n            add(", "ParticipantSyncTests"),
    ("the failure of another list is not said", "if isService, failure == nil {",
     "if isService {", "ExistSyncTests"),
    ("what the margin may leave out is removed", "addingTimeInterval(margin)", "addingTimeInterval(-86_400)",
     "DeviceDataV2SyncTests"),
    ("values on a page with one that is unreadable are removed", "if unreadable.lost == 0, !page.results.isEmpty {",
     "if !page.results.isEmpty {", "SyncLimitTests"),
    ("an empty page removes values", "if unreadable.lost == 0, !page.results.isEmpty {", "if unreadable.lost == 0 {",
     "ExistSyncTests"),
    ("items on a page with one that is unreadable are removed", "progress.isWhole && page.unreadable.lost == 0",
     "progress.isWhole", "SyncLimitTests"),
    ("an attribute that is unreadable is removed", 'if found.isWhole { count +=', 'if true { count +=', "SyncLimitTests"),
    ("the sync goes on with a token that was refused", "isRefusal || failureKind == .unreadable && !lacksToken",
     "isRefusal || [.unreadable, .unauthorized].contains(failureKind)", "SyncLimitTests"),
    ("a page that is refused is read from the first one", "error.failureKind != .forbidden,", "true,",
     "ParticipantSyncTests"),
    ("a list of which nothing could be read is not asked again", "Set(doubted.keys).union(unreadableLists)",
     "Set(doubted.keys)", "LossTests"),
    ("a list of which nothing could be read is no gap", "guard isStored else { continue }", "continue", "LossTests"),
    ("pages before one that failed are forgotten", "if !all.items.isEmpty { _ = try store(all) }", "", "LossTests"),
    ("empty windows are read to the counted beginning", "guard emptyWindows >= Self.mostEmpty,", "guard emptyWindows < 0,",
     "ValueRequestPlanTests"),
    ("a pause ends a history", "attribute.isComplete = values == 0",
     "attribute.isComplete = true", "ValueRequestPlanTests"),
    ("a trigger on a table of the user's own is let through", 'object[0] == "trigger" || names', "names", "HistoryFileTests"),
    ("an index on a table of ours is let through", " || names.contains(object[2])", "", "HistoryFileTests"),
    ("erasing leaves what was there in unused parts", """        try compact()
        return erased""", "        return erased", "ErasureTests"),
    ("a database stays as it is only for writers", '_ = pledge_sqlite_run(handle, "PRAGMA journal_mode = DELETE")', "",
     "HistoryFileTests"),
    ("what others have put beside a database is read", "return foreign != nil || beside.isEmpty", "return beside.isEmpty",
     "HistoryFileTests"),
    ("a text in pieces on two pages is not found", "length == page.count, continues(", "length == 0, continues(",
     "TextSearchTests"),
    ("a number is not looked for as one", "return number == row[column] ||", "return false &&", "TextSearchTests"),
    ("runs are kept for longer than is said", ".integer(runsKept)", ".integer(2 * runsKept)", "ArticleTests"),
    ("values of an attribute that is gone are in a view", """attribute.group_label AS "group", value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL""",
     """attribute.group_label AS "group", value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id""", "HistoriesTests"),
    ("all accounts are read in full in the same night", "(account.integer ?? 0) % max(1, every)", "0", "ExistSyncTests"),
    ("a list resumes again at a page of which nothing could be read", "            first.page = nil\n            first.nextBookmark = nil\n",
     "            first.nextBookmark = nil\n", "ParticipantSyncTests"),
]
