import Foundation

/// What the service has of the participant.
struct ParticipantRecords: Sendable {
    /// An item as it is sent, and what it is sorted by.
    struct Item: Sendable {
        var date: Date
        var json: [String: SandboxJSON]

        func text(_ name: String) -> String? { json[name]?.string }
        func moment(_ name: String) -> Date? { text(name).flatMap(ZonedTime.parse) }
    }

    /// A connection to a provider.
    struct Account: Sendable {
        let id: Int
        let provider: ProviderRecords.Provider
        var status: String
        var lastRefresh: Date?
        /// How many more times it is listed before what was begun is over.
        var looksLeft = 0
    }

    /// Newest first, all of them.
    var points: [Item]
    var tasks: [Item]
    var answers: [Item]
    var notifications: [Item]
    var accounts: [Account]
    /// One-time authorizations that were begun, by ticket.
    var tickets: [String: (provider: ProviderRecords.Provider, redirect: String)] = [:]
    private var lastNumber = 0

    /// - Parameter isEmpty: whether to leave out what happened before.
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

    /// Puts an item into a list where its date says, in place of the one with its id.
    mutating func put(_ item: Item, into list: WritableKeyPath<ParticipantRecords, [Item]>) {
        self[keyPath: list].removeAll { $0.json["id"] == item.json["id"] }
        let place = self[keyPath: list].firstIndex { $0.date <= item.date } ?? self[keyPath: list].count
        self[keyPath: list].insert(item, at: place)
    }

    /// A number that has not been used yet.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
