import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge status`: lists the accounts. It shows whether each account works, when its token expires, and how many
/// requests are left.
enum StatusCommand {
    static let command = Command(
        name: "status", summary: "show the accounts, when their tokens expire, and the remaining requests",
        part: .accounts,
        options: Listing.options + Access.requests,
        examples: [
            "pledge status --json | jq -r '.[].valid_until'": "for a job that warns before a token expires"
        ]
    ) { arguments in
        let rows = try accountRows(arguments)
        let emptyMessage = "There is no account: sign in with “pledge login”."
        if rows.isEmpty, !arguments.terminal.outputIsTerminal { arguments.terminal.notify(emptyMessage) }
        let listing = Listing(
            columns: [
                .init("service", "Service"), .init("account", "Account"), .init("origin", "From"),
                .init("state", "State"), .init("valid_until", "Valid until"),
                .init("requests_left", "Requests left"), .init("resets_at", "Resets at"),
            ], rows: rows, emptyMessage: emptyMessage)
        try listing.write(arguments)
        return !rows.isEmpty && rows.allSatisfy { $0.contains(works) } ? .success : .failure
    }

    private static let works = Listing.Cell.text("works")

    private static func accountRows(_ arguments: Arguments) throws -> [[Listing.Cell]] {
        let access = try Access(arguments)
        // The accounts whose tokens are in the environment.
        var rows = try Access.Service.allCases.compactMap { service in
            try access.given(service).map { try row(service, $0, service.tokenName, access) }
        }
        guard let store = ProfileStore(arguments.environment, saying: arguments.terminal) else { return rows }
        for name in try store.names {
            let origin = "profile \(name)"
            do {
                guard let profile = try store.load(name) else { continue }
                for service in Access.Service.allCases {
                    guard let credential = try access.credential(service, in: profile, named: name, store) else {
                        continue
                    }
                    // The profile is loaded again after the request, because the request may have renewed the token.
                    rows.append(
                        try row(service, credential, origin, access) {
                            service == .exist ? try store.load(name)?.exist?.token.expiresAt : nil
                        })
                }
            } catch {
                // A damaged profile gets a row with its error. The other profiles are still listed.
                rows.append(row("", .failure(error), origin))
            }
        }
        return rows
    }

    private static func row(
        _ service: Access.Service, _ credential: Credential, _ origin: String, _ access: Access,
        expires: () throws -> Date? = { nil }
    ) throws -> [Listing.Cell] {
        let (name, left, resets): (Result<String, any Error>, Int?, Date?)
        switch service {
        case .exist:
            let existAPI = access.exist(credential).client
            name = Result { try existAPI.user().wait().user.username }
            left = existAPI.rateLimit?.remaining
            resets = existAPI.rateLimit?.resetsAt
        case .mydatahelps:
            let session = access.participant(credential).client
            name = Result { try session.getParticipantInfo().wait().participantIdentifier }
            left = session.rateLimit?.remainingRequests
            resets = session.rateLimit?.nextReset
        }
        return row(service.title, name, origin, until: try expires(), left: left, resets: resets)
    }

    private static func row(
        _ service: String, _ account: Result<String, any Error>, _ origin: String, until: Date? = nil,
        left: Int? = nil, resets: Date? = nil
    ) -> [Listing.Cell] {
        let name = (try? account.get()).map(Listing.Cell.text) ?? .nothing
        var state = works
        if case .failure(let error) = account { state = .text("\(error)") }
        return [
            .text(service), name, .text(origin), state, .timestamp(until), left.map { .number(Double($0)) } ?? .nothing,
            .timestamp(resets),
        ]
    }
}
