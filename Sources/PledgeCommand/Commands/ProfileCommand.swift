import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeCoding
import PledgeHTTP

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
        return 0
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
                "username": user.username, "name": MyDataHelpsWords.fullName(user.firstName, user.lastName),
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
                "name": MyDataHelpsWords.fullName(person.demographics.firstName, person.demographics.lastName),
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

/// The size in bytes at which rows are printed. Rendering a table takes several times as much memory.
private let pieceSize = 4 << 20

extension Account {
    /// Returns a listing of the account's data, with warnings about undecodable items.
    func listing(columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String) -> Listing {
        Listing(columns: columns, rows: rows, isDemo: isDemo, emptyMessage: emptyMessage, warnings: warnings.all)
    }

    /// Prints a row for each item for which `row` returns cells, and then warnings about undecodable items.
    ///
    /// Rows are printed as they arrive, in large pieces, so that memory use does not depend on how many there are. Each
    /// piece is sorted by the timestamp in `column`. If an item comes twice, because the service inserts others
    /// meanwhile, it is printed once. The first error ends the listing, unless `isSkipped` returns true for it.
    ///
    /// - Returns: The number of items that came a second time.
    @discardableResult
    func list<Request: PagedRequest>(
        _ lists: [PageSequence<Request>], by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        columns: [Listing.Column], newestBy column: Int, emptyMessage: String,
        _ arguments: Arguments, continuingAfter isSkipped: @escaping @Sendable (any Error) -> Bool = { _ in false },
        row: @escaping @Sendable (Request.Page.Element) -> [Listing.Cell]?
    ) throws -> Int where Request.Page: Sequence {
        var listing = Listing(columns: columns, rows: [], isDemo: isDemo, emptyMessage: emptyMessage)
        listing.isLast = false
        // The rows that are not printed yet, and their approximate size in bytes.
        let piece = Locked((listing: listing, size: 0))
        let known = Locked((items: Set<HashKey>(), again: 0))
        @Sendable func print(_ piece: inout (listing: Listing, size: Int)) throws {
            piece.listing.rows.sort { $0[column].date ?? .distantPast > $1[column].date ?? .distantPast }
            try piece.listing.write(arguments)
            piece.listing.rows = []
            piece.listing.isFirst = false
            piece.size = 0
        }
        // One list after another, because the pages of all lists together would take several times the memory.
        try lists.reduce(Promise()) { before, pages in
            before.then { _ -> Promise<Void> in
                pages.forEach { decoded in
                    let new = known.withLock { known in
                        let new = decoded.value.filter { known.items.insert(identity($0)).inserted }
                        known.again += decoded.value.reduce(-new.count) { count, _ in count + 1 }
                        return new
                    }
                    for cells in new.lazy.compactMap(row) {
                        try piece.withLock { piece in
                            piece.listing.rows.append(cells)
                            piece.size += cells.reduce(64) { size, cell in
                                if case .text(let text) = cell { size + 48 + text.utf8.count } else { size + 48 }
                            }
                            if piece.size > pieceSize { try print(&piece) }
                        }
                    }
                    return true
                }.recover(on: nil) { error in
                    guard isSkipped(error) else { throw error }
                }
            }
        }.wait()
        try piece.withLock { piece in
            piece.listing.warnings = warnings.all
            piece.listing.isLast = true
            try print(&piece)
        }
        return known.withLock(\.again)
    }
}
