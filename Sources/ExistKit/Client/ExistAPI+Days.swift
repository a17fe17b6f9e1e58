import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExistAPI {
    /// All attributes with the value of one day. Wraps `GET attributes/with-values/`.
    ///
    /// - Parameter day: which day; nil for the user's today, whatever the device's clock says.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func attributes(on day: ExistDay?) -> Promise<AttributesReply> {
        walk(.attributesWithValues(days: 1, dateMax: day))
            .map(on: nil) { (attributes: $0.value.results, response: $0.reply.urlResponse) }
    }

    /// The whole history of one attribute, newest first, its values read by its type. Wraps `GET attributes/values/`.
    ///
    /// - Parameters:
    ///   - attribute: the attribute, as ``attributes(on:)`` or a query gives it.
    ///   - last: the last day; the newest unless given.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func history(of attribute: Attribute, through last: ExistDay? = nil) -> Promise<HistoryReply> {
        walk(.values(of: attribute.name, dateMax: last)).map(on: nil) { answer in
            var whole = attribute
            whole.values = answer.value.results.map { item in
                Attribute.DayValue(day: item.day, value: item.value?.read(as: attribute.valueType))
            }
            whole.unreadableValues = answer.value.unreadable
            return (attribute: whole, response: answer.reply.urlResponse)
        }
    }

    /// The custom tags of a day. Wraps `GET attributes/with-values/?groups=custom`.
    ///
    /// - Parameter day: which day; the user's today unless given.
    /// - Returns: the tags that are set. Show their labels; address them by name.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func tags(on day: ExistDay? = nil) -> Promise<TagsReply> {
        walk(.attributesWithValues(groups: ["custom"], days: 1, dateMax: day)).map(on: nil) { answer in
            let set = answer.value.results.filter { $0.valueType == .boolean && $0.values.first?.value?.bool == true }
            return (tags: set, response: answer.reply.urlResponse)
        }
    }

    /// Sets and clears custom tags of a day that this service owns. Wraps `POST attributes/update/`.
    ///
    /// - Parameters:
    ///   - names: the tags to set.
    ///   - cleared: the tags to clear.
    ///   - day: which day.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func setTags(_ names: [String], clearing cleared: [String] = [], on day: ExistDay) -> Promise<UpdateReply> {
        update(
            attributes: names.map { IntAttributeUpdate(name: $0, day: day, value: 1) }
                + cleared.map { IntAttributeUpdate(name: $0, day: day, value: 0) })
    }
}
