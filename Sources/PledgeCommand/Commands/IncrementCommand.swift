import ExistKit

enum IncrementCommand {
    static let command = Command(
        name: "increment", summary: "add to a day's totals in Exist", part: .writing,
        operands: .init(form: "NAME=VALUE…", count: .atLeastOne),
        options: [SetCommand.on, SetCommand.takeOver, SetCommand.wait] + Listing.options + Access.options,
        examples: [
            "pledge increment water=250 coffees=1": "add a glass and a cup, and print the new totals"
        ],
        notes: [
            .init(
                title: "ERRORS",
                text: """
                    An increment that may have been received is never sent again automatically: after an error, check
                    “pledge attributes” before you repeat the command.
                    """)
        ]
    ) { arguments in
        try Writing.run(arguments, adds: true)
    }
}
