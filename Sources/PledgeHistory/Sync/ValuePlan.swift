import ExistKit
import PledgeCoding

/// What is known of one attribute's values, and so what is left to ask for.
struct ValueProgress: Equatable, Sendable {
    let name: String
    /// Whether the service gives its values together with the others': those in use and not of low priority.
    var isListed: Bool
    var isActive: Bool
    /// Read through this day; nil for not at all.
    var newest: ExistDay?
    /// Read back to this day.
    var oldest: ExistDay?
    /// Where its values begin; nil where that is not known.
    var begins: ExistDay?
    /// Whether it was read back to its beginning.
    var isComplete = false
    /// When it was first seen to be out of use; nil while it is in use.
    var inactive: ExistDay?
    /// The next day that this run has still to read; nil for none.
    var cursor: ExistDay?
}

/// Decides which values to ask an Exist account for: a value, without network or file, that is told what came.
///
/// The service gives up to 31 days of up to 100 attributes at once, or up to 100 days of one. Only the latter says where
/// an attribute begins, so each is asked for once that way, which brings its newest 100 days as well. What is older is
/// read in months of all attributes, or in hundreds of days of each, whichever takes fewer requests. After that a run
/// reads the days since the last one and the overlap before them: one request for all, and one for each attribute of low
/// priority.
struct ValuePlan: Sendable {
    enum Request: Equatable, Sendable {
        /// The newest hundred days of one attribute through a day, or of all.
        case history(String, through: ExistDay?)
        /// All listed attributes.
        case window(ExistDay, through: ExistDay)
    }

    static let windowDays = 31
    static let pageDays = 100
    /// Half a century.
    static let mostDays = 18_263

    private(set) var attributes: [ValueProgress]
    /// Whether the service has answered in this run.
    private(set) var hasRead = false
    let today: ExistDay
    /// How many days before the last run are read again.
    let overlap: Int

    init(_ attributes: [ValueProgress], today: ExistDay, overlap: Int) {
        self.attributes = attributes
        self.today = today
        self.overlap = overlap
        for index in self.attributes.indices {
            let attribute = attributes[index]
            let inactive = attribute.isActive ? nil : attribute.inactive ?? today
            self.attributes[index].inactive = inactive
            guard let newest = attribute.newest.map({ min($0, latest) }) else { continue }
            self.attributes[index].newest = newest
            // What is out of use for as long as the past is corrected stays as it is.
            if let inactive, newest >= inactive.advanced(by: overlap) { continue }
            self.attributes[index].cursor = min(newest, today).advanced(by: -overlap)
        }
    }

    /// The last day that can be, as the service's today may be ahead by now; a value of a later one is no bookmark.
    private var latest: ExistDay { today.advanced(by: 1) }

    /// What to ask for next; nil when all is known.
    func next() -> Request? {
        if let new = attributes.first(where: { $0.newest == nil }) { return .history(new.name, through: nil) }
        if let first = attributes.lazy.filter(\.isListed).compactMap(\.cursor).min() {
            return .window(first, through: min(first.advanced(by: Self.windowDays - 1), max(today, first)))
        }
        if let attribute = attributes.first(where: { $0.cursor != nil }), let cursor = attribute.cursor {
            // A day or two less than a page, for the service's today may be ahead by now.
            let last = cursor.advanced(by: Self.pageDays - 3)
            return .history(attribute.name, through: last < today ? last : nil)
        }
        return older()
    }

    /// What is left before the days that are known.
    private func older() -> Request? {
        if let attribute = attributes.first(where: { !$0.isComplete && !isInWindows($0) }) {
            return .history(attribute.name, through: attribute.oldest?.advanced(by: -1))
        }
        let left = attributes.filter { !$0.isComplete }
        guard let last = left.compactMap(\.oldest).max()?.advanced(by: -1), let first = left.compactMap(\.begins).min()
        else { return nil }
        guard Self.windows(left, of: attributes) <= Self.pages(left) else {
            return .history(left[0].name, through: left[0].oldest?.advanced(by: -1))
        }
        return .window(max(first, last.advanced(by: 1 - Self.windowDays)), through: last)
    }

    private func isInWindows(_ attribute: ValueProgress) -> Bool { attribute.isListed && attribute.begins != nil }

    /// How many requests what is left takes in months of all attributes.
    private static func windows(_ left: [ValueProgress], of all: [ValueProgress]) -> Int {
        guard let first = left.compactMap(\.begins).min(), let last = left.compactMap(\.oldest).max() else { return 0 }
        let months = (first.distance(to: last) + windowDays - 1) / windowDays
        return months * max(1, (all.count { $0.isListed } + 99) / 100)
    }

    /// How many requests it takes attribute by attribute.
    private static func pages(_ left: [ValueProgress]) -> Int {
        left.reduce(0) { sum, attribute in
            guard let first = attribute.begins, let last = attribute.oldest else { return sum + 1 }
            return sum + (first.distance(to: last) + pageDays - 1) / pageDays
        }
    }

    /// How many requests are left, as far as is known.
    var estimate: Int {
        let left = attributes.filter { !$0.isComplete && $0.newest != nil }
        let (together, alone) = (left.filter(isInWindows), left.filter { !isInWindows($0) })
        let listed = attributes.lazy.filter(\.isListed).compactMap(\.cursor).min()
        let forward = listed.map { (max(0, $0.distance(to: today)) + Self.windowDays) / Self.windowDays } ?? 0
        return attributes.count { $0.newest == nil } + forward
            + attributes.count { !$0.isListed && $0.cursor != nil }
            + min(Self.windows(together, of: attributes), Self.pages(together)) + Self.pages(alone)
    }
}

extension ValuePlan {
    /// Takes note of an answer for one attribute.
    ///
    /// - Parameters:
    ///   - days: the days in it, newest first.
    ///   - count: how many there are, older ones included.
    mutating func note(_ name: String, through last: ExistDay?, days: [ExistDay], count: Int, hasMore: Bool) {
        hasRead = true
        guard let index = attributes.firstIndex(where: { ExactText($0.name) == ExactText(name) }) else { return }
        var attribute = attributes[index]
        let (newest, oldest) = (days.first, days.last)
        if attribute.newest == nil {
            attribute.newest = min(max(today, newest ?? today), latest)
            attribute.oldest = oldest ?? today
            // The count tells where it begins if the service lists every day, as it does for a history with gaps.
            if let newest, let oldest, oldest.distance(to: newest) == days.count - 1 {
                // Whatever a service says, not before there were such services.
                attribute.begins = oldest.advanced(by: -max(0, min(max(0, count), Self.mostDays) - days.count))
            }
            attribute.isComplete = !hasMore
        } else {
            let reach = last.map { min($0, today) } ?? min(max(today, newest ?? today), latest)
            if let cursor = attribute.cursor {
                attribute.newest = max(attribute.newest ?? reach, reach)
                attribute.cursor = last == nil || reach < cursor ? nil : reach.advanced(by: 1)
                if let after = attribute.cursor, after > today { attribute.cursor = nil }
            }
            let known = attribute.oldest
            if let oldest, let known, reach >= known.advanced(by: -1) { attribute.oldest = min(known, oldest) }
            // An answer that leads no further back would be asked for for ever.
            let isStuck = last.map { $0 < known ?? $0 } == true && attribute.oldest == known
            if !hasMore || isStuck { attribute.isComplete = true }
        }
        attributes[index] = attribute
    }

    /// Takes note of an answer for all listed attributes.
    ///
    /// - Parameter names: those the answer had.
    mutating func note(_ first: ExistDay, through last: ExistDay, names: Set<ExactText>) {
        for index in attributes.indices where attributes[index].isListed {
            var attribute = attributes[index]
            defer { attributes[index] = attribute }
            guard names.contains(ExactText(attribute.name)) else {
                // Taken out of use a moment ago: it is read alone from now on.
                attribute.isListed = false
                continue
            }
            if let cursor = attribute.cursor, first <= cursor, last >= cursor {
                attribute.newest = max(attribute.newest ?? last, min(last, today))
                attribute.cursor = last >= today ? nil : last.advanced(by: 1)
            }
            guard let oldest = attribute.oldest, last >= oldest.advanced(by: -1), first < oldest else { continue }
            attribute.oldest = first
            if let begins = attribute.begins, first <= begins { attribute.isComplete = true }
        }
    }

    /// Leaves out an attribute that cannot be read; the next run asks for it again.
    ///
    /// - Parameter isOver: whether it may be that nothing can be read any more.
    /// - Returns: whether there are others, which then have to have been read.
    mutating func skip(_ name: String, isOver: Bool) -> Bool {
        attributes.removeAll { ExactText($0.name) == ExactText(name) }
        return !attributes.isEmpty && (hasRead || !isOver)
    }
}
