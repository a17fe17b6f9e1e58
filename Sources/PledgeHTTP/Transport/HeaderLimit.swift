extension TransportError {
    /// The most that the headers of a reply may take, in bytes: with those of interim replies and what follows the body,
    /// where the transport sees them.
    static let headerLimit = 256 << 10

    static let headersTooLarge = TransportError.badReply("the headers are larger than \(headerLimit >> 10) KiB")
}
