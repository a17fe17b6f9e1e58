import Foundation
import PledgeHTTP

extension ExistAPI {
    /// Fetches the custom tags of a day. Wraps `GET attributes/with-values/?groups=custom`.
    ///
    /// - Parameter day: The day of the tags. The default is the current day in the user's time zone.
    /// - Returns: The tags that are set. Display their labels; use their names in requests.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func tags(day: ExistDay? = nil) -> Promise<TagsReply> {
        walk(.attributesWithValues(groups: ["custom"], days: 1, through: day)).map(on: nil) { answer in
            let set = answer.value.results.filter { $0.valueType == .boolean && $0.values.first?.value?.bool == true }
            return (tags: set, response: answer.reply.urlResponse)
        }
    }

    /// Sets and clears custom tags that this service owns, for one day. Wraps `POST attributes/update/`.
    ///
    /// - Parameters:
    ///   - names: The names of the tags to set.
    ///   - cleared: The names of the tags to clear.
    ///   - day: The day to set and clear them for.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func setTags(_ names: [String], clearing cleared: [String] = [], on day: ExistDay) -> Promise<UpdateReply> {
        update(
            attributes: names.map { IntAttributeUpdate(name: $0, day: day, value: 1) }
                + cleared.map { IntAttributeUpdate(name: $0, day: day, value: 0) })
    }
}
