#if os(Linux)
    import Foundation
    import Pledge

    /// A request, and the part of its response that was received so far.
    final class CurlExchange: @unchecked Sendable {
        // Unchecked: once the exchange is handed to the loop, only the loop's thread accesses its mutable state.

        let request: OutgoingRequest
        let seal: Resolver<RawResponse>
        /// The proxy to use; nil for none.
        let proxy: URL?
        /// Whether the exchange was ended early, perhaps before it began.
        var isOver = false
        /// The reason for ending the exchange early.
        var failure: TransportError?
        /// The number of times that the request was about to be sent. libcurl asks before each time, and only the first
        /// is allowed.
        private(set) var sendings = 0
        /// Whether the request was the first on its connection.
        private(set) var isFirstOnConnection = false
        /// The number of steps that the exchange took in a single call of libcurl before the request was sent.
        private var steps = 0
        private(set) var hasHead = false
        /// When the exchange began and when the last byte was transferred, in seconds of the loop's clock.
        var began: TimeInterval = 0
        private var lastByte: TimeInterval?

        private var fields: [HeaderFields.Field] = []
        private var body: ReceivedBody
        private var upload: FileBodyReader?
        private var isInHead = false
        private var headStatus = 0
        private var headerBytes = 0

        init(request: OutgoingRequest, proxy: URL?, seal: Resolver<RawResponse>) {
            self.request = request
            body = ReceivedBody(request)
            upload = request.bodyFiles.map { FileBodyReader($0) }
            self.proxy = proxy
            self.seal = seal
        }

        /// Returns whether the request may be sent, now that there is a connection.
        ///
        /// libcurl would send the request again for one of two reasons: a kept connection is dead, or the service has
        /// refused the request's HTTP/2 stream, and so has not processed it. On a new connection, only the second is
        /// possible.
        func mayBeSent(onNewConnection isNew: Bool) -> Bool {
            sendings += 1
            lastByte = CurlLoop.now()
            if sendings == 1 {
                isFirstOnConnection = isNew
                return true
            }
            if isFirstOnConnection { failure = .refusedStream }
            return false
        }

        /// Begins another call of libcurl.
        func beginTurn() { steps = 0 }

        /// Returns whether libcurl may take another step. libcurl reads a proxy's response byte by byte, one step each,
        /// and does nothing else until no more bytes arrive.
        func mayContinue() -> Bool {
            // Once the request was sent, its exchange never fails as unreachable, because a request that fails so may
            // be sent again.
            guard sendings == 0 else { return true }
            steps += 1
            guard steps <= 0x10000 else {
                failure = .unreachable("the proxy's response never ends")
                return false
            }
            return true
        }

        /// Receives a header line. Returns whether it is within the limit.
        func receive(line: UnsafeBufferPointer<UInt8>) -> Bool {
            lastByte = CurlLoop.now()
            headerBytes += line.count
            guard headerBytes <= TransportError.headerLimit else {
                failure = .headersTooLarge
                return false
            }
            // An empty line ends a header section. Lines after the last section are trailers, which are ignored.
            guard let end = line.lastIndex(where: { $0 != 0x0D && $0 != 0x0A }) else {
                defer { isInHead = false }
                return !isInHead || endHead()
            }
            let line = line[...end]
            if line.starts(with: "HTTP/".utf8) {
                // Newer versions of libcurl use only the first three digits of a longer status.
                let status = line.drop { $0 != 0x20 }.dropFirst().prefix { (0x30...0x39).contains($0) }
                guard status.count <= 3 else {
                    failure = .badResponse("the response is not HTTP")
                    return false
                }
                // This may not be the first header section. An interim response such as 100 may come before it.
                fields = []
                headStatus = Int(String(decoding: status, as: UTF8.self)) ?? 0
                isInHead = true
                hasHead = true
            } else if isInHead {
                append(line)
            }
            return true
        }

        /// Receives the end of a header section. Returns whether the body may be within the limit.
        private func endHead() -> Bool {
            let headers = HeaderFields(fields)
            request.progress?.begin(headers)
            do throws(TransportError) {
                try body.expect(headers, status: headStatus)
                return true
            } catch {
                failure = error
                return false
            }
        }

        private func append(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
            guard let first = line.first, first != 0x20, first != 0x09 else {
                // A line that begins with white space continues the previous one. It is appended in place, because a
                // header may have many such lines, and copying its value for each would take quadratic time.
                if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.text(line) }
                return
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
            fields.append(.init(name: Self.text(line[..<colon]), value: Self.text(line[(colon + 1)...])))
        }

        /// Decodes text without surrounding white space. Bytes that are not UTF-8 are read as Latin-1, as HTTP once
        /// specified.
        private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            guard let start = bytes.firstIndex(where: { !isBlank($0) }),
                let end = bytes.lastIndex(where: { !isBlank($0) })
            else { return "" }
            let bytes = UnsafeBufferPointer(rebasing: bytes[start...end])
            // Validating UTF-8 takes as long as the rest of a response's headers, and most headers are plain ASCII.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            return String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }

        /// Receives a piece of the body, after decompression. Returns whether the body is within the limit so far. If
        /// the body goes to a file, also returns false if the piece could not be written.
        func receive(body bytes: UnsafeBufferPointer<UInt8>, status: Int) -> Bool {
            lastByte = CurlLoop.now()
            do throws(TransportError) {
                try body.append(UnsafeRawBufferPointer(bytes), status: status)
            } catch {
                failure = error
                return false
            }
            request.progress?.update { [count = body.count] in $0.bytesReceived = count }
            return true
        }

        /// Provides the next piece of a body that is in files. Returns the size of the piece, which is 0 at the end;
        /// nil on failure.
        func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            lastByte = CurlLoop.now()
            do throws(UnreadableFile) {
                let count = try upload?.read(into: buffer) ?? 0
                request.progress?.update { $0.bytesSent += count }
                return count
            } catch {
                failure = .unsendable("\(error)")
                return nil
            }
        }

        /// Settles the exchange when libcurl reports success.
        func conclude(status: Int) {
            // libcurl considers truncated headers complete, so that is checked here.
            guard hasHead, !isInHead else {
                reject(TransportError.connectionLost("the response was cut short"))
                return
            }
            do throws(TransportError) {
                seal.fulfill(try body.response(status, HeaderFields(fields)))
            } catch {
                reject(error)
            }
        }

        func reject(_ error: TransportError) {
            discardBody()
            seal.reject(error)
        }

        /// Removes the file of an incomplete response. It is called before the promise is settled, so that no one sees
        /// the file.
        func discardBody() { body = ReceivedBody(request) }

        /// Returns the time at which to give up if nothing changes, and the error to reject with.
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
