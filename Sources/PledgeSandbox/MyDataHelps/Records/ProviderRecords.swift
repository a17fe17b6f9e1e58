import Foundation

enum ProviderRecords {
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

        /// Returns whether a word of its name or location begins with the search text.
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
