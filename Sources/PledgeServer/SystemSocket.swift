import Foundation

#if canImport(Glibc)
    private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
    private let streamSocket = SOCK_STREAM
#endif
// Writing to a closed connection raises a signal that would end the process. On Darwin, a socket option prevents the
// signal. On other systems, this flag does.
#if canImport(Darwin)
    private let sendFlags: Int32 = 0
#else
    private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

/// The system calls that the server uses.
package enum SystemSocket {
    /// Opens a socket that listens at an address or a name of this machine. Returns the socket with its port and its
    /// numeric address.
    static func openListener(
        port: UInt16, at host: String = "127.0.0.1"
    ) throws(ServerStartError) -> (descriptor: Int32, port: UInt16, address: String) {
        var (hints, list): (addrinfo, UnsafeMutablePointer<addrinfo>?) = (addrinfo(), nil)
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let address = list?.pointee else {
            throw ServerStartError(call: "getaddrinfo", code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(address.ai_family, streamSocket, 0)
        guard descriptor >= 0 else { throw ServerStartError(call: "socket", code: errno) }
        // Without this option, the server could not start again on the same port before its earlier connections have
        // timed out.
        set(SO_REUSEADDR, to: Int32(1), of: descriptor)
        closeOnExec(descriptor)
        // A connection may disappear between `poll` and `accept`. A blocking `accept` would then hang.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)

        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let failed = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> String? in
                if bind(descriptor, address.ai_addr, address.ai_addrlen) != 0 { return "bind" }
                if listen(descriptor, SOMAXCONN) != 0 { return "listen" }
                if getsockname(descriptor, generic, &length) != 0 { return "getsockname" }
                let size = socklen_t(name.count)
                return getnameinfo(generic, length, &name, size, nil, 0, NI_NUMERICHOST) != 0 ? "getnameinfo" : nil
            }
        }
        if let failed {
            let code = errno
            closeDescriptor(descriptor)
            throw ServerStartError(call: failed, code: code)
        }
        // In the addresses of both IPv4 and IPv6, the port comes after the two bytes of the address family.
        let port = withUnsafeBytes(of: bound) { $0.load(fromByteOffset: 2, as: UInt16.self) }
        let numeric = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (descriptor, UInt16(bigEndian: port), numeric)
    }

    /// Opens a socket that listens at `[::1]`. Returns nil if the machine doesn't have IPv6. Without IPv6, no other
    /// program can listen at that address, so the socket isn't needed.
    static func openListenerV6(port: UInt16) throws(ServerStartError) -> Int32? {
        do {
            return try openListener(port: port, at: "::1").descriptor
        } catch {
            guard [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Returns the next waiting connection as a blocking socket; nil if no connection waits, or accepting it fails.
    static func nextConnection(at listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        closeOnExec(descriptor)
        // On Darwin, a connection inherits `O_NONBLOCK` from its listener, so the flag is removed here.
        _ = fcntl(descriptor, F_SETFL, 0)
        set(TCP_NODELAY, to: Int32(1), at: Int32(IPPROTO_TCP), of: descriptor)
        #if canImport(Darwin)
            set(SO_NOSIGPIPE, to: Int32(1), of: descriptor)
        #endif
        return descriptor
    }

    /// Blocks until bytes arrive, and returns them. If the connection has ended, cleanly or with an error, returns an
    /// empty array.
    static func receive(from descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
            var received: Int
            repeat {
                received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while received < 0 && errno == EINTR
            count = max(0, received)
        }
    }

    static func sendAll(_ bytes: Data, to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                let count = Int(send(descriptor, rest.baseAddress, rest.count, sendFlags))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    static func limitReceiving(_ descriptor: Int32, seconds: Int) {
        set(SO_RCVTIMEO, to: timeval(tv_sec: .init(seconds), tv_usec: 0), of: descriptor)
    }

    /// Makes the socket reset the connection when it is closed. The client then loses the bytes that it has not read
    /// yet.
    static func resetOnClose(_ descriptor: Int32) {
        set(SO_LINGER, to: linger(l_onoff: 1, l_linger: 0), of: descriptor)
    }

    /// Blocks until at least one of the descriptors is readable, and returns the readable ones.
    static func waitForReading(_ descriptors: [Int32]) -> Set<Int32> {
        var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&requests, nfds_t(requests.count), -1)
        return Set(requests.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Returns a pipe. Closing its write end makes the read end readable, which wakes a thread in
    /// ``waitForReading(_:)``.
    static func makePipe() throws(ServerStartError) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ServerStartError(call: "pipe", code: errno) }
        ends.forEach(closeOnExec)
        return (ends[0], ends[1])
    }

    static func endSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }
    static func endBothWays(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

    static func set<Value>(_ option: Int32, to value: Value, at level: Int32 = SOL_SOCKET, of descriptor: Int32) {
        withUnsafeBytes(of: value) {
            _ = setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count))
        }
    }

    private static func closeOnExec(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
}
