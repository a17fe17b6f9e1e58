import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding

/// `pledge profile`: shows the owner of the account.
enum ProfileCommand {
    static let isMyDataHelps = Option.flag("--mydatahelps", "show the MyDataHelps participant instead")

    static let command = Command(
        name: "profile", summary: "show the account's owner, time zone, and units", part: .reading,
        options: [isMyDataHelps] + Listing.options + Access.options,
        examples: ["pledge profile --json": "for use in a script"]
    ) { arguments in
        let access = try Access(arguments)
        try (arguments[isMyDataHelps] ? participant(access.participant()) : user(access.exist())).write(arguments)
        return .success
    }

    private static func listing<Client>(
        of account: Account<Client>, _ facts: KeyValuePairs<String, String?>
    ) -> Listing {
        account.listing(
            columns: [.init("field", "Field"), .init("value", "Value")],
            rows: (Array(facts) + [("source", account.source)]).compactMap { name, value in
                value.map { [.text(name), .text($0)] }
            }, emptyMessage: "")
    }

    private static func user(_ account: Account<ExistAPI>) throws -> Listing {
        let user = try account.client.user().wait().user
        func units(_ isImperial: Bool, _ imperial: String, _ metric: String) -> String {
            isImperial ? imperial : metric
        }
        return listing(
            of: account,
            [
                "username": user.username, "name": fullName(user.firstName, user.lastName),
                "time zone": user.timezone,
                "today": user.today.description, "distance": units(user.imperialDistance, "miles", "kilometers"),
                "weight": units(user.imperialWeight, "pounds", "kilograms"),
                "energy": units(user.imperialEnergy, "kilocalories", "kilojoules"),
                "liquid": units(user.imperialLiquid, "fluid ounces", "milliliters"),
                "temperature": units(user.imperialTemperature, "Fahrenheit", "Celsius"),
                "trial": user.trial ? "yes" : nil,
            ])
    }

    private static func participant(_ account: Account<ParticipantSession>) throws -> Listing {
        let (person, project) = try when(
            fulfilled: account.client.getParticipantInfo(), account.client.getProjectInfo()
        ).wait()
        return listing(
            of: account,
            [
                "participant": person.participantIdentifier,
                "name": fullName(person.demographics.firstName, person.demographics.lastName),
                "project": project.name, "organization": project.organization.name,
                "enrolled": person.enrollmentDate.map { Timestamp.text($0) },
            ])
    }
}

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
