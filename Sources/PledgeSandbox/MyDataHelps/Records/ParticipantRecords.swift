import Foundation

struct ParticipantRecords: Sendable {
    /// An item as it is sent, and the date by which it is sorted.
    struct Item: Sendable {
        var date: Date
        var json: [String: ServerJSON]

        func text(_ name: String) -> String? { json[name]?.string }
        /// The text of a field, or those in its list.
        func texts(_ name: String) -> [String] {
            json[name]?.array?.compactMap(\.string) ?? text(name).map { [$0] } ?? []
        }
        func timestamp(_ name: String) -> Date? { text(name).flatMap(ZonedTime.parse) }
    }

    struct Account: Sendable {
        let id: Int
        let provider: ProviderRecords.Provider
        var status: String
        var lastRefresh: Date?
        /// The number of times that it is listed before the operation completes.
        var looksLeft = 0
    }

    let enrolled: Date
    var deviceDataV2: DeviceDataV2
    var accounts: [Account]
    /// The pending one-time authorizations, by ticket.
    var tickets: [String: (provider: ProviderRecords.Provider, redirect: String)] = [:]
    /// The items of each list, newest first, by the list's name.
    private var items: [String: [Item]] = [:]
    private var lastNumber = 0

    init(now: Date, isEmpty: Bool) {
        enrolled = now.addingTimeInterval(-120 * 86_400)
        deviceDataV2 = DeviceDataV2(isEmpty: isEmpty)
        accounts = ProviderRecords.accounts(now: now)
        for list in ParticipantList.all where !isEmpty {
            items[list.name] = list.firstItems(now).sorted { $0.date > $1.date }
        }
    }

    subscript(list: ParticipantList) -> [Item] {
        get { items[list.name, default: []] }
        set { items[list.name] = newValue }
    }

    /// Inserts an item by date, replacing the one with its ID.
    mutating func put(_ item: Item, into list: ParticipantList) {
        self[list].removeAll { $0.json["id"] == item.json["id"] }
        self[list].insert(item, at: self[list].firstIndex { $0.date <= item.date } ?? self[list].count)
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
