import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection that sends and receives bytes, without a client library between a test and the server.
package final class RawClient {
    package struct Failure: Error {
        package let call: String

        package init(call: String) { self.call = call }
    }

    package let descriptor: Int32
    private var received: [UInt8] = []
    /// Whether the connection ended with a reset.
    package private(set) var isReset = false

    package init(_ url: URL) throws {
        let made = makeSocket(UInt16(url.port ?? 0), at: "127.0.0.1", connect)
        guard let made else { throw Failure(call: "connect") }
        descriptor = made
        #if canImport(Darwin)
            var on: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        // A server that never responds must make a test fail, and not hang. So each read ends after a second, and the client then
        // checks whether to continue.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write($0) }
            // A server may close the connection before it has read everything, such as when a body is too large.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Glibc)
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Returns the next response, or `nil` if the server closed the connection instead.
    package func response(toHead: Bool = false) throws -> ResponseBytes? {
        while true {
            if let (response, length) = ResponseBytes.parse(received, toHead: toHead) {
                received.removeFirst(length)
                return response
            }
            guard try receive() else { return nil }
        }
    }

    /// Sends a request, and returns the response.
    package func ask(_ text: String, toHead: Bool = false) throws -> ResponseBytes? {
        send(text)
        return try response(toHead: toHead)
    }

    /// Returns everything received until the connection ends.
    package func rest() throws -> String {
        while try receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var count = recv(descriptor, &buffer, buffer.count, 0)
        // A reset also ends the connection, and isn't a failure. It is a failure if the server never responds.
        while count < 0, errno == EAGAIN {
            guard !Wait.isInVain else { throw Failure(call: "recv") }
            count = recv(descriptor, &buffer, buffer.count, 0)
        }
        isReset = count < 0 && errno == ECONNRESET
        received += buffer.prefix(max(0, count))
        return count > 0
    }
}
