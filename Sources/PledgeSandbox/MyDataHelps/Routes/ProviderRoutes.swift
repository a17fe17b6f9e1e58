import Foundation

extension ParticipantBackend {
    func providers(_ request: ServerRequest) throws -> ServerResponse {
        let query = ParticipantQuery(request)
        let category = query.text("category")?.lowercased()
        let found = ProviderRecords.all.filter { provider in
            (category == nil || provider.category.lowercased() == category)
                && query.text("search").map(provider.matches) ?? true
        }
        guard query.text("pageSize") != nil else { return .json(.array(found.map(\.json))) }
        let size = try query.integer("pageSize", in: 1...100, default: 100)
        let number = try query.integer("pageNumber", in: 0...1_000_000, default: 0)
        return .json([
            "externalAccountProviders": .array(found.dropFirst(number * size).prefix(size).map(\.json)),
            "totalExternalAccountProviders": .integer(found.count),
        ])
    }

    func connect(_ request: ServerRequest) throws -> ServerResponse {
        guard let provider = ProviderRecords.all.first(where: { String($0.id) == request.parameters["provider"] })
        else {
            throw ServerResponse.message("There is no such provider.", status: 404)
        }
        guard let redirect = request.queryValue("finalRedirectPath"), redirects.contains(where: redirect.hasPrefix)
        else {
            throw ServerResponse.json("finalRedirectPath is not in the list of allowed URLs", status: 400)
        }
        let ticket = records.withLock { records in
            let ticket = SandboxID.make(.ticket, records.nextNumber())
            records.tickets[ticket] = (provider, redirect)
            return ticket
        }
        let host = request.headers["Host"] ?? "127.0.0.1"
        return .json(.string("http://\(host)/external/authorize?ticket=\(ticket)&provider=\(provider.id)"))
    }

    /// Simulates a participant who signs in immediately, and only once.
    func signIn(_ request: ServerRequest) -> ServerResponse {
        records.withLock { records in
            guard let ticket = records.tickets.removeValue(forKey: request.queryValue("ticket") ?? "") else {
                return .text("This address was used before, or is none of ours.", status: 400)
            }
            records.accounts.removeAll { $0.provider.id == ticket.provider.id }
            let id = 6_000 + records.nextNumber()
            records.accounts.append(
                ParticipantRecords.Account(
                    id: id, provider: ticket.provider, status: "fetchingData", lastRefresh: nil,
                    looksLeft: Self.looks))
            return .empty(302, headers: ["Location": "\(ticket.redirect)?status=connected"])
        }
    }
}
