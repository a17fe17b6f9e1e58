import Foundation
import PledgeHTTP

// One line each: the same call as the promise of that name, which an asynchronous context prefers this to. Each throws
// what the promise rejects with; cancelling the task cancels the promise.
extension ExistAPI {
    /// The owner of the token; see the promise of this name.
    public func user() async throws(ExistError) -> UserReply {
        try await answer { $0.user() }
    }

    /// Attributes with their values; see the promise of this name.
    public func attributes(
        names: [String]? = nil, limit: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) async throws(ExistError) -> AttributesReply {
        try await answer { $0.attributes(names: names, limit: limit, minDate: minDate, maxDate: maxDate) }
    }

    /// Attributes with their values, by calendar days; see the promise of this name.
    public func attributes(
        names: [String]? = nil, days: Int? = nil, from first: ExistDay?, through last: ExistDay? = nil
    ) async throws(ExistError) -> AttributesReply {
        try await answer { $0.attributes(names: names, days: days, from: first, through: last) }
    }

    /// All attributes with the value of one day; see the promise of this name.
    public func attributes(on day: ExistDay?) async throws(ExistError) -> AttributesReply {
        try await answer { $0.attributes(on: day) }
    }

    /// The whole history of one attribute; see the promise of this name.
    public func history(
        of attribute: Attribute, through last: ExistDay? = nil
    ) async throws(ExistError) -> HistoryReply {
        try await answer { $0.history(of: attribute, through: last) }
    }

    /// The custom tags of a day; see the promise of this name.
    public func tags(on day: ExistDay? = nil) async throws(ExistError) -> TagsReply {
        try await answer { $0.tags(on: day) }
    }

    /// A page of insights; see the promise of this name.
    public func insights(
        limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil, maxDate: Date? = nil
    ) async throws(ExistError) -> InsightsReply {
        try await answer { $0.insights(limit: limit, pageIndex: pageIndex, minDate: minDate, maxDate: maxDate) }
    }

    /// All insights of the last days; see the promise of this name.
    public func insights(days: Int) async throws(ExistError) -> InsightsReply {
        try await answer { $0.insights(days: days) }
    }

    /// The user's usual week; see the promise of this name.
    public func averages(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil
    ) async throws(ExistError) -> AveragesReply {
        try await answer {
            $0.averages(for: attribute, limit: limit, pageIndex: pageIndex, minDate: minDate, maxDate: maxDate)
        }
    }

    /// What goes together; see the promise of this name.
    public func correlations(
        for attribute: String? = nil, limit: Int? = nil, pageIndex: Int? = nil, minDate: Date? = nil,
        maxDate: Date? = nil, latest: Bool? = nil
    ) async throws(ExistError) -> CorrelationsReply {
        try await answer {
            $0.correlations(
                for: attribute, limit: limit, pageIndex: pageIndex, minDate: minDate, maxDate: maxDate, latest: latest)
        }
    }

    /// What two attributes have to do with each other; see the promise of this name.
    public func correlation(
        between attribute: String, and attribute2: String
    ) async throws(ExistError) -> CorrelationReply {
        try await answer { $0.correlation(between: attribute, and: attribute2) }
    }

    /// One page of a list; see the promise of this name.
    public func page<Item>(_ query: ExistQuery<Item>) async throws(ExistError) -> PageReply<Item> {
        try await answer { $0.page(query) }
    }

    /// Every item of a list; see the promise of this name.
    public func all<Item>(_ query: ExistQuery<Item>) async throws(ExistError) -> ItemsReply<Item> {
        try await answer { $0.all(query) }
    }

    /// Waits for a promise. The closure is not asynchronous, so that its call means the promise and not itself.
    func answer<Value>(_ call: (ExistAPI) -> Promise<Value>) async throws(ExistError) -> Value {
        try await ExistError.rethrowing(call(self))
    }
}
