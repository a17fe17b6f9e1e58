import Foundation

/// A port that is bound, but on which nothing listens.
package struct HeldPort {
    private let descriptor: Int32

    /// Binds a port, or any that is free; nil if the address is none of this machine.
    package init?(_ port: UInt16 = 0, at address: String = "127.0.0.1") {
        var (hints, list) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        hints.ai_flags = AI_NUMERICHOST
        guard getaddrinfo(address, "\(port)", &hints, &list) == 0, let found = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        #if canImport(Glibc)
            descriptor = socket(found.ai_family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(found.ai_family, SOCK_STREAM, 0)
        #endif
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, found.ai_addr, found.ai_addrlen) == 0 else {
            close(descriptor)
            return nil
        }
    }

    package func letGo() {
        close(descriptor)
    }
}
