import PledgeCoding

/// What became of the items of a write: the service does what it can, and says what it could not.
public struct BatchResult<Success: BatchItem, Failure: BatchItem>: Sendable {
    /// Items that were done, in the order they were given.
    public var success: [Success]
    /// Items that were not, and why, in the order they were given.
    public var failed: [Failure]
    /// Items of the reply that could not be read.
    public var unreadable: [UnreadableItem]

    /// A result, as for tests.
    public init(success: [Success] = [], failed: [Failure] = []) {
        self.success = success
        self.failed = failed
        unreadable = []
    }
}

extension BatchResult: Readable {
    /// Either list may be missing.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        let done = try fields.items(of: Success.self, "success")
        let not = try fields.items(of: Failure.self, "failed")
        guard done != nil || not != nil else { throw fields.missing("success") }
        success = done?.items ?? []
        failed = not?.items ?? []
        unreadable = (done?.unreadable ?? []) + (not?.unreadable ?? [])
    }
}

/// What making attributes led to.
public typealias AttributeCreateResponse = BatchResult<Attribute, FailedAttribute>
/// What adding to totals led to.
public typealias AttributeIncrementResponse = BatchResult<IncrementedAttribute, FailedToUpdateAttribute>
/// What acquiring or releasing attributes led to.
public typealias AttributeResponse = BatchResult<SuccessfulAttribute, FailedAttribute>
/// What writing values led to.
public typealias AttributeUpdateResponse = BatchResult<SuccessfullyUpdatedAttribute, FailedToUpdateAttribute>
