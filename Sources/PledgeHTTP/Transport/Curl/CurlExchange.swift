#if os(Linux)
    import Foundation
    import Pledge

    internal import PledgeLibraries

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
        /// Whether the request was the first on its connection.
        private(set) var isFirstOnConnection = false
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
        /// libcurl sends a request again for one of two reasons. Either a kept connection is dead, or the service has
        /// refused the request's HTTP/2 stream, and so has not processed the request. If the request was the first one
        /// on its connection, only the second reason is possible.
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

    /// A libcurl handle. It is reused for one exchange after another, as long as they succeed. Only the loop's thread
    /// may use it.
    final class CurlHandle {
        let easy: OpaquePointer
        private(set) var exchange: CurlExchange?
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
        private var headerList: OpaquePointer?
        private let watch: CurlWatch

        init?(_ options: CurlTransport.Options, _ watch: CurlWatch) {
            guard let easy = pledge_curl_easy_new() else { return nil }
            self.easy = easy
            self.watch = watch
            // The buffer is initialized here, because libcurl writes to it only after an error.
            errorText.initialize(repeating: 0, count: 256)
            set(PLEDGE_CURL_ERRORBUFFER, errorText)
            setCallbacks()
            setOptions(options)
        }

        deinit {
            pledge_curl_easy_free(easy)
            pledge_curl_list_free(headerList)
            errorText.deallocate()
        }

        private func setCallbacks() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            for option in [
                PLEDGE_CURL_READDATA, PLEDGE_CURL_WRITEDATA, PLEDGE_CURL_HEADERDATA, PLEDGE_CURL_PREREQDATA,
                PLEDGE_CURL_XFERINFODATA, PLEDGE_CURL_OPENSOCKETDATA,
            ] {
                set(option, context)
            }
            // The context of this callback is the watch and not the handle. A connection can outlive the handle that
            // made it. It cannot outlive the loop, and the watch lives as long as the loop.
            set(PLEDGE_CURL_CLOSESOCKETDATA, Unmanaged.passUnretained(watch).toOpaque())
            pledge_curl_easy_set_write(easy, CInt(PLEDGE_CURL_WRITEFUNCTION.rawValue)) { bytes, size, count, context in
                let (handle, bytes) = (CurlHandle.at(context), CurlHandle.buffer(bytes, size * count))
                return handle.exchange?.receive(body: bytes, status: handle.status) == true ? size * count : 0
            }
            pledge_curl_easy_set_write(easy, CInt(PLEDGE_CURL_HEADERFUNCTION.rawValue)) { bytes, size, count, context in
                let (handle, bytes) = (CurlHandle.at(context), CurlHandle.buffer(bytes, size * count))
                return handle.exchange?.receive(line: bytes) == true ? size * count : 0
            }
            pledge_curl_easy_set_write(easy, CInt(PLEDGE_CURL_READFUNCTION.rawValue)) { bytes, size, count, context in
                let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return CurlHandle.at(context).exchange?.send(into: room) ?? Int(PLEDGE_CURL_READ_ABORT)
            }
            pledge_curl_easy_set_prereq(easy) { context, _, _, _, _ in
                let handle = CurlHandle.at(context)
                if let exchange = handle.exchange {
                    handle.watch.sends(exchange)
                    if exchange.mayBeSent(onNewConnection: handle.connections > 0) { return 0 }
                }
                // libcurl has just made this connection to repeat the request. The connection is closed afterwards, so
                // that no other request uses it. Such a request would not be the first on its connection. So if libcurl
                // wanted to repeat that request, too, the reason would be unknown.
                handle.set(PLEDGE_CURL_FORBID_REUSE, true)
                return 1
            }
            pledge_curl_easy_set_progress(easy) { context, _, _, _, _ in
                CurlHandle.at(context).exchange?.mayContinue() ?? true ? 0 : 1
            }
            pledge_curl_easy_set_sockets(
                easy,
                { context, _, address in
                    let (handle, address) = (CurlHandle.at(context), address.unsafelyUnwrapped.pointee)
                    // The flag closes the socket in programs that this process starts, because they must not inherit
                    // it.
                    let socket = socket(address.family, address.type | CInt(SOCK_CLOEXEC.rawValue), address.protocol)
                    if socket >= 0, let exchange = handle.exchange { handle.watch.opened(socket, by: exchange) }
                    return socket
                }
            ) { context, socket in
                Unmanaged<CurlWatch>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue().closing(socket)
                return close(socket)
            }
        }

        /// Sets the options that are the same for all exchanges.
        private func setOptions(_ options: CurlTransport.Options) {
            set(PLEDGE_CURL_NOPROGRESS, false)
            set(PLEDGE_CURL_NOSIGNAL, true)
            set(PLEDGE_CURL_QUICK_EXIT, true)
            set(PLEDGE_CURL_PROTOCOLS, 0b11)
            set(PLEDGE_CURL_DISALLOW_USERNAME_IN_URL, true)
            set(PLEDGE_CURL_PATH_AS_IS, true)
            set(PLEDGE_CURL_SSL_VERIFYPEER, true)
            set(PLEDGE_CURL_SSL_VERIFYHOST, 2)
            set(PLEDGE_CURL_HTTP_VERSION, 4)
            set(PLEDGE_CURL_CONNECTTIMEOUT_MS, Self.milliseconds(options.connectTimeout))
            // An empty text stands for all encodings that this version of libcurl can decompress.
            set(PLEDGE_CURL_ACCEPT_ENCODING, "")
            // An empty text means that libcurl uses the proxy for all hosts. If the option were not set, libcurl would
            // read the exceptions from the environment.
            set(PLEDGE_CURL_NOPROXY, "")
            set(PLEDGE_CURL_SUPPRESS_CONNECT_HEADERS, true)
            if let file = options.trustedCertificates { set(PLEDGE_CURL_CAINFO, file.path) }
        }

        /// Configures the handle for an exchange.
        func prepare(for exchange: CurlExchange) {
            self.exchange = exchange
            errorText.pointee = 0
            let request = exchange.request
            set(PLEDGE_CURL_URL, request.url.absoluteString)
            set(PLEDGE_CURL_PROXY, exchange.proxy?.absoluteString ?? "")
            // Makes the request wait for a connection that it can share, but only if the request may use HTTP/2.
            set(PLEDGE_CURL_PIPEWAIT, request.url.scheme == "https")
            set(PLEDGE_CURL_FORBID_REUSE, false)
            // Resets the options of the previous exchange.
            set(PLEDGE_CURL_HTTPGET, true)
            switch request.method {
            case .get, .post: unset(PLEDGE_CURL_CUSTOMREQUEST)
            default: set(PLEDGE_CURL_CUSTOMREQUEST, request.method.rawValue)
            }
            if request.method == .head { set(PLEDGE_CURL_NOBODY, true) }
            let body: Data? =
                switch request.method {
                case .get, .head: nil
                // An empty body is sent with a length of 0, because some servers require a length and otherwise answer
                // 411.
                case .post, .put, .patch: request.body ?? Data()
                default: request.body
                }
            let count = request.bodyFiles?.count ?? body?.count
            if let count {
                set(PLEDGE_CURL_POST, true)
                pledge_curl_easy_set_offset(easy, CInt(PLEDGE_CURL_POSTFIELDSIZE_LARGE.rawValue), Int64(count))
            }
            if request.bodyFiles != nil {
                unset(PLEDGE_CURL_COPYPOSTFIELDS)
            } else {
                body?.withUnsafeBytes { set(PLEDGE_CURL_COPYPOSTFIELDS, $0.baseAddress) }
            }
            setHeaders(request.headers, hasBody: count != nil)
        }

        private func setHeaders(_ headers: HeaderFields, hasBody: Bool) {
            // For a header with an empty value, libcurl expects a semicolon in place of the colon.
            var lines = headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            // Suppresses two headers that libcurl would add: `Expect`, with which it would wait for “100 Continue”, and
            // a content type.
            if hasBody { lines += headers["Content-Type"] == nil ? ["Expect:", "Content-Type:"] : ["Expect:"] }
            pledge_curl_list_free(headerList)
            headerList = lines.reduce(nil) { pledge_curl_list_append($0, $1) }
            set(PLEDGE_CURL_HTTPHEADER, headerList.map(UnsafeRawPointer.init))
        }

        /// Releases the exchange, so that the handle can be used for another exchange. Returns whether the watch has
        /// shut down the exchange's connection.
        func release() -> Bool {
            defer { exchange = nil }
            return exchange.map(watch.release) ?? false
        }

        /// The status code of the response.
        var status: Int { pledge_curl_easy_get_long(easy, CInt(PLEDGE_CURL_INFO_RESPONSE_CODE.rawValue)) }

        /// The number of connections that were made for the current exchange.
        private var connections: Int {
            pledge_curl_easy_get_long(easy, CInt(PLEDGE_CURL_INFO_NUM_CONNECTS.rawValue))
        }

        /// The status code with which the proxy answered `CONNECT`; 0 if no proxy was used.
        var proxyStatus: Int { pledge_curl_easy_get_long(easy, CInt(PLEDGE_CURL_INFO_HTTP_CONNECTCODE.rawValue)) }

        /// The message of libcurl's error. It is examined but never shown, because it may contain hosts and ports.
        var errorDetail: String { String(cString: errorText) }

        // MARK: Called by libcurl

        /// Returns the handle to which a callback belongs.
        private static func at(_ context: UnsafeMutableRawPointer?) -> CurlHandle {
            Unmanaged.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        }

        private static func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: UnsafeRawPointer(bytes)?.assumingMemoryBound(to: UInt8.self), count: count)
        }

        // MARK: Options

        static func milliseconds(_ seconds: TimeInterval) -> Int {
            Int((min(max(seconds, 0.001), TransportError.longestTimeout) * 1000).rounded(.up))
        }

        private func set(_ option: PledgeCurlOption, _ isOn: Bool) { set(option, isOn ? 1 : 0) }

        private func set(_ option: PledgeCurlOption, _ value: Int) {
            pledge_curl_easy_set_long(easy, CInt(option.rawValue), value)
        }

        private func set(_ option: PledgeCurlOption, _ value: UnsafeRawPointer?) {
            pledge_curl_easy_set_pointer(easy, CInt(option.rawValue), value)
        }

        private func set(_ option: PledgeCurlOption, _ value: String) {
            // libcurl makes a copy of the string.
            value.withCString { _ = pledge_curl_easy_set_pointer(easy, CInt(option.rawValue), $0) }
        }

        private func unset(_ option: PledgeCurlOption) {
            pledge_curl_easy_set_pointer(easy, CInt(option.rawValue), nil)
        }
    }
#endif
