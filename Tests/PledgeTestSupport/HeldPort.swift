import Foundation

/// A port that is bound, but on which nothing listens.
package struct HeldPort {
    private let descriptor: Int32

    /// Binds a port, or any free port if the number is 0. Returns nil if the address doesn't belong to this machine.
    package init?(_ port: UInt16 = 0, at address: String = "127.0.0.1") {
        let made = makeSocket(port, at: address) { descriptor, address, length in
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return bind(descriptor, address, length)
        }
        guard let made else { return nil }
        descriptor = made
    }

    package func release() { close(descriptor) }
}

/// Returns a new socket after `begin` has bound or connected it, or nil if that fails or the address is invalid.
func makeSocket(
    _ port: UInt16, at address: String, _ begin: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
) -> Int32? {
    var (hints, list) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
    hints.ai_flags = AI_NUMERICHOST
    guard getaddrinfo(address, "\(port)", &hints, &list) == 0, let found = list?.pointee else { return nil }
    defer { freeaddrinfo(list) }
    #if canImport(Glibc)
        let descriptor = socket(found.ai_family, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let descriptor = socket(found.ai_family, SOCK_STREAM, 0)
    #endif
    if begin(descriptor, found.ai_addr, found.ai_addrlen) == 0 { return descriptor }
    close(descriptor)
    return nil
}
