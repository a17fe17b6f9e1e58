import PledgeHTTP

// One line each, like those that read.
extension ExistAPI {
    /// Becomes the owner of attributes, by name; see the promise of this name.
    public func acquire(names: [String]) async throws(ExistError) -> AttributeReply {
        try await answer { $0.acquire(names: names) }
    }

    /// Becomes the owner of attributes, by template; see the promise of this name.
    public func acquire(templates: [String], manual: Bool? = nil) async throws(ExistError) -> AttributeReply {
        try await answer { $0.acquire(templates: templates, manual: manual) }
    }

    /// Becomes the owner of attributes; see the promise of this name.
    public func acquire(
        _ claims: [AttributeClaim], successObjects: Bool = false
    ) async throws(ExistError) -> AttributeReply {
        try await answer { $0.acquire(claims, successObjects: successObjects) }
    }

    /// Gives up attributes; see the promise of this name.
    public func release(names: [String]) async throws(ExistError) -> AttributeReply {
        try await answer { $0.release(names: names) }
    }

    /// Makes attributes; see the promise of this name.
    public func create(_ attributes: [NewAttribute]) async throws(ExistError) -> CreateReply {
        try await answer { $0.create(attributes) }
    }

    /// Stores day totals; see the promise of this name.
    public func update(attributes: [any AttributeUpdate]) async throws(ExistError) -> UpdateReply {
        try await answer { $0.update(attributes: attributes) }
    }

    /// Stores day totals, and becomes the owner where that is needed; see the promise of this name.
    public func updateAcquiringIfNeeded(attributes: [any AttributeUpdate]) async throws(ExistError) -> UpdateReply {
        try await answer { $0.updateAcquiringIfNeeded(attributes: attributes) }
    }

    /// Adds to day totals; see the promise of this name.
    public func increment(attributes: [AttributeIncrement]) async throws(ExistError) -> IncrementReply {
        try await answer { $0.increment(attributes: attributes) }
    }

    /// Sets and clears custom tags of a day; see the promise of this name.
    public func setTags(
        _ names: [String], clearing cleared: [String] = [], on day: ExistDay
    ) async throws(ExistError) -> UpdateReply {
        try await answer { $0.setTags(names, clearing: cleared, on: day) }
    }
}
