import ExistKit
import PledgeCoding

/// How far the values of one attribute have been read. This determines what is left to request.
struct ValueProgress: Equatable, Sendable {
    let name: String
    /// Whether the list of all attributes includes the values of this attribute. It does if the attribute is in use and
    /// not of low priority.
    var isListed: Bool
    var isActive: Bool
    /// The latest day that was read; nil if no day was read yet.
    var newest: ExistDay?
    /// The earliest day that was read.
    var oldest: ExistDay?
    /// The day of the attribute's first value; nil if unknown.
    var begins: ExistDay?
    /// Whether all values back to the first one were read.
    var isComplete = false
    /// The day on which a sync first found that the attribute is out of use; nil while it is in use.
    var inactive: ExistDay?
    /// The next of the recent days that this run still has to read; nil if it has read them all.
    var cursor: ExistDay?
    /// Whether this run has found a value near the day in ``begins``, which confirms that day.
    var beginningIsConfirmed = false

    /// Returns whether to leave the attribute out on this day.
    ///
    /// If an attribute is out of use and its values are not found, they are requested only once a week, and the
    /// attribute is left out on all other days. If its values were read before, this rule begins when they can no longer
    /// be corrected.
    func isHidden(on today: ExistDay, overlap: Int) -> Bool {
        guard !isActive, let inactive else { return false }
        let days = inactive.distance(to: today)
        if let newest, days <= overlap || newest >= inactive.advanced(by: overlap) { return false }
        return days % 7 != 0
    }

    /// Prepares for a run on this day: discards stored days that cannot be right, and sets the cursor.
    ///
    /// - Parameter latest: The latest day that can become a bookmark.
    mutating func begin(on today: ExistDay, through latest: ExistDay, overlap: Int) {
        inactive = isActive ? nil : inactive ?? today
        newest = newest.map { min($0, latest) }
        repair()
        guard let newest else { return }
        // An attribute is not read again if it has been out of use for at least as many days as the overlap.
        if let inactive, newest >= inactive.advanced(by: overlap) { return }
        cursor = min(newest, today).advanced(by: -overlap)
    }

    /// Records the first page that was read of the attribute. It has the newest days.
    mutating func recordFirstPage(
        _ days: [ExistDay], count: Int, hasMore: Bool, today: ExistDay, latest: ExistDay
    ) {
        newest = min(max(today, days.first ?? today), latest)
        oldest = days.last ?? today
        // The service normally lists every day, even days without values. If it does so here, the count of days tells on
        // which day the attribute begins.
        if let last = days.first, let first = days.last, first.distance(to: last) == days.count - 1 {
            // The count may be wrong, so it is limited to half a century. The service is not older than that.
            begins = first.advanced(by: -max(0, min(max(0, count), ValueRequestPlan.mostDays) - days.count))
        }
        isComplete = !hasMore
        repair()
    }

    /// Records a later page of the attribute. It has recent days, or days before the oldest day that was read.
    mutating func recordPage(
        through last: ExistDay?, _ days: [ExistDay], hasMore: Bool, today: ExistDay, latest: ExistDay
    ) throws(StuckList) {
        let reach = last.map { min($0, today) } ?? min(max(today, days.first ?? today), latest)
        if let cursor {
            newest = max(newest ?? reach, reach)
            self.cursor = last == nil || reach < cursor || reach >= today ? nil : reach.advanced(by: 1)
            endAtToday(min(reach, today))
        }
        let known = oldest
        if let first = days.last, let known, reach >= known.advanced(by: -1) { oldest = min(known, first) }
        if !hasMore {
            isComplete = true
        } else if let last, let known, last < known, oldest == known {
            throw StuckList(name: name, oldest: known)
        }
        repair()
    }

    /// If all recent days have been read, sets the newest day to `last`, the day of this run. The next run then reads
    /// the overlap before the day of this run.
    ///
    /// The day of this run may be earlier than the newest day so far. That happens if the person has traveled west
    /// since the earlier run.
    mutating func endAtToday(_ last: ExistDay) {
        if cursor == nil { newest = last }
    }

    /// Discards stored days that contradict each other, so that the run requests the values again. The service may have
    /// caused the contradiction with a wrong count of days. There are two kinds of contradictions:
    /// - There is a newest day but no oldest day, or an oldest day but no newest day.
    /// - Older days are left to read, but the day of the first value is not before the oldest day that was read.
    mutating func repair() {
        guard let newest, let oldest else { return (self.newest, self.oldest, begins) = (nil, nil, nil) }
        self.oldest = min(oldest, newest)
        if let begins, !isComplete, begins >= min(oldest, newest) { self.begins = nil }
    }
}

extension ValueProgress {
    init(_ attribute: Attribute, _ state: SyncState?) {
        let isActive = attribute.active ?? true
        self.init(
            name: attribute.name, isListed: attribute.isListed, isActive: isActive,
            newest: state?.bookmark.flatMap { ExistDay($0) }, oldest: state?.oldest.flatMap { ExistDay($0) },
            begins: state?.begins.flatMap { ExistDay($0) }, isComplete: state?.isComplete ?? false,
            inactive: state?.inactive.flatMap { ExistDay($0) })
    }

    var state: SyncState {
        SyncState(
            bookmark: newest?.description, oldest: oldest?.description, begins: begins?.description,
            isComplete: isComplete, inactive: inactive?.description)
    }
}

/// The error if the service says that there are older values, but returns none that are older than the known ones.
struct StuckList: ExchangeFailure, CustomStringConvertible {
    var kind: FailureKind { .unreadable }
    let name: String
    let oldest: ExistDay?

    var description: String {
        let known = oldest.map { "were read back to \($0)" } ?? "could not be read"
        return "The values of “\(name)” \(known). The service announces earlier ones, but does not return them."
    }
}

/// Decides which values of an Exist account to request next. The plan is a plain value that sends no requests itself.
/// The caller sends them, and records each response in the plan.
///
/// The service offers two kinds of requests: a window of up to 31 days of up to 100 attributes, or a page of up to 100
/// days of one attribute. Only a page shows on which day an attribute begins.
///
/// The first sync begins with a page of each attribute, which returns the newest 100 days. Then it reads the older
/// values, in windows of all attributes or in pages of each attribute. It chooses the kind that takes fewer requests.
///
/// A later sync reads the days since the last sync, and the overlap before these days. On most days, that takes one
/// request for all listed attributes, and one request for each attribute of low priority.
struct ValueRequestPlan: Sendable {
    enum Request: Equatable, Sendable {
        /// A page with 100 days of one attribute. The page ends with the given day. If no day is given, it ends with
        /// the latest day.
        case page(String, through: ExistDay?)
        /// A window with a range of days of all listed attributes.
        case window(ExistDay, through: ExistDay)
    }

    static let pageDays = 100
    /// The number of days of the longest plausible history, which is half a century.
    static let mostDays = 18_263
    /// The number of empty windows in a row after which the run checks whether the attributes really begin that early.
    /// The windows are half a year in total.
    static let mostEmpty = 6

    private(set) var attributes: [ValueProgress]
    /// Whether the service has sent a response in this run.
    private(set) var hasRead = false
    /// The number of windows that were read since the last window with a value.
    private var emptyWindows = 0
    let today: ExistDay
    /// The number of days before the last run that this run reads again.
    let overlap: Int

    init(_ attributes: [ValueProgress], today: ExistDay, overlap: Int) {
        self.today = today
        self.overlap = overlap
        self.attributes = attributes.filter { !$0.isHidden(on: today, overlap: overlap) }
        for index in self.attributes.indices {
            self.attributes[index].begin(on: today, through: latest, overlap: overlap)
        }
    }

    /// The latest day that can become a bookmark. It is tomorrow, because a new day may have begun at the service
    /// during the run.
    private var latest: ExistDay { today.advanced(by: 1) }

    /// Returns the next request; nil if nothing is left to request.
    func next() -> Request? {
        if let new = attributes.first(where: { $0.newest == nil }) { return .page(new.name, through: nil) }
        if let first = attributes.lazy.filter(\.isListed).compactMap(\.cursor).min() {
            return .window(first, through: min(first.advanced(by: ExistAPI.mostDaysPerRequest - 1), max(today, first)))
        }
        if let attribute = attributes.first(where: { $0.cursor != nil }), let cursor = attribute.cursor {
            // A page that begins with the day of the cursor would end two days later. The two days are a reserve: if a
            // new day has begun at the service during the run, the latest page still reaches back to the cursor.
            let last = cursor.advanced(by: Self.pageDays - 3)
            return .page(attribute.name, through: last < today ? last : nil)
        }
        return older()
    }

    /// Returns the next request for days before the oldest days that are known.
    private func older() -> Request? {
        if let attribute = attributes.first(where: { !$0.isComplete && !isInWindows($0) }) {
            return .page(attribute.name, through: attribute.oldest?.advanced(by: -1))
        }
        for attribute in attributes {
            if let last = suspectDay(attribute) { return .page(attribute.name, through: last) }
        }
        let left = attributes.filter { !$0.isComplete }
        guard let last = left.compactMap(\.oldest).max()?.advanced(by: -1), let first = left.compactMap(\.begins).min()
        else { return nil }
        guard Self.windows(left, of: attributes) <= Self.pages(left) else {
            return .page(left[0].name, through: left[0].oldest?.advanced(by: -1))
        }
        return .window(max(first, last.advanced(by: 1 - ExistAPI.mostDaysPerRequest)), through: last)
    }

    /// Returns the last day of a page to request, if the run should check whether an attribute's history really begins
    /// as early as it seems; nil otherwise. The page covers the first 100 days of that history. The check is needed
    /// after several empty windows, because the service's count of days may be wrong.
    private func suspectDay(_ attribute: ValueProgress) -> ExistDay? {
        guard emptyWindows >= Self.mostEmpty, !attribute.isComplete, !attribute.beginningIsConfirmed,
            isInWindows(attribute),
            let begins = attribute.begins, let oldest = attribute.oldest
        else { return nil }
        return min(begins.advanced(by: Self.pageDays - 1), oldest.advanced(by: -1))
    }

    private func isInWindows(_ attribute: ValueProgress) -> Bool { attribute.isListed && attribute.begins != nil }

    /// Returns the number of requests for the remaining days if they are read in windows of all attributes.
    private static func windows(_ left: [ValueProgress], of all: [ValueProgress]) -> Int {
        guard let first = left.compactMap(\.begins).min(), let last = left.compactMap(\.oldest).max() else { return 0 }
        let months = (first.distance(to: last) + ExistAPI.mostDaysPerRequest - 1) / ExistAPI.mostDaysPerRequest
        return months * max(1, (all.count { $0.isListed } + 99) / 100)
    }

    /// Returns the number of requests for the remaining days if they are read in pages of each attribute.
    private static func pages(_ left: [ValueProgress]) -> Int {
        left.reduce(0) { sum, attribute in
            guard let first = attribute.begins, let last = attribute.oldest else { return sum + 1 }
            return sum + (first.distance(to: last) + pageDays - 1) / pageDays
        }
    }

    /// An estimate of the number of requests that are left.
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

extension ValueRequestPlan {
    /// Records a page: a response with the days of one attribute.
    ///
    /// - Parameters:
    ///   - days: The days on the page, newest first.
    ///   - values: The number of these days that have a value.
    ///   - count: The service's count of all days of the attribute, including older ones. It is ignored if it
    ///     contradicts `hasMore`.
    ///   - hasMore: Whether the service says that there are older days.
    /// - Throws: ``StuckList`` if the run would request the same page again forever. The plan is then unchanged.
    mutating func record(
        _ name: String, through last: ExistDay?, days: [ExistDay], values: Int, count: Int, hasMore: Bool
    ) throws(StuckList) {
        hasRead = true
        guard let index = attributes.firstIndex(where: { ExactText($0.name) == ExactText(name) }) else { return }
        var attribute = attributes[index]
        if let last, suspectDay(attribute) == last {
            attribute.beginningIsConfirmed = values > 0
            attribute.isComplete = values == 0
        } else if attribute.newest == nil {
            attribute.recordFirstPage(days, count: count, hasMore: hasMore, today: today, latest: latest)
        } else {
            try attribute.recordPage(through: last, days, hasMore: hasMore, today: today, latest: latest)
        }
        attributes[index] = attribute
    }

    /// Records a window: a response with the days of all listed attributes. `names` are the attributes in the response.
    /// `hasValues` says whether any of them has a value.
    mutating func record(_ first: ExistDay, through last: ExistDay, names: Set<ExactText>, hasValues: Bool) {
        hasRead = true
        emptyWindows = hasValues ? 0 : emptyWindows + 1
        for index in attributes.indices where attributes[index].isListed {
            var attribute = attributes[index]
            defer { attributes[index] = attribute }
            guard names.contains(ExactText(attribute.name)) else {
                // The attribute is missing, so it has just been taken out of use. From now on, it is read in pages of
                // its own.
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

    /// Removes an attribute from this run because it is out of use and the service does not find its values.
    ///
    /// A later run requests the values again, beginning with the days that this run would have read.
    ///
    /// - Returns: The state of the attribute, and whether this run is the first that found it out of use. Nil if the
    ///   attribute is in use; the plan is then unchanged.
    mutating func recordHidden(_ name: String) -> (state: SyncState, isNew: Bool)? {
        guard let index = attributes.firstIndex(where: { ExactText($0.name) == ExactText(name) }),
            !attributes[index].isActive
        else { return nil }
        hasRead = true
        let attribute = attributes.remove(at: index)
        return (attribute.state, attribute.inactive == today)
    }

    /// Removes an attribute from this run because its values cannot be read. The next run requests them again.
    ///
    /// - Parameter serviceFailed: Whether the service may have failed as a whole. If so, the run continues only if it has
    ///   already read something.
    /// - Returns: Whether to continue with other attributes.
    mutating func skip(_ name: String, serviceFailed: Bool) -> Bool {
        attributes.removeAll { ExactText($0.name) == ExactText(name) }
        return !attributes.isEmpty && (hasRead || !serviceFailed)
    }
}
