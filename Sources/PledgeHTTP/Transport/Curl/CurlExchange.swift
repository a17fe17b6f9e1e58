#if os(Linux)
    import Foundation
    import Pledge

    /// A request in progress, and what was received of its response so far.
    final class CurlExchange: @unchecked Sendable {
        // Unchecked: once the exchange has been given to the loop, only the loop's thread accesses its mutable state.

        let request: OutgoingRequest
        let seal: Resolver<RawResponse>
        /// The proxy to use; nil to use no proxy.
        let proxy: URL?
        /// Whether the exchange was ended early, perhaps before it began.
        var isOver = false
        /// The reason for ending the exchange early.
        var failure: TransportError?
        /// The number of times that libcurl was about to send the request. libcurl asks for permission each time, and
        /// gets it only the first time.
        private(set) var sendings = 0
        /// Whether the request was the first on its connection, and no other request has used the connection since.
        var isAloneOnNewConnection = false
        /// The number of steps that libcurl has taken for this exchange since the loop last called libcurl. Steps are
        /// no longer counted once the request was sent.
        private var steps = 0
        private(set) var hasHead = false
        /// When the exchange began and when the last byte was transferred, in seconds of the loop's clock.
        var began: TimeInterval = 0
        private var lastByte: TimeInterval?

        private var fields: [HeaderFields.Field] = []
        private var body: ReceivedBody
        private var upload: FileBodyReader?
        /// The number of bytes of a body in memory that were reported as sent.
        private var reportedBytes = 0
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

        /// Returns whether the request may be sent, now that there is a connection. Only the first sending is allowed.
        ///
        /// libcurl sends a request again for one of two reasons. Either a connection that several requests have used is
        /// dead, or the service has refused the request's HTTP/2 stream, and so has not processed the request. If no
        /// other request has used the connection, only the second reason is possible.
        func mayBeSent(onNewConnection isNew: Bool) -> Bool {
            sendings += 1
            lastByte = CurlLoop.now()
            if sendings == 1 {
                isAloneOnNewConnection = isNew
                return true
            }
            if isAloneOnNewConnection { failure = .refusedStream }
            return false
        }

        /// Resets the number of steps, because another call of libcurl begins.
        func beginTurn() { steps = 0 }

        /// Returns whether libcurl may take another step. Without this limit, a proxy could occupy the thread forever:
        /// libcurl reads a proxy's response byte by byte, one step for each byte, and does nothing else until no more
        /// bytes arrive.
        func mayContinue() -> Bool {
            // After the request was sent, the exchange must not fail as unreachable, because a request that fails in
            // that way may be sent again.
            guard sendings == 0 else { return true }
            steps += 1
            guard steps <= 0x10000 else {
                failure = .unreachable("the proxy's response never ends")
                return false
            }
            return true
        }

        /// Receives a header line. Returns false if the headers are now larger than the limit, or are not HTTP.
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
                // The headers of an earlier section are removed. An interim response, such as a 100, has a section of
                // its own.
                fields = []
                headStatus = Int(String(decoding: status, as: UTF8.self)) ?? 0
                isInHead = true
                hasHead = true
            } else if isInHead {
                append(line)
            }
            return true
        }

        /// Receives the end of a header section. Returns false if the headers announce a body that is larger than the
        /// limit.
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
            // Most headers are plain ASCII, for which this quick check is enough. Validating them as UTF-8 would take
            // as long as all other work for a response's headers.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            return String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }

        /// Receives a piece of the body, after decompression. Returns false if the body now exceeds the limit, or if
        /// the piece could not be written to the file.
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

        /// Reports how much of a body in memory was sent. For a body that includes files, `send(into:)` does so.
        func report(bytesSent: Int) {
            guard upload == nil, bytesSent > reportedBytes else { return }
            reportedBytes = bytesSent
            request.progress?.update { $0.bytesSent = min(bytesSent, $0.bytesToSend) }
        }

        /// Provides the next piece of a request's body that includes files. Returns the size of the piece, which is 0
        /// at the end. Returns nil on failure.
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
            // Truncated headers are detected here, because libcurl takes them for complete.
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

        /// Removes the temporary file of an incomplete response. This method is called before the promise is settled,
        /// so that no one sees the file.
        func discardBody() { body = ReceivedBody(request) }

        /// The time limit of the whole exchange, in seconds.
        var longest: TimeInterval {
            request.timeout < TransportError.longestTimeout ? request.timeout : TransportError.longestTimeout
        }

        func extendLimits(by seconds: TimeInterval) {
            began += seconds
            lastByte = lastByte.map { $0 + seconds }
        }

        /// Returns the time at which to give up if nothing happens before, and the error to reject with at that time.
        func deadline(_ options: CurlTransport.Options) -> (time: TimeInterval, error: TransportError) {
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
