/// An attribute to acquire, identified by its name or its template.
public struct AttributeClaim: Sendable, Equatable {
    let item: SentItem

    /// Returns a claim to the user's attribute with this name, which may be a custom one.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - manual: Whether the user continues to track it manually; nil leaves this unchanged.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(name: name, manual: manual))
    }

    /// Returns a claim to the attribute with this template, which is created if the user has none.
    ///
    /// - Parameters:
    ///   - template: The name of the template.
    ///   - manual: Whether the user tracks the attribute manually; pass false if your program updates it.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(template: template, manual: manual))
    }
}
