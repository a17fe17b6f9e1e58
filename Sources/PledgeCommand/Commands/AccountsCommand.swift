import MyDataHelpsKit

enum AccountsCommand {
    static let command = Command(
        name: "accounts", summary: "list the external accounts connected to MyDataHelps, and their status",
        part: .reading,
        options: Listing.options + Access.options,
        examples: [
            "pledge accounts --json | jq '.[] | select(.status == \"error\")'": "the accounts with a problem"
        ]
    ) { arguments in
        let account = try Access(arguments).participant()
        let accounts = try account.client.listExternalAccounts().wait()
        try account.listing(
            columns: [
                .init("account", "Account"), .init("state", "State"), .init("refreshed", "Last refreshed"),
                .init("kind", "Kind"), .init("status", nil), .init("id", nil),
            ],
            rows: accounts.map { item in
                [
                    .text(item.provider.name), .text(MyDataHelpsWords.state(item.status.rawValue)),
                    .timestamp(item.lastRefreshDate), .text(item.provider.category.rawValue),
                    .text(item.status.rawValue), .number(Double(item.id.value)),
                ]
            }, emptyMessage: "No account is connected."
        ).write(arguments)
        return account.warnings.exitCode
    }
}
