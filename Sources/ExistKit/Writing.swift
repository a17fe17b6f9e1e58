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

/// The progress of a write of which one request failed as a whole. Positions are those of the given items.
public struct WriteProgress: Sendable {
    /// The items of requests that got a response; ``result`` contains the outcome of each.
    public var answered: IndexSet
    /// The items of the request that failed. Their outcome is unknown if the connection was lost or the service failed;
    /// if the service refused the request, none was processed.
    public var unknown: IndexSet
    /// The items that were not sent.
    public var unsent: IndexSet
    /// The outcome of the items in ``answered``: a ``WriteResult`` of the call's own type.
    public var result: any Sendable
}

extension ExistAPI {
    typealias WriteOutput<Success: WrittenItem> = (attributeResponse: WriteResult<Success>, response: URLResponse)

    /// Sends the items in order, as many at a time as the service accepts, and merges the responses.
    ///
    /// - Parameters:
    ///   - again: The items to send again, of an earlier write of the same items; nil to send all.
    ///   - earlier: What that write returned, in which the later outcomes replace the failures.
    func write<Success: WrittenItem>(
        _ path: String, _ items: [SentItem], again: [Int]? = nil, after earlier: WriteOutput<Success>? = nil,
        successObjects: Bool = false, isRepeatable: Bool
    ) -> Promise<WriteOutput<Success>> {
        for item in items {
            if case .decimal(let value)? = item.value, !value.isFinite {
                return .invalid("The value for “\(item.name ?? "")” is not a finite number: leave the item out.")
            }
        }
        let answered = earlier == nil ? [] : IndexSet(items.indices)
        return write(items, (again ?? Array(items.indices))[...], answered, earlier ?? (WriteResult(), noResponse)) {
            .write(path, $0, successObjects: successObjects, isRepeatable: isRepeatable)
        }
    }

    private func write<Success: WrittenItem>(
        _ items: [SentItem], _ unsent: ArraySlice<Int>, _ answered: IndexSet, _ earlier: WriteOutput<Success>,
        _ endpoint: @escaping @Sendable ([SentItem]) -> Endpoint<WriteResult<Success>>
    ) -> Promise<WriteOutput<Success>> {
        let indices = unsent.prefix(Self.mostItemsPerWrite)
        let rest = unsent.dropFirst(Self.mostItemsPerWrite)
        guard !indices.isEmpty else { return .value(earlier) }
        var known = earlier.attributeResponse
        known.failed.removeAll { $0.index.map(indices.contains) ?? false }
        let before = known
        let request = endpoint(indices.map { items[$0] })
        return send(request).mapError(on: nil) { error in
            var failure = ExistError(error)
            failure.write = WriteProgress(
                answered: answered.subtracting(IndexSet(indices)), unknown: IndexSet(indices),
                unsent: IndexSet(rest).subtracting(answered), result: before)
            return failure
        }.then(on: nil) { decoded -> Promise<WriteOutput<Success>> in
            self.report(decoded.value.unreadable, of: request.path)
            let all = before.merged(with: decoded.value.ordered(like: items, in: indices))
            return self.write(
                items, rest, answered.union(IndexSet(indices)), (all, decoded.response.urlResponse), endpoint)
        }
    }

    /// Sends the items, acquires the attributes that this service does not own, and sends their items again.
    func writeAcquiring(
        _ path: String, _ items: [SentItem], isRepeatable: Bool, _ mayAcquire: @escaping @Sendable (String) -> Bool
    ) -> Promise<UpdateOutput> {
        let first: Promise<UpdateOutput> = write(path, items, isRepeatable: isRepeatable)
        return first.then(on: nil) { first -> Promise<UpdateOutput> in
            let names = items.map { $0.name ?? "" }
            let refused = first.attributeResponse.failed.filter { $0.errorCode == .unauthorised }.compactMap(\.index)
                .filter { mayAcquire(names[$0]) }
            // With none of them, neither call sends anything.
            return self.acquire(names: Set(refused.map { names[$0] }).sorted()).mapError(on: nil) { error in
                var failure = ExistError(error)
                failure.write = WriteProgress(
                    answered: IndexSet(items.indices), unknown: [], unsent: [], result: first.attributeResponse)
                return failure
            }.then(on: nil) { acquired -> Promise<UpdateOutput> in
                let ours = Set(acquired.attributeResponse.success.map { ExactText($0.name) })
                let again = refused.filter { ours.contains(ExactText(names[$0])) }
                return self.write(path, items, again: again, after: first, isRepeatable: isRepeatable)
            }
        }
    }
}

extension Endpoint where Response: Decodable {
    /// Returns a write of up to 35 items. Any status code below 500 with results in the body counts as a response.
    static func write<Success>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Endpoint where Response == WriteResult<Success> {
        var endpoint = Endpoint(
            .post, path, query: ["success_objects": successObjects ? 1 : nil], body: .json(items),
            isRepeatable: isRepeatable)
        endpoint.acceptsIfReadable = { 400..<500 ~= $0.status }
        endpoint.replaceMessages = { result, shown in
            for index in result.failed.indices { result.failed[index].error = shown(result.failed[index].error) }
        }
        return endpoint
    }
}

/// An item of a write, as it was sent.
public struct SentItem: Sendable, Equatable {
    /// The attribute's name, if it was sent by name.
    public var name: String?
    /// The template's name, if it was sent by template.
    public var template: String?
    /// The label, if the attribute was to be created.
    public var label: String?
    /// The day, if one was sent.
    public var day: ExistDay?
    /// The value, if one was sent.
    public var value: AttributeValue?
    var group: String?
    var valueType: ValueType?
    var manual: Bool?

    /// Whether nothing identifies the item.
    var isAnonymous: Bool { name == nil && template == nil && label == nil }

    /// What is known of the item, for a sentence about it.
    var title: String { (name ?? template ?? label ?? "an item") + (day.map { " \($0)" } ?? "") }
}

extension SentItem: Encodable {
    private enum CodingKeys: String, CodingKey {
        case name, template, label, value, group, manual
        case day = "date"
        case valueType = "value_type"
    }
}

/// An item of a write's response, which repeats parts of the item that was sent.
protocol WrittenItem: Decodable, Sendable {
    var echo: SentItem { get }
    /// The position among the given items, if it is kept.
    var index: Int? { get }
    /// The item's index in its request, if the service's message contains it.
    var namedIndex: Int? { get }

    /// Adds the omitted parts from the item that was sent.
    mutating func complete(from sent: SentItem, at index: Int)
}

extension WrittenItem {
    var index: Int? { nil }
    var namedIndex: Int? { nil }

    mutating func complete(from sent: SentItem, at index: Int) {}

    fileprivate func matches(_ sent: SentItem) -> Bool {
        let echo = echo
        let names = [echo.name, echo.template].compactMap { $0 }
        // The service may return a label in lower case.
        let isSame =
            sent.name.map(names.contains) ?? sent.template.map(names.contains)
            ?? sent.label.map { $0.lowercased() == echo.label?.lowercased() }
        return isSame == true && (echo.day == nil || sent.day == nil || echo.day == sent.day)
    }

    /// Finds the sent item by the repeated parts, including the value if several match otherwise, or else by the index
    /// in the service's message.
    fileprivate func index(among sent: [SentItem], in indices: ArraySlice<Int>, _ free: Set<Int>) -> Int? {
        func isSame(_ value: AttributeValue?, _ other: AttributeValue?) -> Bool {
            value.flatMap { value in other.map(value.isSame) } ?? false
        }
        let alike = indices.filter { free.contains($0) && matches(sent[$0]) }
        return alike.first { isSame(echo.value, sent[$0].value) } ?? alike.first
            ?? namedIndex.flatMap { indices.dropFirst($0).first }.flatMap { free.contains($0) ? $0 : nil }
    }
}

extension WriteResult where Success: WrittenItem {
    /// Returns this result with the outcomes of other items added, in the order of the items.
    func merged(with later: WriteResult) -> WriteResult {
        var all = self
        all.success = (success + later.success).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
        all.failed = (failed + later.failed).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
        all.unconfirmed = (unconfirmed + later.unconfirmed).sorted { $0.index < $1.index }
        all.unreadable += later.unreadable
        return all
    }

    /// Returns the items in the order they were sent, each with its omitted parts, and accounts for every sent item.
    func ordered(like sent: [SentItem], in indices: ArraySlice<Int>) -> WriteResult {
        var free = Set(indices)
        var succeeded = Self.matched(success, with: sent, in: indices, &free)
        var failures = Self.matched(failed, with: sent, in: indices, &free)
        var ordered = self
        // An item in both lists has failed.
        for position in failures.indices where failures[position].index == nil {
            let twin = succeeded.firstIndex { $0.index.map { failures[position].item.matches(sent[$0]) } ?? false }
            if let twin { failures[position].index = succeeded.remove(at: twin).index }
        }
        // Items without identification are the remaining ones, if there are as many.
        let anonymous = failures.indices.filter { failures[$0].index == nil && failures[$0].item.echo.isAnonymous }
        if anonymous.count == free.count {
            for (position, index) in zip(anonymous, free.sorted()) { failures[position].index = index }
            free = []
        }
        // Report a failure even if it matches no sent item.
        let known = failures.compactMap(\.index)
        failures.removeAll { entry in entry.index == nil && known.contains { entry.item.matches(sent[$0]) } }
        succeeded.removeAll { $0.index == nil }
        for position in 0..<(success.count + failed.count - succeeded.count - failures.count) {
            ordered.unreadable.add(position) { "it was not sent, or is in the response twice" }
        }
        ordered.success = Self.completed(succeeded, from: sent)
        ordered.failed = Self.completed(failures, from: sent)
        ordered.unconfirmed = free.sorted().map { UnconfirmedItem(index: $0, sent: sent[$0]) }
        return ordered
    }

    private static func matched<Item: WrittenItem>(
        _ items: [Item], with sent: [SentItem], in indices: ArraySlice<Int>, _ free: inout Set<Int>
    ) -> [(index: Int?, item: Item)] {
        items.map { item in
            let index = item.index(among: sent, in: indices, free)
            if let index { free.remove(index) }
            return (index, item)
        }
    }

    private static func completed<Item: WrittenItem>(
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
