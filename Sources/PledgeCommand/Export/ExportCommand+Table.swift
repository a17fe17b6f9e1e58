extension ExportCommand {
    static let command = Command(
        name: "export", summary: "the data of many accounts, a line of JSON for each", part: .machines,
        operands: .init(form: "[accounts.jsonl]", count: 0...1, completes: .files)
    ) { arguments, environment in
        try ExportCommand(options: ExportOptions(arguments.operands), environment: environment).run()
    }
}
