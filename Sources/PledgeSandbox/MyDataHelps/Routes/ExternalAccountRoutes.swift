import Foundation

/// Connections to providers, which progress each time they are listed.
extension ParticipantBackend {
    /// The number of times that an account is listed as fetching.
    static let looks = 2

    func accounts(_: ServerRequest) -> ServerResponse {
        let now = now()
        return records.withLock { records in
            for index in records.accounts.indices where records.accounts[index].status == "fetchingData" {
                if records.accounts[index].looksLeft > 0 {
                    records.accounts[index].looksLeft -= 1
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
            records.accounts[index].looksLeft = Self.looks
            return .empty(200)
        }
    }

    /// Succeeds even if there is nothing to delete.
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
