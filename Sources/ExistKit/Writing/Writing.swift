import PledgeHTTP

/// https://developer.exist.io/reference/attribute_ownership/
/// https://developer.exist.io/reference/creating_attributes/
/// https://developer.exist.io/reference/writing_data/
extension ExistAPI {
    /// Makes this service the owner of attributes, so that it may write them. Wraps `POST attributes/acquire/`.
    ///
    /// An attribute has one owner: acquiring takes it from another service without asking the user. Acquire once, not
    /// before every write.
    ///
    /// - Parameter names: Any number of names, sent 35 at a time; without names, no request is sent.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` describes the progress.
    public func acquire(names: [String]) -> Promise<AttributeOutput> {
        acquire(names.map { .name($0) })
    }

    /// Makes this service the owner of the attributes with the given templates; see ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - templates: Any number of templates. An attribute that the user does not have yet is created.
    ///   - manual: Whether the user continues to track them manually; pass false if your program updates them.
    public func acquire(templates: [String], manual: Bool? = nil) -> Promise<AttributeOutput> {
        acquire(templates.map { .template($0, manual: manual) })
    }

    /// Makes this service the owner of attributes, by name or by template; see ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - claims: Any number of attributes to acquire.
    ///   - successObjects: Whether to return the complete attributes that were acquired.
    public func acquire(_ claims: [AttributeClaim], successObjects: Bool = false) -> Promise<AttributeOutput> {
        write("attributes/acquire/", claims.map(\.item), successObjects: successObjects, isRepeatable: true)
    }

    /// Gives up the ownership of attributes, sent 35 at a time. Wraps `POST attributes/release/`.
    public func release(names: [String]) -> Promise<AttributeOutput> {
        write("attributes/release/", names.map { SentItem(name: $0) }, isRepeatable: false)
    }

    /// Creates attributes, sent 35 at a time. Wraps `POST attributes/create/`. Existing ones fail and are not
    /// duplicated; the response contains the names that the service chose.
    public func create(_ attributes: [NewAttribute]) -> Promise<CreateOutput> {
        write("attributes/create/", attributes.map(\.item), successObjects: true, isRepeatable: false)
    }

    /// Stores day totals of attributes this service owns, sent 35 at a time. Wraps `POST attributes/update/`.
    ///
    /// Later totals for the same day replace earlier ones. If a number is not finite, no request is sent.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateOutput> {
        write("attributes/update/", attributes.map(\.item), isRepeatable: true)
    }

    /// Stores day totals with `POST attributes/update/`. As Exist recommends, acquires an attribute this service does not
    /// own, and then tries again.
    ///
    /// Acquiring takes an attribute, without asking the user, from the service that updates it. If that could be a
    /// device the user relies on, check ``Attribute/service`` first.
    ///
    /// - Parameters:
    ///   - attributes: Any number of totals, for any days.
    ///   - mayAcquire: Returns whether the attribute with this name may be acquired; if not, its items remain failed.
    ///     Called on the thread that receives the response.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done or unknown.
    public func updateAcquiringIfNeeded(
        attributes: [any AttributeUpdate], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateOutput> {
        writeAcquiring("attributes/update/", attributes.map(\.item), isRepeatable: true, mayAcquire)
    }

    /// Adds to day totals of attributes this service owns, sent 35 at a time. Wraps `POST attributes/increment/`.
    ///
    /// Not for text, ratings, or times of day. It is retried only if it has had no effect: after an error, whose
    /// ``ExistError/write`` lists the items that are done or unknown, read the values before you repeat it.
    public func increment(attributes: [AttributeIncrement]) -> Promise<UpdateOutput> {
        write("attributes/increment/", attributes.map(\.item), isRepeatable: false)
    }

    /// Adds to day totals with `POST attributes/increment/`. If this service does not own an attribute, acquires it and
    /// then sends its additions again, because a refused one had no effect. See
    /// ``updateAcquiringIfNeeded(attributes:acquiring:)``.
    ///
    /// - Parameters:
    ///   - attributes: Any number of additions. Not for text, ratings, or times of day.
    ///   - mayAcquire: Returns whether the attribute with this name may be acquired; if not, its items remain failed.
    ///     Called on the thread that receives the response.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done or unknown. Read the
    ///   totals of unknown ones before you send those again.
    public func incrementAcquiringIfNeeded(
        attributes: [AttributeIncrement], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateOutput> {
        writeAcquiring("attributes/increment/", attributes.map(\.item), isRepeatable: false, mayAcquire)
    }

    /// Sets and clears custom tags that this service owns, for one day. Wraps `POST attributes/update/`.
    ///
    /// - Parameters:
    ///   - names: The names of the tags to set.
    ///   - cleared: The names of the tags to clear.
    ///   - day: The day to set and clear them for.
    public func setTags(_ names: [String], clearing cleared: [String] = [], on day: ExistDay) -> Promise<UpdateOutput> {
        update(
            attributes: names.map { IntAttributeUpdate(name: $0, day: day, value: 1) }
                + cleared.map { IntAttributeUpdate(name: $0, day: day, value: 0) })
    }
}
