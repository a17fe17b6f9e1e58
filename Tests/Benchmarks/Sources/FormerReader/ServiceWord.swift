protocol ServiceWord: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension ServiceWord {
    var description: String { rawValue }
}
