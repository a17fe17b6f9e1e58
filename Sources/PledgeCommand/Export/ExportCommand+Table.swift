extension ExportCommand {
    static let command = Command(
        name: "export", summary: "export the data of many accounts, one line of JSON for each", part: .machines,
        operands: .init(form: "[accounts.jsonl]", count: 0...1, completes: .files),
        options: ExportOptions.all,
        examples: [
            "pledge export accounts.jsonl --check": "shows what would fail",
            "pledge export accounts.jsonl --output results.jsonl --resume": "starts a run, or continues an earlier one",
            "pledge export accounts.jsonl --output results.jsonl --resume --retry unauthorized":
                "repeats only the accounts whose tokens were refused",
        ],
        notes: [input, files, codes]
    ) { arguments in
        try ExportCommand(options: ExportOptions(arguments).continuing()).run()
    }

    private static let input = Command.Note(
        title: "INPUT, one line per account",
        text: """
            Without a file, or with -, accounts are read from standard input.
            {"service":"exist","account":"NAME","token":"TOKEN"}
            {"service":"mydatahelps","account":"NAME","token":"TOKEN"}
            NAME is any name; the result has it, too. TOKEN may also be {"env":"VARIABLE"}, {"file":"PATH"},
            {"command":["PROGRAM","ARGUMENT",…]}, which prints it, or {"profile":"NAME"}, which "pledge login" stored; the
            last three get a newer one when it has ended. For MyDataHelps, it may be {"serviceAccount":{…}} with the members "name", "key" ({"file":"PATH"} or {"env":"NAME"}), "project", and
            "participant": tokens are then issued as needed.
            For a simple token of Exist, add "kind":"simple". For another server than the real service, such as the
            sandbox, add "address":"URL": https, or http on this machine. Other members are ignored.
            A token is sent only to the address in its line, or else to EXIST_BASE_URL or MYDATAHELPS_BASE_URL, or else
            to the real service. A run has one address for each service: if two lines, a line and the variable, or a line
            and the results to continue disagree, it ends (exit code 64) before it sends anything to the second one.
            """)

    private static let files = Command.Note(
        title: "FILES",
        text: """
            All files are accessible only to you (mode 600), except metrics; an existing file of another user, or with
            a wider mode, is refused. FILE may be a link of yours to the results. FILE.run stores the options of a run, so that --resume requests the same data.
            """)

    private static let codes = Command.Note(
        title: "EXIT CODES",
        text: """
            0  every account has a result
            1  the run could not continue: a full disk, results that were moved
            2  some accounts failed, or some lines could not be read
            3  stopped because a service is down; the remaining accounts have no line
            4  every account has a result, but some lack items that could not be read
            64  invalid command line, or input without accounts
            130  interrupted
            """)
}
