import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge status`: lists the accounts, whether they work, when they expire, and how many requests remain.
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
        if rows.isEmpty, !arguments.terminal.isPerson { arguments.terminal.tell(emptyMessage) }
        let listing = Listing(
            columns: [
                .init("service", "Service"), .init("account", "Account"), .init("origin", "From"),
                .init("state", "State"), .init("valid_until", "Valid until"),
                .init("requests_left", "Requests left"), .init("resets_at", "Resets at"),
            ], rows: rows, emptyMessage: emptyMessage)
        try listing.write(arguments)
        return !rows.isEmpty && rows.allSatisfy { $0.contains(works) } ? 0 : 1
    }

    private static let works = Listing.Cell.text("works")

    private static func accountRows(_ arguments: Arguments) throws -> [[Listing.Cell]] {
        // The environment's accounts, as any other command would find them.
        var rows = try Access.Service.allCases.filter { arguments.environment[$0.tokenName] != nil }
            .map { try row($0, Access(arguments)) }
        guard let store = ProfileStore(arguments.environment) else { return rows }
        var stored = arguments
        for service in Access.Service.allCases {
            stored.environment[service.tokenName] = nil
            stored.environment[service.addressName] = nil
        }
        for name in try store.names {
            stored.environment["PLEDGE_PROFILE"] = name
            do {
                let profile = try store.load(name)
                for service in Access.Service.allCases where profile?.account(service) != nil {
                    rows.append(try row(service, Access(stored)))
                }
            } catch {
                // A damaged profile doesn't hide the others.
                rows.append(row("", .failure(error), "profile \(name)"))
            }
        }
        return rows
    }

    private static func row(_ service: Access.Service, _ access: Access) throws -> [Listing.Cell] {
        let (name, origin, left, resets): (Result<String, any Error>, String, Int?, Date?)
        switch service {
        case .exist:
            let account = try access.exist()
            (name, origin) = (Result { try account.client.user().wait().user.username }, account.credential.origin)
            (left, resets) = (account.client.rateLimit?.remaining, account.client.rateLimit?.resetsAt)
        case .mydatahelps:
            let account = try access.participant()
            name = Result { try account.client.getParticipantInfo().wait().participantIdentifier }
            (origin, left) = (account.credential.origin, account.client.rateLimit?.remainingRequests)
            resets = account.client.rateLimit?.nextReset
        }
        // Load the profile after the request, which may have renewed its token.
        let isStored = service == .exist && origin != service.tokenName
        let stored = isStored ? try access.storedProfile(.exist)?.profile.exist : nil
        return row(service.title, name, origin, until: stored?.token.expiresAt, left: left, resets: resets)
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
