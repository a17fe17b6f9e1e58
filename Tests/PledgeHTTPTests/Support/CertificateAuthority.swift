import Foundation
import PledgeHTTP
import PledgeTestSupport

/// Signs certificates with `openssl`, and starts servers that use them.
struct CertificateAuthority {
    enum Flaw: String, CaseIterable {
        case selfSigned, expired, otherHost

        var words: String {
            switch self {
            case .selfSigned: "the certificate is self-signed"
            case .expired: "the certificate has expired"
            case .otherHost: "the certificate is for another host"
            }
        }
    }

    struct Server {
        let address: URL
        fileprivate let program: RunningProgram
        // The folder contains the server's certificate and the authority's certificate. It must exist as long as the
        // server, because clients read the authority's certificate.
        fileprivate let folder: TemporaryFolder
        // The server's input. It must stay open, because the server exits when its input closes.
        fileprivate var input: Pipe?

        func stop() {
            program.send(SIGKILL)
            program.wait()
        }
    }

    struct Failure: Error {
        let arguments: [String]
    }

    private let folder: TemporaryFolder
    /// Options for an elliptic-curve key, which `openssl` creates quickly.
    private let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"

    /// The file with the authority's certificate.
    var certificate: URL { folder.url.appendingPathComponent("ca.pem") }

    init() throws {
        folder = try TemporaryFolder()
        try openssl("req -x509 \(newKey) -keyout ca.key -out ca.pem -days 2 -subj /CN=PledgeTestAuthority")
        try folder.file(
            "authority",
            holding: """
                [ca]
                default_ca = authority
                [authority]
                database = issued
                serial = serial
                new_certs_dir = .
                default_md = sha256
                policy = policy
                unique_subject = no
                [policy]
                commonName = supplied

                """)
        try folder.file("issued", holding: "")
        try folder.file("serial", holding: "01\n")
    }

    /// Starts a server on this machine whose certificate has the given flaw, or no flaw.
    ///
    /// - Parameters:
    ///   - name: The subject alternative name of the certificate.
    ///   - tickets: The number of session tickets that the server issues after each handshake.
    func server(_ flaw: Flaw?, for name: String = "IP:127.0.0.1", tickets: Int = 2) throws -> Server {
        try certify(flaw, for: name)
        let (input, output) = (Pipe(), Pipe())
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let program = try RunningProgram(
            "openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www -num_tickets \(tickets)"
                .components(separatedBy: " "), in: folder.url,
            (input.fileHandleForReading.fileDescriptor, output.fileHandleForWriting.fileDescriptor, nil))
        try output.fileHandleForWriting.close()
        var text = ""
        while true {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw Failure(arguments: ["s_server"]) }
            text += String(decoding: more, as: UTF8.self)
            guard text.hasSuffix("\n"), let start = text.range(of: "ACCEPT 127.0.0.1:")?.upperBound,
                let address = URL(string: "https://127.0.0.1:\(text[start...].prefix { $0.isNumber })/")
            else { continue }
            return Server(address: address, program: program, folder: folder, input: input)
        }
    }

    /// Creates a certificate for a server on this machine.
    private func certify(_ flaw: Flaw?, for name: String = "IP:127.0.0.1") throws {
        let name = flaw == .otherHost ? "DNS:other.example" : name
        try folder.file("names", holding: "subjectAltName=\(name)\n")
        if flaw == .selfSigned {
            try openssl(
                "req -x509 \(newKey) -keyout key.pem -out cert.pem -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=\(name)"
            )
        } else {
            try openssl("req \(newKey) -keyout key.pem -out request.pem -subj /CN=service")
            // Passes explicit dates for an expired certificate, because newer versions of `openssl` don't accept a
            // validity of less than a day.
            let dates = flaw == .expired ? "-startdate 20200101000000Z -enddate 20200102000000Z" : "-days 2"
            try openssl(
                "ca -batch -notext -config authority -cert ca.pem -keyfile ca.key \(dates) -extfile names -in request.pem -out cert.pem"
            )
        }
    }

    /// Starts a service on this machine that speaks HTTP/2. For each request, the service takes the next action of the
    /// plan: `ok` answers with 200, `refuse` and `cancel` reset the stream with that error code, `goaway` announces
    /// that the stream won't be processed, `wait` does nothing, `close` and `reset` end the connection, and `leave`
    /// also refuses new connections.
    ///
    /// - Returns: The service, and a closure that returns the number of requests that it has received.
    func http2(_ plan: String) throws -> (server: Server, received: () -> Int) {
        try certify(nil)
        let script = #"""
            import os, socket, ssl, struct, sys, threading
            plan, received = sys.argv[1].split(","), 0
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("cert.pem", "key.pem")
            context.set_alpn_protocols(["h2"])
            def frame(kind, flags, stream, *words):
                payload = words[0] if words and isinstance(words[0], bytes) else struct.pack(f">{len(words)}I", *words)
                return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
            def write(name, text):
                with open(name + ".new", "w") as file: file.write(text)
                os.rename(name + ".new", name)
            def serve(plain):
                global received
                connection = context.wrap_socket(plain, server_side=True)
                file = connection.makefile("rb")
                file.read(24)
                # It accepts bodies of any size.
                connection.sendall(frame(4, 0, 0, b"\0\4\x7f\xff\xff\xff") + frame(8, 0, 0, 1 << 30))
                while head := file.read(9):
                    kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                    file.read(int.from_bytes(head[:3], "big"))
                    if kind == 4 and not flags & 1: connection.sendall(frame(4, 1, 0))
                    if kind > 1 or not flags & 1: continue
                    received += 1
                    write("received", str(received))
                    action = plan.pop(0)
                    if action == "ok": connection.sendall(frame(1, 5, stream, b"\x88"))
                    if action == "refuse": connection.sendall(frame(3, 0, stream, 7))
                    if action == "cancel": connection.sendall(frame(3, 0, stream, 8))
                    if action == "goaway": connection.sendall(frame(7, 0, 0, max(stream - 2, 0), 0))
                    if action == "leave": listener.shutdown(socket.SHUT_RDWR)
                    if action == "close": return connection.shutdown(socket.SHUT_RDWR)
                    if action in ("reset", "leave"):
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        file.close()
                        return connection.close()
            listener = socket.create_server(("127.0.0.1", 0))
            write("port", str(listener.getsockname()[1]))
            try:
                while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
            except OSError: threading.Event().wait()
            """#
        let program = try RunningProgram(["python3", "-c", script, plan], in: folder.url)
        func number(_ name: String) -> Int? {
            (try? String(contentsOf: folder.url.appendingPathComponent(name), encoding: .utf8)).flatMap { Int($0) }
        }
        var port: Int?
        while port == nil {
            guard program.isRunning else { throw Failure(arguments: ["python3"]) }
            port = number("port")
        }
        guard let address = URL(string: "https://127.0.0.1:\(port ?? 0)/") else {
            throw Failure(arguments: ["python3"])
        }
        return (Server(address: address, program: program, folder: folder), { number("received") ?? 0 })
    }

    /// Starts nginx on this machine. Its responses contain the HTTP version and the number of the connection.
    func nginx() throws -> Server {
        try certify(nil)
        // nginx can't choose a free port itself. A random port may be in use by another process, so this tries several.
        let ports = (0..<5).map { _ in Int.random(in: 20_000..<30_000) }
        for port in ports.dropLast() {
            if let server = try? nginx(port) { return server }
        }
        return try nginx(ports[4])
    }

    private func nginx(_ port: Int) throws -> Server {
        let configuration = """
            daemon off; master_process off; pid nginx.pid; error_log stderr; worker_rlimit_nofile 1024;
            events { worker_connections 512; }
            http {
                access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate cert.pem; ssl_certificate_key key.pem;
                    location / { return 200 "$server_protocol $connection"; }
                }
            }
            """
        try folder.file("nginx.conf", holding: configuration)
        guard let address = URL(string: "https://127.0.0.1:\(port)/") else { throw Failure(arguments: ["nginx"]) }
        let program = try RunningProgram(
            ["nginx", "-p", folder.url.path, "-c", folder.path("nginx.conf")], in: folder.url)
        // nginx writes this file with its process identifier after it has begun to listen.
        while !FileManager.default.fileExists(atPath: folder.path("nginx.pid")) {
            guard program.isRunning else { throw Failure(arguments: ["nginx"]) }
        }
        return Server(address: address, program: program, folder: folder)
    }

    /// Returns the platform's transport. On Linux, this transport trusts the test's certificate authority. On other
    /// platforms, the transport uses `URLSession`, which can't be configured to trust that authority.
    func transport(requestsInFlight: Int = 8, proxy: ProxyRule = .none) throws -> any HTTPTransport {
        #if os(Linux)
            var options = CurlTransport.Options()
            options.requestsInFlight = requestsInFlight
            options.proxy = proxy
            options.trustedCertificates = certificate
            return try CurlTransport(options)
        #else
            return URLSessionTransport(connectionsPerHost: requestsInFlight, proxy: proxy)
        #endif
    }

    private func openssl(_ arguments: String) throws {
        let words = ["openssl"] + arguments.components(separatedBy: " ")
        guard try Executable.run(words, in: folder.url).status == 0 else { throw Failure(arguments: words) }
    }
}
