#if os(Linux)
    import Foundation
    import Pledge

    /// One request and what has come back of it so far.
    final class CurlExchange: @unchecked Sendable {
        // Unchecked: after it was handed to the loop, only the loop's thread touches what can change.

        enum State {
            case waiting, underWay, ended
        }

        let request: OutgoingRequest
        let seal: Resolver<HTTPReply>
        /// What to go through; nil for nothing.
        let proxy: URL?
        var state = State.waiting
        /// Why it is being ended early.
        var failure: TransportError?
        /// How often it went out. libcurl asks before each time; it may go out once.
        private(set) var sendings = 0
        private(set) var hasHead = false
        /// When it began, and when the last byte came, in seconds of the loop's clock.
        var began: TimeInterval = 0
        private var lastByte: TimeInterval?

        private var fields: [HeaderFields.Field] = []
        private var body = Data()
        private var isInHead = false
        private var headerBytes = 0

        init(request: OutgoingRequest, proxy: URL?, seal: Resolver<HTTPReply>) {
            self.request = request
            self.proxy = proxy
            self.seal = seal
        }

        /// A connection is there and the request about to go out: may it?
        func mayBeSent(now: TimeInterval) -> Bool {
            sendings += 1
            lastByte = now
            return sendings == 1
        }

        /// Takes a header line.
        ///
        /// - Returns: whether there was room.
        func receive(line: UnsafeBufferPointer<UInt8>, now: TimeInterval) -> Bool {
            lastByte = now
            headerBytes += line.count
            guard headerBytes <= TransportError.headerLimit else {
                failure = .headersTooLarge
                return false
            }
            // The line that ends a head is empty. What comes after the last head are trailers, which nobody wants.
            guard let end = line.lastIndex(where: { $0 != 0x0D && $0 != 0x0A }) else {
                isInHead = false
                return true
            }
            let line = line[...end]
            if line.starts(with: "HTTP/".utf8) {
                // Perhaps not the first: an interim reply like 100 comes before.
                fields = []
                fields.reserveCapacity(8)
                isInHead = true
                hasHead = true
            } else if isInHead {
                append(line)
            }
            return true
        }

        private func append(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
            guard let first = line.first, first != 0x20, first != 0x09 else {
                // A line that begins with white space continues the one before.
                // In place: the value of a header of many such lines is not to be copied with each.
                if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.text(line) }
                return
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
            fields.append(.init(name: Self.text(line[..<colon]), value: Self.text(line[(colon + 1)...])))
        }

        /// Without surrounding white space; bytes that are no UTF-8 are read as Latin-1, as HTTP once was.
        private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            guard let start = bytes.firstIndex(where: { !isBlank($0) }),
                let end = bytes.lastIndex(where: { !isBlank($0) })
            else { return "" }
            let bytes = UnsafeBufferPointer(rebasing: bytes[start...end])
            // To ask whether they are UTF-8 costs as much as the rest of a reply's headers, and most are plain ASCII.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            return String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }

        /// Takes a piece of the body, unpacked.
        ///
        /// - Returns: whether there was room.
        func receive(body bytes: UnsafeBufferPointer<UInt8>, now: TimeInterval) -> Bool {
            lastByte = now
            guard body.count + bytes.count <= request.bodyLimit else {
                failure = .tooLarge(limit: request.bodyLimit)
                return false
            }
            body.append(bytes)
            return true
        }

        /// What it has come to, when libcurl says that it went well.
        func conclude(status: Int) {
            // To libcurl a head that breaks off is a whole one.
            guard hasHead, !isInHead else {
                seal.reject(TransportError.connectionLost("the reply was cut short"))
                return
            }
            seal.fulfill(HTTPReply(url: request.url, status: status, headers: HeaderFields(fields), body: body))
        }

        /// When to give up if nothing changes, and with what.
        func deadline(_ options: CurlTransport.Options) -> (time: TimeInterval, error: TransportError) {
            let longest = request.timeout.isFinite ? request.timeout : TransportError.longestTimeout
            var nearest = (began + longest, TransportError.timedOut(seconds: request.timeout))
            if let lastByte {
                if let idle = options.idleTimeout, lastByte + idle < nearest.0 {
                    nearest = (lastByte + idle, .stalled(seconds: idle))
                }
            } else if began + options.connectTimeout < nearest.0 {
                nearest = (began + options.connectTimeout, .unreachable("no connection in time"))
            }
            return nearest
        }
    }
#endif
