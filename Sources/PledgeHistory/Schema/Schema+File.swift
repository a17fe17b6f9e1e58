extension Schema {
    /// The number of the format, which the file has as its `user_version`.
    static let format = 1
    /// The `application_id` of this program's files.
    private static let applicationID = 0x504C_4447

    /// Creates the tables and views, all or none, in a file that has none yet.
    static func create(in database: Database) throws {
        try database.transaction {
            try database.runAll(script)
            try database.run("PRAGMA application_id = \(applicationID)")
            try database.run("PRAGMA user_version = \(format)")
        }
    }

    /// Returns whether the file has the tables and views, rather than nothing at all. Throws, before any change, if the
    /// file is another program's or of a later format.
    static func isThere(in database: Database) throws -> Bool {
        let id = try database.value("PRAGMA application_id").integer ?? 0
        let version = try database.value("PRAGMA user_version").integer ?? 0
        guard id == applicationID else {
            let isEmpty = try database.value("SELECT count(*) FROM sqlite_master") == 0
            if isEmpty, id == 0, version == 0 { return false }
            throw DatabaseError(
                .notOurs, "\(database.file) is a database of another program: choose another file. It was not changed.")
        }
        guard version <= format else {
            throw DatabaseError(
                .tooNew,
                "\(database.file) has the format \(version), and this program knows none after \(format): update the "
                    + "program. The file was not changed.")
        }
        guard version == format else {
            throw DatabaseError(.corrupt, DatabaseError.corrupt(database.file, "its format is \(version)"))
        }
        try check(database)
        return true
    }

    /// Checks that tables, indexes, and views are as they were created, before any is used: a view or a trigger in
    /// their place may run for ever, and change what is stored. Further tables, with their indexes, and views may be
    /// the user's own, and are never used. A trigger may not, although none ever runs while this program has the file
    /// open.
    private static func check(_ database: Database) throws {
        let objects = "SELECT type, name, tbl_name, sql FROM sqlite_master"
        let model = try Database.inMemory()
        try model.runAll(script)
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
