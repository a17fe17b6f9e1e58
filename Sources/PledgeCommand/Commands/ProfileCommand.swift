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

/// The number of bytes of rows that are collected before they are printed as one piece. A larger piece would need too
/// much memory, because rendering a table takes several times the memory of its rows.
private let pieceSize = 4 << 20

extension Account {
    /// Returns a listing of the account's data, with warnings about items that could not be read.
    func listing(columns: [Listing.Column], rows: [[Listing.Cell]], emptyMessage: String) -> Listing {
        Listing(columns: columns, rows: rows, isDemo: isDemo, emptyMessage: emptyMessage, warnings: warnings.all)
    }

    /// Prints a row for each item of one or more lists, and then warnings about items that could not be read.
    ///
    /// Rows are printed in large pieces while the items arrive, so that memory use doesn't depend on the number of
    /// items. Each piece is sorted. If the service inserts items meanwhile, it may send an item twice. Such an item is
    /// printed only once.
    ///
    /// - Parameters:
    ///   - lists: The lists, which are read one after another.
    ///   - identity: Returns a key that identifies an item.
    ///   - column: The index of the column with the timestamps by which each piece is sorted, newest first.
    ///   - isSkipped: Returns whether the listing continues with the next list after this error. Any other error ends
    ///     the listing.
    ///   - row: Returns the cells of an item, or nil if the item is not to be printed.
    /// - Returns: The number of items that the service sent again.
    @discardableResult
    func list<Request: PagedRequest>(
        _ lists: [PageSequence<Request>], by identity: @escaping @Sendable (Request.Page.Element) -> HashKey,
        columns: [Listing.Column], newestBy column: Int, emptyMessage: String,
        _ arguments: Arguments, continuingAfter isSkipped: @escaping @Sendable (any Error) -> Bool = { _ in false },
        row: @escaping @Sendable (Request.Page.Element) -> [Listing.Cell]?
    ) throws -> Int where Request.Page: Sequence {
        var listing = Listing(columns: columns, rows: [], isDemo: isDemo, emptyMessage: emptyMessage)
        listing.isLast = false
        // The rows that have not been printed yet, and their approximate size in bytes.
        let piece = Locked((listing: listing, size: 0))
        let known = Locked((items: Set<HashKey>(), again: 0))
        @Sendable func print(_ piece: inout (listing: Listing, size: Int)) throws {
            piece.listing.rows.sort { $0[column].date ?? .distantPast > $1[column].date ?? .distantPast }
            try piece.listing.write(arguments)
            piece.listing.rows = []
            piece.listing.isFirst = false
            piece.size = 0
        }
        // The lists are read one after another. Reading all of them at the same time would take several times the
        // memory.
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
