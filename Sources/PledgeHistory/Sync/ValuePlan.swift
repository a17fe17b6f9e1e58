import ExistKit
import PledgeCoding

/// The state of one attribute's values, which determines what is left to request.
struct ValueProgress: Equatable, Sendable {
    let name: String
    /// Whether the service returns the attribute's values in the list of all attributes. It does if the attribute is in
    /// use and not of low priority.
    var isListed: Bool
    var isActive: Bool
    /// The latest day that was read; nil if none was.
    var newest: ExistDay?
    /// The earliest day that was read.
    var oldest: ExistDay?
    /// The day of the first value; nil if it is not known.
    var begins: ExistDay?
    /// Whether the values were read back to the first value.
    var isComplete = false
    /// The day on which a sync first found that the attribute is out of use; nil while it is in use.
    var inactive: ExistDay?
    /// The next day that this run still has to read; nil if there is none.
    var cursor: ExistDay?
    /// Whether there was a value near ``begins`` when the run checked that.
    var hasBeginning = false

    /// Whether the service did not find the attribute's values before, and the run does not request them on this day.
    func isHidden(on today: ExistDay) -> Bool {
        guard !isActive, newest == nil, let inactive else { return false }
        return inactive.distance(to: today) % 7 != 0
    }

    /// If no cursor is left, everything up to the person's today was read. Then makes that day the newest day, even if
    /// an earlier run had a later one, because the person has travelled west since. The next run reads the overlap
    /// before the day of this run.
    mutating func endAtToday(_ last: ExistDay) {
        if cursor == nil { newest = last }
    }

    /// Discards days that contradict each other, so that the run requests them again. A wrong count of days can cause
    /// that. Examples are a day of the first value that is not before the oldest day read although older days are left,
    /// and a newest day without an oldest day.
    mutating func repair() {
        guard let newest, let oldest else { return (self.newest, self.oldest, begins) = (nil, nil, nil) }
        self.oldest = min(oldest, newest)
        if let begins, !isComplete, begins >= min(oldest, newest) { self.begins = nil }
    }
}

/// The error of a service whose list has a next page that does not lead further back.
struct StuckList: ExchangeFailure, CustomStringConvertible {
    var kind: FailureKind { .unreadable }
    let name: String
    let oldest: ExistDay?

    var description: String {
        let known = oldest.map { "were read back to \($0)" } ?? "could not be read"
        return "The values of “\(name)” \(known). The service announces earlier ones, but does not return them."
    }
}

/// Determines which values to request from an Exist account. It is a value that performs no I/O, and receives each
/// response.
///
/// The service returns up to 31 days of up to 100 attributes at once, or up to 100 days of one attribute. Only the
/// latter shows where an attribute begins. Therefore each attribute is requested once in that way, which also returns
/// its newest 100 days. Older values are read in windows of 31 days of all attributes, or in pages of 100 days of each,
/// whichever takes fewer requests. After that, a run reads the days since the last run, and the overlap before them. On
/// most days, that takes one request for all listed attributes, and one for each attribute of low priority.
struct ValuePlan: Sendable {
    enum Request: Equatable, Sendable {
        /// The newest 100 days of one attribute, up to the given day, or up to the latest if it is nil.
        case history(String, through: ExistDay?)
        /// The days of a range, for all listed attributes.
        case window(ExistDay, through: ExistDay)
    }

    static let pageDays = 100
    /// Half a century, the longest plausible history.
    static let mostDays = 18_263
    /// The number of windows in a row without any value after which the run checks where histories begin: half a year.
    static let mostEmpty = 6

    private(set) var attributes: [ValueProgress]
    /// Whether the service has sent a response in this run.
    private(set) var hasRead = false
    /// The number of windows since the last one with a value.
    private var emptyWindows = 0
    let today: ExistDay
    /// The number of days before the last run that are read again.
    let overlap: Int

    init(_ attributes: [ValueProgress], today: ExistDay, overlap: Int) {
        let attributes = attributes.filter { !$0.isHidden(on: today) }
        self.attributes = attributes
        self.today = today
        self.overlap = overlap
        for index in self.attributes.indices {
            let attribute = attributes[index]
            let inactive = attribute.isActive ? nil : attribute.inactive ?? today
            self.attributes[index].inactive = inactive
            self.attributes[index].newest = attribute.newest.map { min($0, latest) }
            self.attributes[index].repair()
            guard let newest = self.attributes[index].newest else { continue }
            // Attributes that have been out of use for at least the overlap are not read again.
            if let inactive, newest >= inactive.advanced(by: overlap) { continue }
            self.attributes[index].cursor = min(newest, today).advanced(by: -overlap)
        }
    }

    /// The last possible day. It is tomorrow, because the service's today may be ahead by now. No later day becomes a
    /// bookmark.
    private var latest: ExistDay { today.advanced(by: 1) }

    /// Returns the next request, or nil if everything is known.
    func next() -> Request? {
        if let new = attributes.first(where: { $0.newest == nil }) { return .history(new.name, through: nil) }
        if let first = attributes.lazy.filter(\.isListed).compactMap(\.cursor).min() {
            return .window(first, through: min(first.advanced(by: ExistAPI.mostDaysPerRequest - 1), max(today, first)))
        }
        if let attribute = attributes.first(where: { $0.cursor != nil }), let cursor = attribute.cursor {
            // The request covers two days less than a page, because the service's today may be ahead by now.
            let last = cursor.advanced(by: Self.pageDays - 3)
            return .history(attribute.name, through: last < today ? last : nil)
        }
        return older()
    }

    /// Returns the next request for days before the known ones.
    private func older() -> Request? {
        if let attribute = attributes.first(where: { !$0.isComplete && !isInWindows($0) }) {
            return .history(attribute.name, through: attribute.oldest?.advanced(by: -1))
        }
        if let attribute = attributes.first(where: { suspectDay($0) != nil }), let last = suspectDay(attribute) {
            return .history(attribute.name, through: last)
        }
        let left = attributes.filter { !$0.isComplete }
        guard let last = left.compactMap(\.oldest).max()?.advanced(by: -1), let first = left.compactMap(\.begins).min()
        else { return nil }
        guard Self.windows(left, of: attributes) <= Self.pages(left) else {
            return .history(left[0].name, through: left[0].oldest?.advanced(by: -1))
        }
        return .window(max(first, last.advanced(by: 1 - ExistAPI.mostDaysPerRequest)), through: last)
    }

    /// Returns the last day of the first page of an attribute's history, if the run should check that page for a value.
    /// It should after several empty windows, because the service's count of days may be wrong.
    private func suspectDay(_ attribute: ValueProgress) -> ExistDay? {
        guard emptyWindows >= Self.mostEmpty, !attribute.isComplete, !attribute.hasBeginning, isInWindows(attribute),
            let begins = attribute.begins, let oldest = attribute.oldest
        else { return nil }
        return min(begins.advanced(by: Self.pageDays - 1), oldest.advanced(by: -1))
    }

    private func isInWindows(_ attribute: ValueProgress) -> Bool { attribute.isListed && attribute.begins != nil }

    /// Returns the number of requests that the rest takes in windows of all attributes.
    private static func windows(_ left: [ValueProgress], of all: [ValueProgress]) -> Int {
        guard let first = left.compactMap(\.begins).min(), let last = left.compactMap(\.oldest).max() else { return 0 }
        let months = (first.distance(to: last) + ExistAPI.mostDaysPerRequest - 1) / ExistAPI.mostDaysPerRequest
        return months * max(1, (all.count { $0.isListed } + 99) / 100)
    }

    /// Returns the number of requests that the rest takes in pages of each attribute.
    private static func pages(_ left: [ValueProgress]) -> Int {
        left.reduce(0) { sum, attribute in
            guard let first = attribute.begins, let last = attribute.oldest else { return sum + 1 }
            return sum + (first.distance(to: last) + pageDays - 1) / pageDays
        }
    }

    /// The number of requests left, as far as that is known.
    var estimate: Int {
        let left = attributes.filter { !$0.isComplete && $0.newest != nil }
        let together = left.filter(isInWindows)
        let alone = left.filter { !isInWindows($0) }
        let listed = attributes.lazy.filter(\.isListed).compactMap(\.cursor).min()
        let forward =
            listed.map { (max(0, $0.distance(to: today)) + ExistAPI.mostDaysPerRequest) / ExistAPI.mostDaysPerRequest }
            ?? 0
        return attributes.count { $0.newest == nil } + forward
            + attributes.count { !$0.isListed && $0.cursor != nil }
            + min(Self.windows(together, of: attributes), Self.pages(together)) + Self.pages(alone)
    }
}

extension ValuePlan {
    /// Records a response for one attribute: its days, newest first, and how many of them have a value. `count` is the
    /// service's count of all days, including older ones. If it contradicts `hasMore`, it is ignored. Throws
    /// ``StuckList``, and changes nothing, if the run would request the same response again forever.
    mutating func record(
        _ name: String, through last: ExistDay?, days: [ExistDay], values: Int, count: Int, hasMore: Bool
    ) throws(StuckList) {
        hasRead = true
        guard let index = attributes.firstIndex(where: { ExactText($0.name) == ExactText(name) }) else { return }
        var attribute = attributes[index]
        if let last, suspectDay(attribute) == last {
            attributes[index].hasBeginning = values > 0
            attributes[index].isComplete = values == 0
            return
        }
        let newest = days.first
        let oldest = days.last
        if attribute.newest == nil {
            attribute.newest = min(max(today, newest ?? today), latest)
            attribute.oldest = oldest ?? today
            // If the service lists every day, the count of days shows where the attribute begins. The service lists
            // days without values, too.
            if let newest, let oldest, oldest.distance(to: newest) == days.count - 1 {
                // The count is limited, because it may be wrong: the service is not older than this.
                attribute.begins = oldest.advanced(by: -max(0, min(max(0, count), Self.mostDays) - days.count))
            }
            attribute.isComplete = !hasMore
        } else {
            let reach = last.map { min($0, today) } ?? min(max(today, newest ?? today), latest)
            if let cursor = attribute.cursor {
                attribute.newest = max(attribute.newest ?? reach, reach)
                attribute.cursor = last == nil || reach < cursor ? nil : reach.advanced(by: 1)
                if let after = attribute.cursor, after > today { attribute.cursor = nil }
                attribute.endAtToday(min(reach, today))
            }
            let known = attribute.oldest
            if let oldest, let known, reach >= known.advanced(by: -1) { attribute.oldest = min(known, oldest) }
            if !hasMore {
                attribute.isComplete = true
            } else if let last, let known, last < known, attribute.oldest == known {
                throw StuckList(name: name, oldest: known)
            }
        }
        attribute.repair()
        attributes[index] = attribute
    }

    /// Records a response for all listed attributes: the names in the response, and whether any of the attributes has a
    /// value.
    mutating func record(_ first: ExistDay, through last: ExistDay, names: Set<ExactText>, hasValues: Bool) {
        hasRead = true
        emptyWindows = hasValues ? 0 : emptyWindows + 1
        for index in attributes.indices where attributes[index].isListed {
            var attribute = attributes[index]
            defer { attributes[index] = attribute }
            guard names.contains(ExactText(attribute.name)) else {
                // The attribute has just been taken out of use, so it is read separately from now on.
                attribute.isListed = false
                continue
            }
            if let cursor = attribute.cursor, first <= cursor, last >= cursor {
                attribute.newest = max(attribute.newest ?? last, min(last, today))
                attribute.cursor = last >= today ? nil : last.advanced(by: 1)
                attribute.endAtToday(min(last, today))
            }
            guard let oldest = attribute.oldest, last >= oldest.advanced(by: -1), first < oldest else { continue }
            attribute.oldest = first
            if let begins = attribute.begins, first <= begins { attribute.isComplete = true }
        }
    }

    /// Removes an attribute that is out of use from this run, because the service does not find its values. If its
    /// values were read before, there are no newer ones until the attribute is in use again. Otherwise, a run requests
    /// them again in a week. Returns the state of the attribute, and whether this is the first time; nil if the
    /// attribute is in use.
    mutating func recordHidden(_ name: String) -> (state: SyncState, isNew: Bool)? {
        guard let index = attributes.firstIndex(where: { ExactText($0.name) == ExactText(name) }),
            !attributes[index].isActive
        else { return nil }
        hasRead = true
        var attribute = attributes.remove(at: index)
        if attribute.newest != nil { attribute.newest = today }
        return (attribute.state, attribute.inactive == today)
    }

    /// Removes an attribute that cannot be read from this run. The next run requests it again. Returns whether to
    /// continue with other attributes. If `isOver` is true, perhaps nothing can be read any more, so the run continues
    /// only if it has read something.
    mutating func skip(_ name: String, isOver: Bool) -> Bool {
        attributes.removeAll { ExactText($0.name) == ExactText(name) }
        return !attributes.isEmpty && (hasRead || !isOver)
    }
}
