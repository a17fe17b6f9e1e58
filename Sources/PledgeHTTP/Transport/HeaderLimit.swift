extension TransportError {
    /// The maximum size of a response's headers, in bytes, including those of interim responses and trailers where the
    /// transport receives them.
    static let headerLimit = 256 << 10

    static let headersTooLarge = TransportError.badReply("the headers are larger than \(headerLimit >> 10) KiB")
}
