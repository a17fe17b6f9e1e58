import PledgeModels

/// What became of the items of a write: the service does what it can, and says what it could not.
public struct BatchResult<Success: BatchItem, Failure: BatchItem>: Decodable, Sendable {
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

    private enum CodingKeys: String, CodingKey {
        case success, failed
    }

    /// Reads a reply; either list may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let done = try container.decodeIfPresent(ItemList<Success>.self, forKey: .success)
        let not = try container.decodeIfPresent(ItemList<Failure>.self, forKey: .failed)
        guard done != nil || not != nil else {
            throw DecodingError.keyNotFound(
                CodingKeys.success,
                .init(codingPath: container.codingPath, debugDescription: "neither success nor failed is there"))
        }
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
