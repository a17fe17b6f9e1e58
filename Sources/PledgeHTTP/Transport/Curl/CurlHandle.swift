#if os(Linux)
    import Foundation

    internal import PledgeLibraries

    /// A libcurl handle. It is reused for one exchange after another, as long as they succeed. Only the loop's thread
    /// may use it.
    final class CurlHandle {
        let easy: OpaquePointer
        private(set) var exchange: CurlExchange?
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
        private var headerList: OpaquePointer?
        private let watch: CurlWatch
        private weak var loop: CurlLoop?

        init?(_ options: CurlTransport.Options, _ watch: CurlWatch, _ loop: CurlLoop) {
            guard let easy = pledge_curl_easy_new() else { return nil }
            self.easy = easy
            self.watch = watch
            self.loop = loop
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
                    let isNew = handle.connections > 0
                    if !isNew { handle.loop?.sharesConnection(exchange) }
                    if exchange.mayBeSent(onNewConnection: isNew) { return 0 }
                }
                // libcurl has just made this connection to repeat the request. The connection is closed afterwards, so
                // that no other request uses it. Such a request would not be the first on its connection. So if libcurl
                // wanted to repeat that request, too, the reason would be unknown.
                handle.set(PLEDGE_CURL_FORBID_REUSE, true)
                return 1
            }
            pledge_curl_easy_set_progress(easy) { context, _, _, _, sent in
                guard let exchange = CurlHandle.at(context).exchange else { return 0 }
                exchange.report(bytesSent: Int(sent))
                return exchange.mayContinue() ? 0 : 1
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
