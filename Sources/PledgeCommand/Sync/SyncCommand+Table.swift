extension SyncCommand {
    static let command = Command(
        name: "sync", summary: "keep a SQLite database of your data up to date", part: .reading,
        operands: .init(form: "FILE.db | accounts.jsonl --database FILE.db", count: 0...1, completes: .files),
        options: SyncRequest.all,
        examples: [
            "pledge sync tracking.db": "fetches the whole history the first time, then what may have changed",
            "pledge sync accounts.jsonl --database study.db":
                "the data of many accounts; see pledge help export for the format",
        ],
        notes: [
            .init(
                title: "DATABASE",
                text: """
                    sqlite3 -header tracking.db "SELECT * FROM latest" shows the latest values; other views are daily and
                    weekly. The article “Tables” of PledgeHistory describes every table.
                    """),
            .init(
                title: "RUNS",
                text: """
                    A run can be interrupted at any time: the next one resumes there. The accounts are those of EXIST_TOKEN and
                    MYDATAHELPS_TOKEN or those that “pledge login” stored, of one service or both. With --demo, the data is
                    the built-in sandbox's, as the account “sandbox”. “pledge report --database” shows the data. Without
                    --wait, your own account waits for the service's limit as long as the first run takes.
                    """),
            .init(
                title: "EXIT CODES",
                text: """
                    0  everything is up to date
                    1  the run could not continue
                    2  some accounts failed, or lists of them
                    3  a service is down
                    4  everything is up to date but for items that could not be read
                    64  invalid command line, or input without accounts
                    130  interrupted
                    """),
        ]
    ) { arguments in
        try SyncCommand(options: SyncRequest(arguments)).run()
    }
}
