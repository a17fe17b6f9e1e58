/// The steps that bring a file from any older version to this one.
struct Migrations {
    /// Tells a file of ours from another program's.
    let applicationID: Int
    /// The first makes version 1, and so on; a step that was released is never changed.
    let steps: [String]

    /// Brings a database up to date, each step in one transaction.
    ///
    /// - Throws: ``DatabaseError``, before anything is changed, if the file is another program's or newer than this one.
    func apply(to database: Database) throws {
        var version = try check(database)
        while version < steps.count {
            try database.transaction {
                // Again, now that nobody else can write: another process may have been faster.
                version = try check(database)
                guard version < steps.count else { return }
                try database.runAll(steps[version])
                version += 1
                try database.run("PRAGMA application_id = \(applicationID)")
                try database.run("PRAGMA user_version = \(version)")
            }
        }
    }

    /// - Returns: which version the file is; 0 for an empty one.
    func check(_ database: Database) throws -> Int {
        let id = try database.value("PRAGMA application_id").integer ?? 0
        let version = try database.value("PRAGMA user_version").integer ?? 0
        let isEmpty = try database.value("SELECT count(*) FROM sqlite_master").integer == 0
        if id != applicationID {
            guard isEmpty, id == 0, version == 0 else {
                throw DatabaseError(
                    .notOurs,
                    "\(database.file) is a database of another program: name another file. It was left as it is.")
            }
            return 0
        }
        guard version <= steps.count else {
            throw DatabaseError(
                .tooNew,
                "\(database.file) was written by a newer version of this program (its format is \(version), and this "
                    + "one knows \(steps.count)): update the program. The file was left as it is.")
        }
        return version
    }
}
