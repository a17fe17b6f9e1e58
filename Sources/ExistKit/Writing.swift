import Foundation
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// https://developer.exist.io/reference/attribute_ownership/
/// https://developer.exist.io/reference/creating_attributes/
/// https://developer.exist.io/reference/writing_data/
extension ExistAPI {
    /// The maximum number of items that the service accepts in one request.
    package static let mostItemsPerWrite = 35

    /// Makes your app the owner of attributes, so that it may write them. Wraps `POST attributes/acquire/`.
    ///
    /// An attribute has only one owner. Acquiring takes an attribute away from its current owner, and the user isn't
    /// asked. Acquire an attribute once, and not before every write.
    ///
    /// - Parameter names: Any number of names. They are sent 35 at a time. If the array is empty, no request is sent.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` describes the progress.
    public func acquire(names: [String]) -> Promise<AttributeOutput> {
        acquire(names.map { .name($0) })
    }

    /// Makes your app the owner of the attributes with the given templates. See ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - templates: The names of any number of templates. If the user does not have an attribute with one of these
    ///     templates, the service creates the attribute.
    ///   - manual: Whether the user tracks the attributes manually. Pass false if your app updates them instead.
    public func acquire(templates: [String], manual: Bool? = nil) -> Promise<AttributeOutput> {
        acquire(templates.map { .template($0, manual: manual) })
    }

    /// Makes your app the owner of attributes that are identified by name or by template. See ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - claims: Any number of attributes to acquire.
    ///   - successObjects: Whether the result contains the complete attributes that were acquired.
    public func acquire(_ claims: [AttributeClaim], successObjects: Bool = false) -> Promise<AttributeOutput> {
        write("attributes/acquire/", claims.map(\.item), successObjects: successObjects, isRepeatable: true)
    }

    /// Gives up your app's ownership of attributes. Wraps `POST attributes/release/`.
    ///
    /// The names are sent 35 at a time.
    public func release(names: [String]) -> Promise<AttributeOutput> {
        write("attributes/release/", names.map { SentItem(name: $0) }, isRepeatable: false)
    }

    /// Creates attributes. Wraps `POST attributes/create/`.
    ///
    /// The attributes are sent 35 at a time. If an attribute already exists, its item fails, and no duplicate is
    /// created. The response contains the names that the service chose.
    public func create(_ attributes: [NewAttribute]) -> Promise<CreateOutput> {
        write("attributes/create/", attributes.map(\.item), successObjects: true, isRepeatable: false)
    }

    /// Stores the totals of days, for attributes that your app owns. Wraps `POST attributes/update/`.
    ///
    /// The totals are sent 35 at a time. A later total replaces an earlier total for the same day. If a number is not
    /// finite, the call rejects and sends nothing.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateOutput> {
        write("attributes/update/", attributes.map(\.item), isRepeatable: true)
    }

    /// Stores the totals of days with `POST attributes/update/`. If your app does not own an attribute, the call
    /// acquires the attribute and stores its totals after that, as Exist recommends.
    ///
    /// Acquiring takes an attribute away from the service that updates it, and the user isn't asked. If that service
    /// could be a device that the user relies on, check ``Attribute/service`` first.
    ///
    /// - Parameters:
    ///   - attributes: Any number of totals, for any days.
    ///   - mayAcquire: Returns whether the attribute with this name may be acquired. If it returns false, the
    ///     attribute's items stay in the list of failed items. It is called on the thread that receives the response.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done, and the items whose
    ///   result is unknown.
    public func updateAcquiringIfNeeded(
        attributes: [any AttributeUpdate], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateOutput> {
        writeAcquiring("attributes/update/", attributes.map(\.item), isRepeatable: true, mayAcquire)
    }

    /// Adds amounts to the totals of days, for attributes that your app owns. Wraps `POST attributes/increment/`.
    ///
    /// The amounts are sent 35 at a time. You can't add to text, ratings, or times of day.
    ///
    /// A request is retried only if it has had no effect. If the call rejects, ``ExistError/write`` lists the items
    /// that are done, and the items whose result is unknown. Read the values before you send an amount again.
    public func increment(attributes: [AttributeIncrement]) -> Promise<UpdateOutput> {
        write("attributes/increment/", attributes.map(\.item), isRepeatable: false)
    }

    /// Adds amounts to the totals of days with `POST attributes/increment/`. If your app does not own an attribute, the
    /// call acquires the attribute and sends its amounts again. Nothing is added twice, because a refused amount had no
    /// effect.
    ///
    /// See ``updateAcquiringIfNeeded(attributes:acquiring:)`` for what acquiring means for the user.
    ///
    /// - Parameters:
    ///   - attributes: Any number of amounts. You can't add to text, ratings, or times of day.
    ///   - mayAcquire: Returns whether the attribute with this name may be acquired. If it returns false, the
    ///     attribute's items stay in the list of failed items. It is called on the thread that receives the response.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done, and the items whose
    ///   result is unknown. Read the totals of the unknown items before you send those items again.
    public func incrementAcquiringIfNeeded(
        attributes: [AttributeIncrement], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateOutput> {
        writeAcquiring("attributes/increment/", attributes.map(\.item), isRepeatable: false, mayAcquire)
    }

    /// Sets and clears custom tags that your app owns, for one day. Wraps `POST attributes/update/`.
    ///
    /// - Parameters:
    ///   - names: The names of the tags to set.
    ///   - cleared: The names of the tags to clear.
    ///   - day: The day for which the tags are set and cleared.
    public func setTags(_ names: [String], clearing cleared: [String] = [], on day: ExistDay) -> Promise<UpdateOutput> {
        update(
            attributes: names.map { IntAttributeUpdate(name: $0, day: day, value: 1) }
                + cleared.map { IntAttributeUpdate(name: $0, day: day, value: 0) })
    }
}

/// The progress of a write that failed because one of its requests failed as a whole. Every item is identified by its
/// position among the items that you passed.
public struct WriteProgress: Sendable {
    /// The items of the requests that got a response. ``result`` says which of these items succeeded.
    public var answered: IndexSet
    /// The items of the request that failed. If the service refused the request, none of these items was processed. If
    /// the connection was lost or the service failed, it is unknown which of them were processed.
    public var unknown: IndexSet
    /// The items that were not sent.
    public var unsent: IndexSet
    /// The result for the items in ``answered``. It is a ``WriteResult`` of the type that the call returns.
    public var result: any Sendable
}

extension ExistAPI {
    typealias WriteOutput<Success: ResponseItem> = (attributeResponse: WriteResult<Success>, response: URLResponse)

    /// Sends the items in order, as many at a time as the service accepts, and merges the responses.
    func write<Success: ResponseItem>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Promise<WriteOutput<Success>> {
        for item in items {
            if case .decimal(let value)? = item.value, !value.isFinite {
                return .invalid("The value for “\(item.name ?? "")” is not a finite number: leave the item out.")
            }
        }
        return send(items, Array(items.indices)[...], answered: [], (WriteResult(), noResponse)) {
            .write(path, $0, successObjects: successObjects, isRepeatable: isRepeatable)
        }
    }

    /// Sends the items at the indices in `unsent`.
    ///
    /// - Parameters:
    ///   - answered: The indices of the items that earlier requests got a response for. Some of these items may be sent
    ///     again.
    ///   - earlier: The output of the earlier requests. If an item is sent again, the new result replaces its failure.
    private func send<Success: ResponseItem>(
        _ items: [SentItem], _ unsent: ArraySlice<Int>, answered: IndexSet, _ earlier: WriteOutput<Success>,
        _ endpoint: @escaping @Sendable ([SentItem]) -> Endpoint<WriteResult<Success>>
    ) -> Promise<WriteOutput<Success>> {
        let indices = unsent.prefix(Self.mostItemsPerWrite)
        let rest = unsent.dropFirst(Self.mostItemsPerWrite)
        guard !indices.isEmpty else { return .value(earlier) }
        var known = earlier.attributeResponse
        known.failed.removeAll { $0.index.map(indices.contains) ?? false }
        let before = known
        return send(endpoint(indices.map { items[$0] })).mapError(on: nil) { error in
            var failure = ExistError(error)
            failure.write = WriteProgress(
                answered: answered.subtracting(IndexSet(indices)), unknown: IndexSet(indices),
                unsent: IndexSet(rest).subtracting(answered), result: before)
            return failure
        }.then(on: nil) { decoded -> Promise<WriteOutput<Success>> in
            var result = decoded.value
            for index in result.failed.indices {
                result.failed[index].error = ServiceMessage.printable(decoded.hide(result.failed[index].error))
            }
            let all = before.merged(with: result.matched(to: items, in: indices))
            return self.send(
                items, rest, answered: answered.union(IndexSet(indices)), (all, decoded.response.urlResponse), endpoint)
        }
    }

    /// Sends the items, acquires the attributes that your app does not own, and sends the items of these attributes
    /// again.
    func writeAcquiring(
        _ path: String, _ items: [SentItem], isRepeatable: Bool, _ mayAcquire: @escaping @Sendable (String) -> Bool
    ) -> Promise<UpdateOutput> {
        let first: Promise<UpdateOutput> = write(path, items, isRepeatable: isRepeatable)
        return first.then(on: nil) { first -> Promise<UpdateOutput> in
            let names = items.map { $0.name ?? "" }
            let refused = first.attributeResponse.failed.filter { $0.errorCode == .unauthorised }.compactMap(\.index)
                .filter { mayAcquire(names[$0]) }
            // If `refused` is empty, the two calls below have nothing to send, so they send no request.
            return self.acquire(names: Set(refused.map { names[$0] }).sorted()).mapError(on: nil) { error in
                var failure = ExistError(error)
                failure.write = WriteProgress(
                    answered: IndexSet(items.indices), unknown: [], unsent: [], result: first.attributeResponse)
                return failure
            }.then(on: nil) { acquired -> Promise<UpdateOutput> in
                let ours = Set(acquired.attributeResponse.success.map { ExactText($0.name) })
                let again = refused.filter { ours.contains(ExactText(names[$0])) }
                return self.send(items, again[...], answered: IndexSet(items.indices), first) {
                    .write(path, $0, isRepeatable: isRepeatable)
                }
            }
        }
    }
}

extension Endpoint where Response: Decodable {
    /// Returns the endpoint of a write with up to 35 items. An error response with a 4xx status code is decoded like a
    /// success if its body contains the results of the items.
    static func write<Success>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Endpoint where Response == WriteResult<Success> {
        var endpoint = Endpoint(
            .post, path, query: ["success_objects": successObjects ? 1 : nil], body: .json(items),
            isRepeatable: isRepeatable)
        endpoint.accepts = {
            200..<300 ~= $0.status
                || 400..<500 ~= $0.status && (try? $0.json(WriteResult<Success>.self)) != nil
        }
        return endpoint
    }
}

/// An item of a write, as it was sent.
public struct SentItem: Sendable, Equatable {
    /// The attribute's name; nil if the item identifies the attribute in another way.
    public var name: String?
    /// The template's name; nil if the item identifies the attribute in another way.
    public var template: String?
    /// The label of a custom attribute that was to be created; nil for any other item.
    public var label: String?
    /// The day of the value; nil if no day was sent.
    public var day: ExistDay?
    /// The value that was to be stored or added; nil if no value was sent.
    public var value: AttributeValue?
    var group: String?
    var valueType: ValueType?
    var manual: Bool?

    /// Whether the item has no name, no template, and no label, so that nothing identifies the attribute.
    var isAnonymous: Bool { name == nil && template == nil && label == nil }

    /// The name, template, or label of the item, followed by its day if it has one, for use in a sentence.
    var title: String { (name ?? template ?? label ?? "an item") + (day.map { " \($0)" } ?? "") }
}

extension SentItem: Encodable {
    private enum CodingKeys: String, CodingKey {
        case name, template, label, value, group, manual
        case day = "date"
        case valueType = "value_type"
    }
}

/// An item in the response to a write. It repeats fields of the item that was sent.
protocol ResponseItem: Decodable, Sendable {
    var echo: SentItem { get }
    /// The position of the item among the items of the call; nil for a type that does not store it.
    var index: Int? { get }
    /// The index of the item in its request; nil if the service's message does not contain it.
    var namedIndex: Int? { get }

    /// Fills in the fields that the response omits, from the item that was sent.
    mutating func complete(from sent: SentItem, at index: Int)
}

extension ResponseItem {
    var index: Int? { nil }
    var namedIndex: Int? { nil }

    mutating func complete(from sent: SentItem, at index: Int) {}

    fileprivate func matches(_ sent: SentItem) -> Bool {
        let echo = echo
        let names = [echo.name, echo.template].compactMap { $0 }
        // The service may return a label in lower case, so letter case is ignored.
        let isSame =
            sent.name.map(names.contains) ?? sent.template.map(names.contains)
            ?? sent.label.map { $0.lowercased() == echo.label?.lowercased() }
        return isSame == true && (echo.day == nil || sent.day == nil || echo.day == sent.day)
    }

    /// Returns the index of the sent item that this item of the response belongs to, or nil if there is none.
    ///
    /// The sent item must match the fields that the response repeats. If several sent items match, an item with the
    /// same value is preferred. If no sent item matches, the index in the service's message decides.
    fileprivate func index(among sent: [SentItem], in indices: ArraySlice<Int>, _ free: Set<Int>) -> Int? {
        func isSame(_ value: AttributeValue?, _ other: AttributeValue?) -> Bool {
            value.flatMap { value in other.map(value.isSame) } ?? false
        }
        let alike = indices.filter { free.contains($0) && matches(sent[$0]) }
        return alike.first { isSame(echo.value, sent[$0].value) } ?? alike.first
            ?? namedIndex.flatMap { indices.dropFirst($0).first }.flatMap { free.contains($0) ? $0 : nil }
    }
}

extension WriteResult where Success: ResponseItem {
    /// Returns this result merged with the result for other items. The merged items are in the order in which the
    /// caller passed them.
    func merged(with later: WriteResult) -> WriteResult {
        var all = self
        all.success = (success + later.success).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
        all.failed = (failed + later.failed).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
        all.unconfirmed = (unconfirmed + later.unconfirmed).sorted { $0.index < $1.index }
        all.unreadable += later.unreadable
        return all
    }

    /// Returns this result with its items in the order in which they were sent, and with the fields that the response
    /// omits.
    ///
    /// Every sent item is in the returned result. Sent items that the response does not mention are unconfirmed.
    func matched(to sent: [SentItem], in indices: ArraySlice<Int>) -> WriteResult {
        var free = Set(indices)
        var succeeded = Self.match(success, with: sent, in: indices, &free)
        var failures = Self.match(failed, with: sent, in: indices, &free)
        var result = self
        // An item that is both in the list of succeeded items and in the list of failed items has failed.
        for position in failures.indices where failures[position].index == nil {
            let twin = succeeded.firstIndex { $0.index.map { failures[position].item.matches(sent[$0]) } ?? false }
            if let twin {
                failures[position].index = succeeded[twin].index
                succeeded[twin].index = nil
            }
        }
        // The response may contain failed items without saying which sent items they belong to. If there are as many of
        // them as there are sent items without a result, the failed items are matched with those sent items, in order.
        let anonymous = failures.indices.filter { failures[$0].index == nil && failures[$0].item.echo.isAnonymous }
        if anonymous.count == free.count {
            for (position, index) in zip(anonymous, free.sorted()) { failures[position].index = index }
            free = []
        }
        // A failure that matches no sent item is kept, so that it is reported. A failure that only repeats a known
        // failure is removed.
        let known = failures.compactMap(\.index)
        let isRepeated = failures.map { entry in
            entry.index == nil && known.contains { entry.item.matches(sent[$0]) }
        }
        for (entry, position) in zip(succeeded, positions.success) where entry.index == nil {
            result.unreadable.add(position) { "this item of “success” was not sent, or is in the response twice" }
        }
        for (isRepeated, position) in zip(isRepeated, positions.failed) where isRepeated {
            result.unreadable.add(position) { "this item of “failed” is in the response twice" }
        }
        result.positions = ([], [])
        result.success = Self.completed(succeeded.filter { $0.index != nil }, from: sent)
        result.failed = Self.completed(zip(failures, isRepeated).filter { !$1 }.map(\.0), from: sent)
        result.unconfirmed = free.sorted().map { UnconfirmedItem(index: $0, sent: sent[$0]) }
        return result
    }

    private static func match<Item: ResponseItem>(
        _ items: [Item], with sent: [SentItem], in indices: ArraySlice<Int>, _ free: inout Set<Int>
    ) -> [(index: Int?, item: Item)] {
        items.map { item in
            let index = item.index(among: sent, in: indices, free)
            if let index { free.remove(index) }
            return (index, item)
        }
    }

    private static func completed<Item: ResponseItem>(
        _ items: [(index: Int?, item: Item)], from sent: [SentItem]
    ) -> [Item] {
        items.enumerated().sorted { ($0.element.index ?? .max, $0.offset) < ($1.element.index ?? .max, $1.offset) }
            .map { _, entry in
                var item = entry.item
                if let index = entry.index { item.complete(from: sent[index], at: index) }
                return item
            }
    }
}
