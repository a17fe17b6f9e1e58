import Foundation

/// The participant's records.
struct ParticipantRecords: Sendable {
    /// An item as it is sent, and the date it is sorted by.
    struct Item: Sendable {
        var date: Date
        var json: [String: SandboxJSON]

        func text(_ name: String) -> String? { json[name]?.string }
        func moment(_ name: String) -> Date? { text(name).flatMap(ZonedTime.parse) }
    }

    /// The connection to a provider.
    struct Account: Sendable {
        let id: Int
        let provider: ProviderRecords.Provider
        var status: String
        var lastRefresh: Date?
        /// The number of times it is listed before the current operation is complete.
        var looksLeft = 0
    }

    /// The data points, newest first, as in the lists below.
    var points: [Item]
    var tasks: [Item]
    var answers: [Item]
    var notifications: [Item]
    var accounts: [Account]
    /// The pending one-time authorizations, by ticket.
    var tickets: [String: (provider: ProviderRecords.Provider, redirect: String)] = [:]
    private var lastNumber = 0

    /// - Parameter isEmpty: Whether to omit the initial data.
    init(now: Date, isEmpty: Bool = false) {
        accounts = ProviderRecords.accounts(now: now)
        guard !isEmpty else {
            (points, tasks, answers, notifications) = ([], [], [], [])
            return
        }
        points = DeviceRecords.points(until: now)
        (tasks, answers) = SurveyRecords.make(until: now)
        notifications = NotificationRecords.make(until: now)
    }

    /// Inserts an item into a list by date, replacing the one with its ID.
    mutating func put(_ item: Item, into list: WritableKeyPath<ParticipantRecords, [Item]>) {
        self[keyPath: list].removeAll { $0.json["id"] == item.json["id"] }
        let place = self[keyPath: list].firstIndex { $0.date <= item.date } ?? self[keyPath: list].count
        self[keyPath: list].insert(item, at: place)
    }

    /// Returns a number that has not been used yet.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
