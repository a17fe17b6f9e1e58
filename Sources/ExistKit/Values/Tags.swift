import Foundation
import PledgeHTTP

extension ExistAPI {
    /// The custom tags of a day. Wraps `GET attributes/with-values/?groups=custom`.
    ///
    /// - Parameter day: which day; the user's today unless given.
    /// - Returns: the tags that are set. Show their labels; address them by name.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func tags(on day: ExistDay? = nil) -> Promise<TagsReply> {
        walk(.attributesWithValues(groups: ["custom"], days: 1, through: day)).map(on: nil) { answer in
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
