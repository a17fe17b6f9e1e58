import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls under the server; what Darwin and Linux spell differently has files of its own.
package enum SystemSocket {
    /// Opens a socket that listens on 127.0.0.1, and tells the port it got.
    static func openListener(port: UInt16) throws(SandboxError) -> (descriptor: Int32, port: UInt16) {
        _ = mostOpen
        let descriptor = makeStreamSocket()
        guard descriptor >= 0 else { throw SandboxError(call: "socket", code: errno) }
        // Without this a restart on the same port would wait for the connections of the last run to be forgotten.
        enable(SO_REUSEADDR, at: SOL_SOCKET, of: descriptor)
        closeOnExec(descriptor)
        // A connection can vanish between `poll` and `accept`; a listener that blocks would then hang.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)

        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> String? in
                if bind(descriptor, generic, length) != 0 { return "bind" }
                if listen(descriptor, SOMAXCONN) != 0 { return "listen" }
                return getsockname(descriptor, generic, &length) != 0 ? "getsockname" : nil
            }
        }
        if let failed {
            let code = errno
            closeDescriptor(descriptor)
            throw SandboxError(call: failed, code: code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Asks for as many descriptors as may be had: shells on macOS give 256, which a server soon uses up.
    ///
    /// How many that are.
    package static let mostOpen: Int = {
        var limit = rlimit()
        guard getrlimit(descriptorLimit, &limit) == 0 else { return 256 }
        var wish = limit
        wish.rlim_cur = min(limit.rlim_max, 10_240)
        if limit.rlim_cur < wish.rlim_cur, setrlimit(descriptorLimit, &wish) == 0 { limit = wish }
        return Int(clamping: limit.rlim_cur)
    }()

    /// The next waiting connection, as a socket that blocks; `nil` when none waits.
    static func nextConnection(at listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        closeOnExec(descriptor)
        // Darwin lets a connection inherit the listener's O_NONBLOCK.
        _ = fcntl(descriptor, F_SETFL, 0)
        enable(TCP_NODELAY, at: Int32(IPPROTO_TCP), of: descriptor)
        silenceBrokenPipe(descriptor)
        return descriptor
    }

    /// Waits for bytes; an empty result is the end of the connection, orderly or not.
    static func receive(from descriptor: Int32, into buffer: inout [UInt8]) -> ArraySlice<UInt8> {
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            return buffer.prefix(max(0, count))
        }
    }

    /// Sends everything; `false` when the connection is gone.
    static func sendAll(_ bytes: Data, to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = sendQuietly(UnsafeRawBufferPointer(rebasing: buffer[sent...]), to: descriptor)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// Makes a `receive` on the socket give up after some time.
    static func limitReceiving(_ descriptor: Int32, seconds: Int) {
        var limit = timeval(tv_sec: .init(seconds), tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Makes closing the socket a reset, which loses what the other side has not read yet.
    static func resetOnClose(_ descriptor: Int32) {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }

    /// Waits until one of the descriptors has something to read, and says which do.
    static func waitForReading(_ descriptors: [Int32]) -> Set<Int32> {
        var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&requests, nfds_t(requests.count), -1)
        return Set(requests.filter { $0.revents != 0 }.map(\.fd))
    }

    /// A pipe whose read end becomes ready when its write end is closed.
    static func makePipe() throws(SandboxError) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SandboxError(call: "pipe", code: errno) }
        ends.forEach(closeOnExec)
        return (ends[0], ends[1])
    }

    static func endSending(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    static func endBothWays(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    static func enable(_ option: Int32, at level: Int32, of descriptor: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Keeps the descriptor out of programs this one starts.
    private static func closeOnExec(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
}
