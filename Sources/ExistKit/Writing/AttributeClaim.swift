/// An attribute to acquire, identified by its name or its template.
public struct AttributeClaim: Sendable, Equatable {
    let item: SentItem

    /// Returns a claim to the user's attribute with this name, which may be a custom one. If `manual` is nil, whether
    /// the user tracks it manually remains unchanged.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(name: name, manual: manual))
    }

    /// Returns a claim to the attribute with this template, which is created if the user has none. Pass false as
    /// `manual` if your program updates it instead of the user.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(template: template, manual: manual))
    }
}
