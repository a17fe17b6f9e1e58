/// The definitions of the tables and views of a history. A released format never changes.
enum Schema {
    static let script = tables + trigger + views

    private static let tables = """
        CREATE TABLE account (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            service TEXT NOT NULL,
            name TEXT NOT NULL,
            username TEXT,
            first_name TEXT,
            last_name TEXT,
            time_zone TEXT,
            utc_offset INTEGER,
            imperial_distance INTEGER,
            imperial_weight INTEGER,
            imperial_energy INTEGER,
            imperial_liquid INTEGER,
            imperial_temperature INTEGER,
            day TEXT,
            address TEXT,
            UNIQUE (service, name)
        );
        CREATE INDEX account_by_name ON account (name);
        CREATE TABLE attribute (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            label TEXT NOT NULL,
            group_name TEXT NOT NULL,
            group_label TEXT NOT NULL,
            group_priority INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            template TEXT,
            value_type INTEGER NOT NULL,
            value_type_name TEXT,
            unit TEXT,
            service TEXT,
            manual INTEGER,
            active INTEGER,
            removed TEXT,
            PRIMARY KEY (account, name)
        ) WITHOUT ROWID;
        CREATE TABLE value (
            account INTEGER NOT NULL,
            attribute TEXT NOT NULL,
            day TEXT NOT NULL,
            value NOT NULL,
            removed TEXT,
            PRIMARY KEY (account, attribute, day),
            FOREIGN KEY (account, attribute) REFERENCES attribute (account, name) ON DELETE CASCADE
        ) WITHOUT ROWID;
        CREATE TABLE average (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            attribute TEXT NOT NULL,
            day TEXT NOT NULL,
            overall REAL,
            monday REAL,
            tuesday REAL,
            wednesday REAL,
            thursday REAL,
            friday REAL,
            saturday REAL,
            sunday REAL,
            PRIMARY KEY (account, attribute)
        ) WITHOUT ROWID;
        CREATE TABLE correlation (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            attribute TEXT NOT NULL,
            attribute2 TEXT NOT NULL,
            category TEXT NOT NULL,
            days_between INTEGER NOT NULL,
            day TEXT NOT NULL,
            period INTEGER,
            value REAL NOT NULL,
            p REAL,
            percentage REAL,
            stars INTEGER,
            sentence TEXT,
            strength TEXT,
            certainty TEXT,
            description TEXT,
            occurrence TEXT,
            rating TEXT,
            PRIMARY KEY (account, attribute, attribute2, category, days_between)
        ) WITHOUT ROWID;
        CREATE TABLE insight (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            created TEXT NOT NULL,
            created_offset INTEGER,
            type TEXT NOT NULL,
            day TEXT,
            attribute TEXT,
            period INTEGER,
            priority INTEGER,
            text TEXT NOT NULL,
            html TEXT NOT NULL,
            removed TEXT,
            PRIMARY KEY (account, created, type)
        ) WITHOUT ROWID;
        CREATE TABLE project (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            description TEXT,
            code TEXT NOT NULL,
            type TEXT NOT NULL,
            organization_id TEXT NOT NULL,
            organization TEXT NOT NULL,
            support_email TEXT,
            support_phone TEXT,
            learn_more TEXT
        ) WITHOUT ROWID;
        CREATE TABLE participant (
            account INTEGER PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            identifier TEXT NOT NULL,
            secondary_identifier TEXT,
            link_identifier TEXT,
            project TEXT NOT NULL,
            enrolled TEXT,
            first_name TEXT,
            middle_name TEXT,
            last_name TEXT,
            email TEXT,
            mobile_phone TEXT,
            street1 TEXT,
            street2 TEXT,
            city TEXT,
            state TEXT,
            postal_code TEXT,
            date_of_birth TEXT,
            language TEXT,
            gender TEXT,
            time_zone TEXT,
            utc_offset TEXT,
            unsubscribed_from_emails INTEGER NOT NULL,
            unsubscribed_from_sms INTEGER NOT NULL,
            custom_fields TEXT NOT NULL
        );
        CREATE TABLE device_data_point (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            namespace TEXT NOT NULL,
            type TEXT NOT NULL,
            value NOT NULL,
            units TEXT,
            started TEXT,
            started_offset INTEGER,
            observed TEXT,
            observed_offset INTEGER,
            inserted TEXT NOT NULL,
            modified TEXT NOT NULL,
            identifier TEXT,
            context TEXT,
            source TEXT,
            source_properties TEXT,
            properties TEXT NOT NULL,
            removed TEXT,
            value_text TEXT,
            PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE INDEX device_data_point_by_type ON device_data_point (account, namespace, type, observed);
        CREATE INDEX device_data_point_by_change ON device_data_point (account, namespace, modified);
        CREATE TABLE device_data_point_v2 (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            namespace TEXT NOT NULL,
            type TEXT NOT NULL,
            day TEXT,
            value NOT NULL,
            units TEXT,
            started_local TEXT,
            started_offset INTEGER,
            observed_local TEXT,
            observed_offset INTEGER,
            inserted TEXT NOT NULL,
            modified TEXT NOT NULL,
            identifier TEXT,
            properties TEXT NOT NULL,
            data_source TEXT NOT NULL,
            removed TEXT,
            value_text TEXT,
            PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE INDEX device_data_point_v2_by_type
            ON device_data_point_v2 (account, namespace, type, observed_local);
        CREATE INDEX device_data_point_v2_by_day ON device_data_point_v2 (account, day);
        CREATE TABLE survey_task (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            survey_id TEXT NOT NULL,
            survey TEXT NOT NULL,
            title TEXT NOT NULL,
            description TEXT NOT NULL,
            status TEXT NOT NULL,
            has_saved_progress INTEGER NOT NULL,
            started TEXT,
            started_offset INTEGER,
            ended TEXT,
            ended_offset INTEGER,
            due TEXT,
            due_offset INTEGER,
            inserted TEXT NOT NULL,
            modified TEXT NOT NULL,
            link_identifier TEXT,
            removed TEXT,
            PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE TABLE survey_answer (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            result TEXT NOT NULL,
            survey_id TEXT NOT NULL,
            survey TEXT NOT NULL,
            title TEXT NOT NULL,
            version INTEGER NOT NULL,
            task TEXT,
            step TEXT NOT NULL,
            question TEXT NOT NULL,
            answer,
            answers TEXT NOT NULL,
            answered TEXT,
            answered_offset INTEGER,
            inserted TEXT NOT NULL,
            removed TEXT,
            PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE INDEX survey_answer_by_submission ON survey_answer (account, inserted);
        CREATE TABLE notification (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            identifier TEXT NOT NULL,
            type TEXT NOT NULL,
            status TEXT NOT NULL,
            sent TEXT NOT NULL,
            title TEXT,
            body TEXT,
            content TEXT,
            removed TEXT,
            PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE TABLE external_account (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            id INTEGER NOT NULL,
            provider_id INTEGER NOT NULL,
            provider TEXT NOT NULL,
            category TEXT NOT NULL,
            status TEXT NOT NULL,
            refreshed TEXT,
            removed TEXT,
            PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        CREATE TABLE sync_run (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            started TEXT NOT NULL,
            ended TEXT,
            outcome TEXT,
            error TEXT,
            requests INTEGER NOT NULL DEFAULT 0,
            added INTEGER NOT NULL DEFAULT 0,
            changed INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0,
            kind TEXT
        );
        CREATE INDEX sync_run_by_account ON sync_run (account);
        CREATE TABLE sync_state (
            account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            list TEXT NOT NULL,
            name TEXT NOT NULL,
            bookmark TEXT,
            oldest TEXT,
            begins TEXT,
            is_complete INTEGER NOT NULL,
            page TEXT,
            next_bookmark TEXT,
            inactive TEXT,
            PRIMARY KEY (account, list, name)
        ) WITHOUT ROWID;
        """

    /// A trigger that deletes the rows of a deleted account, in case another program deletes the account.
    private static let trigger = """
        CREATE TRIGGER account_deleted AFTER DELETE ON account BEGIN
            \(children.map { "DELETE FROM \($0) WHERE account = OLD.id;" }.joined(separator: "\n    "))
            \(unusedProjects);
        END;\n
        """

    /// A statement that deletes the projects that no stored participant belongs to.
    static let unusedProjects = "DELETE FROM project WHERE id NOT IN (SELECT project FROM participant)"

    /// The tables whose rows belong to an account, in the order in which the rows can be deleted. A table that refers
    /// to another table comes before that table.
    static let children = [
        "value", "attribute", "average", "correlation", "insight", "participant", "device_data_point",
        "device_data_point_v2", "survey_task",
        "survey_answer", "notification", "external_account", "sync_state", "sync_run",
    ]
}

extension Schema {
    /// The views leave out rows that are marked as removed, and all values of removed attributes.
    ///
    /// `CROSS JOIN` fixes the order in which SQLite reads the tables: first the accounts, then the attributes and
    /// values of each account by their keys.
    static let views = """
        CREATE VIEW daily AS
            SELECT account.name AS account, value.day, value.attribute, attribute.label,
                attribute.group_label AS "group", value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL
            CROSS JOIN value ON value.account = attribute.account AND value.attribute = attribute.name
                AND value.removed IS NULL;
        CREATE VIEW latest AS
            SELECT account.name AS account, attribute.name AS attribute, attribute.label,
                attribute.group_label AS "group", value.day, value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL
            CROSS JOIN value ON value.account = attribute.account AND value.attribute = attribute.name
                AND value.day = (SELECT max(day) FROM value AS newer
                    WHERE newer.account = attribute.account AND newer.attribute = attribute.name
                        AND newer.removed IS NULL);
        CREATE VIEW weekly AS
            SELECT account.name AS account,
                strftime('%Y', value.day, '-3 days', 'weekday 4') || '-W'
                    || substr('0' || ((strftime('%j', value.day, '-3 days', 'weekday 4') - 1) / 7 + 1), -2) AS week,
                date(value.day, 'weekday 0', '-6 days') AS monday, value.attribute, attribute.label,
                attribute.group_label AS "group", count(*) AS days, avg(value.value) AS average,
                min(value.value) AS lowest, max(value.value) AS highest, sum(value.value) AS total, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL
            CROSS JOIN value ON value.account = attribute.account AND value.attribute = attribute.name
                AND value.removed IS NULL
            WHERE typeof(value.value) IN ('integer', 'real')
            GROUP BY account.name, account.id, value.attribute, date(value.day, 'weekday 0', '-6 days');
        """
}

extension Schema {
    /// The number of this format. A file stores it as its `user_version`.
    static let format = 1
    /// The `application_id` that identifies a SQLite file of this program.
    private static let applicationID = 0x504C_4447

    /// Creates the tables and views in an empty file. If that fails, none of them is created.
    static func create(in database: Database) throws {
        try database.transaction {
            try database.runAll(script)
            try database.run("PRAGMA application_id = \(applicationID)")
            try database.run("PRAGMA user_version = \(format)")
        }
    }

    /// Returns true if the file has the tables and views of a history, and false if the file is empty. Throws an error
    /// if the file belongs to another program or has a later format. The file is not changed in any of these cases.
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
                "\(database.file) has the format \(version), but this program only knows formats up to \(format): "
                    + "update the program. The file was not changed.")
        }
        guard version == format else {
            throw DatabaseError(.corrupt, DatabaseError.corrupt(database.file, "its format is \(version)"))
        }
        try check(database)
        return true
    }

    /// Checks that the tables, indexes, and views are as this program creates them. They are checked before they are
    /// used, because someone may have put a view or a trigger in their place, which might run forever or change stored
    /// data.
    ///
    /// Users may add views, and tables with indexes, because this program never uses them. Added triggers are refused,
    /// although no trigger runs while this program has the file open.
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
            "\(database.file) is not as this program created it (\(wrong[0]) “\("\(wrong[1])".prefix(40))”): choose "
                + "another file, or undo that change. The file was not changed.")
    }
}
