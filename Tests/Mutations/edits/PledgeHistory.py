# Each mistake has a name, the code that it replaces, the wrong code, and the tests that should notice the mistake. The code to
# replace must occur exactly once in the module.
edits = [
    ("two columns are exchanged", "SQLValue(strengthDescription), SQLValue(starsDescription)",
     "SQLValue(starsDescription), SQLValue(strengthDescription)", "StoredAccountTests"),
    ("two columns are exchanged where they are read back", 'startDate: row.date("started"), endDate: row.date("ended")',
     'startDate: row.date("ended"), endDate: row.date("started")', "StoredAccountTests"),
    ("the state of a list is stored before its rows", """            try self.write { database in
                var count = try database.put(rows, into: list)
""", """            try self.write { database in
                try self.put([(name, state)], of: list, in: database)
                return ChangeCount()
            }
            try self.write { database in
                var count = try database.put(rows, into: list)
""", "SyncLimitTests"),
    ("the bookmark of values is stored before them", """        try run.write { database in
            var count = try write(database)
""", """        let states = zip(old.attributes, new.attributes).filter { $0.state != $1.state }.map(\\.1)
        try run.write { database in
            try run.put(states.map { ($0.name, $0.state) }, of: "value", in: database)
            return ChangeCount()
        }
        try run.write { database in
            var count = try write(database)
""", "SyncLimitTests"),
    ("the overlap is a day too short", "cursor = min(newest, today).advanced(by: -overlap)",
     "cursor = min(newest, today).advanced(by: 1 - overlap)", "ValuePlanTests"),
    ("a day between two windows is not read", "last >= today ? nil : last.advanced(by: 1)",
     "last >= today ? nil : last.advanced(by: 2)", "ValuePlanTests"),
    ("a window into the past is a day too long", "last.advanced(by: 1 - ExistAPI.mostDaysPerRequest)",
     "last.advanced(by: -ExistAPI.mostDaysPerRequest)", "ValuePlanTests"),
    ("a day in the future is a bookmark", "newest = attribute.newest.map { min($0, latest) }",
     "newest = attribute.newest", "ValuePlanTests"),
    ("an attribute is out of use a day too early", "newest >= inactive.advanced(by: overlap)",
     "newest >= inactive.advanced(by: overlap - 1)", "ValuePlanTests"),
    ("a time stamp in the future is a bookmark", "TimestampColumn.text(min($0, now))",
     "TimestampColumn.text(($0, now).0)", "SyncLimitTests"),
    ("tasks of the same moment on the next page are not read", "guard isLast || oldest < end else",
     "guard isLast || oldest <= end else", "SyncLimitTests"),
    ("ten removals are doubted", "if sum > Self.fewRows {", "if sum >= Self.fewRows {", "SyncLimitTests"),
    ("each attribute may lose ten values", "missing.removed[table.name, default: 0] + count", "count",
     "SyncLimitTests"),
    ("a tenth may be removed", "(stored.integer ?? 0) / 100", "(stored.integer ?? 0) / 10", "RemovalTests"),
    ("removals that were doubted are forgotten in the next run",
     "let again = missing.withLock { Set($0.doubted.keys).union($0.unread) }",
     "let again = missing.withLock { Set($0.unread) }", "RemovalTests"),
    ("a participant is the same in any project", "stored != found\n", "stored.last != found.last\n", "OwnerTests"),
    ("another server's data is added to an account", "guard stored[1] == address else",
     "guard stored[1] == .null || stored[1] == address else", "SyncLimitTests"),
    ("a list that was refused is not said", "            } else {\n                missing.add(",
     "            } else if isService {\n                missing.add(", "ParticipantSyncTests"),
    ("the failure of another list is not said", "if isService, missing.failure == nil {",
     "if isService {", "ExistSyncTests"),
    ("what the margin may leave out is removed", "addingTimeInterval(margin)", "addingTimeInterval(-86_400)",
     "DeviceDataV2SyncTests"),
    ("values on a page with one that is unreadable are removed", "lost == 0 && !page.results.isEmpty ?",
     "!page.results.isEmpty ?", "SyncLimitTests"),
    ("an empty page removes values", "lost == 0 && !page.results.isEmpty ?", "lost == 0 ?",
     "ExistSyncTests"),
    ("items on a page with one that is unreadable are removed", "seen.isWhole && unreadable.lost == 0",
     "seen.isWhole", "SyncLimitTests"),
    ("an attribute that is unreadable is removed", 'removing: isWhole ? run.removal(of: "attribute") : nil',
     'removing: run.removal(of: "attribute")', "SyncLimitTests"),
    ("the sync goes on with a token that was refused", "isRefusal || failureKind == .unreadable && !lacksToken",
     "isRefusal || [.unreadable, .unauthorized].contains(failureKind)", "SyncLimitTests"),
    ("a page that is refused is read from the first one", "error.failureKind != .forbidden,", "true,",
     "ParticipantSyncTests"),
    ("a list of which nothing could be read is not asked again", "Set($0.doubted.keys).union($0.unread) }",
     "Set($0.doubted.keys) }", "LossTests"),
    ("a list of which nothing could be read is no gap", "guard isStored else { continue }", "continue", "LossTests"),
    ("pages before one that failed are forgotten", "if !all.items.isEmpty { try store(all) }", "", "LossTests"),
    ("empty windows are read to the counted beginning", "guard emptyWindows >= Self.mostEmpty,", "guard emptyWindows < 0,",
     "ValuePlanTests"),
    ("a pause ends a history", "attributes[index].isComplete = values == 0",
     "attributes[index].isComplete = true", "ValuePlanTests"),
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
    ("runs are kept for longer than is said", ".integer(Self.runsKept)", ".integer(2 * Self.runsKept)", "ArticleTests"),
    ("values of an attribute that is gone are in a view", """attribute.group_label AS "group", value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL""",
     """attribute.group_label AS "group", value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id""", "HistoriesTests"),
    ("all accounts are read in full in the same night", "account % max(1, every)", "0", "ExistSyncTests"),
]
