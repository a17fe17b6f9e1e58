import Foundation

/// The uses of each token in the last hour, and how many are allowed.
struct HourlyUses {
    var limit: Int?
    private var uses: [String: [Date]] = [:]

    init(limit: Int?) { self.limit = limit }

    /// Counts a use if it is allowed. Returns the number of uses left, and the seconds until the first is forgotten.
    mutating func count(_ token: String, at now: Date) -> (isAllowed: Bool, left: Int, reset: Int) {
        var recent = uses[token, default: []].filter { now.timeIntervalSince($0) < 3_600 }
        let limit = limit ?? .max
        let isAllowed = recent.count < limit
        if isAllowed { recent.append(now) }
        uses[token] = recent
        let reset = recent.first.map { 3_600 - now.timeIntervalSince($0) } ?? 3_600
        return (isAllowed, max(0, limit - recent.count), Int(reset.rounded(.up)))
    }
}
