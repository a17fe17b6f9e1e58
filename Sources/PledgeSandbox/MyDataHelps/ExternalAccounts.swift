import Foundation

/// Connections to the accounts of providers. Each request for the list of accounts advances the operations on them.
extension ParticipantBackend {
    /// The number of times that the list shows an account as fetching data before the operation ends.
    static let pollsWhileFetching = 2

    func accounts(_: ServerRequest) -> ServerResponse {
        let now = now()
        return records.withLock { records in
            for index in records.accounts.indices where records.accounts[index].status == "fetchingData" {
                if records.accounts[index].pollsLeft > 0 {
                    records.accounts[index].pollsLeft -= 1
                } else if records.accounts[index].provider.isReliable {
                    records.accounts[index].status = "fetchComplete"
                    records.accounts[index].lastRefresh = now
                } else {
                    records.accounts[index].status = "error"
                }
            }
            return .json(.array(records.accounts.map(\.json)))
        }
    }

    func refreshAccount(_ request: ServerRequest) throws -> ServerResponse {
        try records.withLock { records in
            guard let index = records.accounts.firstIndex(where: { String($0.id) == request.parameters["account"] })
            else { throw ServerResponse.message("There is no such account.", status: 404) }
            records.accounts[index].status = "fetchingData"
            records.accounts[index].pollsLeft = Self.pollsWhileFetching
            return .empty(200)
        }
    }

    /// Deletes an account. This succeeds even if there is no such account.
    func deleteAccount(_ request: ServerRequest) -> ServerResponse {
        records.withLock { records in
            records.accounts.removeAll { String($0.id) == request.parameters["account"] }
        }
        return .empty(200)
    }
}

extension ParticipantRecords.Account {
    fileprivate var json: ServerJSON {
        [
            "id": .integer(id), "status": .string(status), "provider": provider.json,
            "lastRefreshDate": .string(lastRefresh.map { ZonedTime.text($0) } ?? ""),
        ]
    }
}

extension ParticipantBackend {
    func providers(_ request: ServerRequest) throws -> ServerResponse {
        let query = ParticipantQuery(request)
        let category = query.text("category")?.lowercased()
        let found = Providers.all.filter { provider in
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
        guard let provider = Providers.all.first(where: { String($0.id) == request.parameters["provider"] })
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

    /// Responds to the address at which a participant signs in to a provider. It simulates a participant who signs in
    /// immediately. Each address works only once.
    func signIn(_ request: ServerRequest) -> ServerResponse {
        records.withLock { records in
            guard let ticket = records.tickets.removeValue(forKey: request.queryValue("ticket") ?? "") else {
                return .text("This address is unknown, or was already used.", status: 400)
            }
            records.accounts.removeAll { $0.provider.id == ticket.provider.id }
            let id = 6_000 + records.nextNumber()
            records.accounts.append(
                ParticipantRecords.Account(
                    id: id, provider: ticket.provider, status: "fetchingData", lastRefresh: nil,
                    pollsLeft: Self.pollsWhileFetching))
            return .empty(302, headers: ["Location": "\(ticket.redirect)?status=connected"])
        }
    }
}

enum Providers {
    struct Provider: Sendable, Hashable {
        let id: Int
        let name: String
        let category: String
        var city = ""
        var logo: String?
        var isAvailable = true
        var isReliable = true

        var json: ServerJSON {
            var members: [String: ServerJSON] = [
                "id": .integer(id), "name": .string(name), "category": .string(category),
                "logoUrl": logo.map { .string($0) } ?? nil,
            ]
            if !isAvailable {
                members["enabled"] = false
                members["message"] = "Unavailable"
            }
            return .object(members)
        }

        /// Returns whether the name, or any word of the name or the location, begins with the search text.
        func matches(_ search: String) -> Bool {
            let wanted = search.lowercased()
            let words = "\(name) \(city)".lowercased().split(separator: " ").map(String.init)
            return words.contains { $0.hasPrefix(wanted) } || name.lowercased().hasPrefix(wanted)
        }
    }

    static let stepBand = Provider(id: 3, name: "StepBand", category: "Device Manufacturer")
    static let pharmacy = Provider(id: 900, name: "Pharmacy One", category: "Pharmacy", isReliable: false)

    static let all: [Provider] = {
        let towns = ["Falun", "Gävle", "Kiruna", "Luleå", "Mora", "Skara", "Umeå", "Visby", "Ystad", "Örebro"]
        let houses = ["Barnmottagning", "Hjärtklinik", "Hudklinik", "Sjukhus", "Vårdcentral", "Ögonklinik"]
        var providers = [
            Provider(
                id: 812, name: "Åre Hälsocentral", category: "Provider", city: "Åre",
                logo: "https://assets.example.org/are.png"), stepBand, pharmacy,
            Provider(id: 4, name: "No Logo Plan", category: "Health Plan", logo: ""),
            Provider(id: 5, name: "Closed Clinic", category: "Provider", isAvailable: false),
        ]
        for (row, town) in towns.enumerated() {
            for (column, house) in houses.enumerated() {
                for ward in 1...2 {
                    providers.append(
                        Provider(
                            id: 1_000 + row * 100 + column * 10 + ward, name: "\(house) \(ward) \(town)",
                            category: "Provider", city: town))
                }
            }
        }
        return providers.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }()

    static func accounts(now: Date) -> [ParticipantRecords.Account] {
        let day = now.addingTimeInterval(-86_400)
        return [
            ParticipantRecords.Account(id: 5501, provider: stepBand, status: "fetchComplete", lastRefresh: day),
            ParticipantRecords.Account(id: 5502, provider: pharmacy, status: "error", lastRefresh: nil),
        ]
    }
}
