/// The steps that migrate a file from any older version to the current one.
struct Migrations {
    /// The identifier in the file that marks it as one of this program's.
    let applicationID: Int
    /// The SQL of each step; the first creates version 1. A step that was released is never changed.
    let steps: [String]

    /// Migrates a database to the current version, with one transaction per step.
    ///
    /// - Throws: ``DatabaseError``, before any change, if the file is another program's or has a newer version.
    func apply(to database: Database) throws {
        var version = try check(database)
        while version < steps.count {
            try database.transaction {
                // Checked again inside the transaction, because another process may have been faster.
                version = try check(database)
                guard version < steps.count else { return }
                try database.runAll(steps[version])
                version += 1
                try database.run("PRAGMA application_id = \(applicationID)")
                try database.run("PRAGMA user_version = \(version)")
            }
        }
    }

    /// - Returns: The version of the file; 0 for an empty one.
    func check(_ database: Database) throws -> Int {
        let id = try database.value("PRAGMA application_id").integer ?? 0
        let version = try database.value("PRAGMA user_version").integer ?? 0
        let isEmpty = try database.value("SELECT count(*) FROM sqlite_master").integer == 0
        if id != applicationID {
            guard isEmpty, id == 0, version == 0 else {
                throw DatabaseError(
                    .notOurs,
                    "\(database.file) is a database of another program: choose another file. It was not changed.")
            }
            return 0
        }
        guard version >= 0 else {
            throw DatabaseError(.corrupt, DatabaseError.corrupt(database.file, "its format is \(version)"))
        }
        guard version <= steps.count else {
            throw DatabaseError(
                .tooNew,
                "\(database.file) has the format \(version), and this program knows none after \(steps.count): update the "
                    + "program if a newer one wrote the file, or sync into a new file if one before 1.0 did. It was not "
                    + "changed.")
        }
        try checkSchema(of: database, version)
        return version
    }

    /// Checks that tables, indexes, and views are as these steps create them, before any is used: a view or a trigger in
    /// the place of one may run for ever, and change what is stored.
    ///
    /// Further tables, with their indexes, and views, which are never used, may be the user's own. A trigger may not, although
    /// none ever runs while this program has the file open.
    private func checkSchema(of database: Database, _ version: Int) throws {
        let statistics = (1...4).map { "'sqlite_stat\($0)'" }.joined(separator: ", ")
        let objects =
            "SELECT type, name, tbl_name, sql FROM sqlite_master "
            + "WHERE type <> 'table' OR name NOT IN ('sqlite_sequence', \(statistics))"
        let model = try Database.inMemory()
        for step in steps.prefix(version) { try model.runAll(step) }
        let expected = Set(try model.rows(objects))
        let (found, names) = (Set(try database.rows(objects)), Set(expected.map { $0[1] }))
        let added = found.subtracting(expected).first { object in
            object[0] == "trigger" || names.contains(object[1]) || names.contains(object[2])
        }
        guard let wrong = added ?? expected.subtracting(found).first else { return }
        throw DatabaseError(
            .notOurs,
            "\(database.file) is not as this program made it (\(wrong[0]) “\("\(wrong[1])".prefix(40))”): choose another "
                + "file, or undo that change. The file was not changed.")
    }
}
