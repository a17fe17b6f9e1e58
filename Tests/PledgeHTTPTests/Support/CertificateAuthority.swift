import Foundation
import PledgeHTTP
import PledgeTestSupport

/// Signs certificates with `openssl`, and serves with them.
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
        fileprivate let process: Process
        // The certificates it was started with, and that of the authority, which its clients read.
        fileprivate let folder: TemporaryFolder
        // It ends when its input does, so this must live.
        fileprivate var input: Pipe?

        /// By force: on Linux a process inherits the signals that are blocked here, the polite one among them.
        func stop() {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    struct Failure: Error {
        let arguments: [String]
    }

    private let folder: TemporaryFolder

    static let isAvailable = Executable.path("openssl") != nil
    static let hasNginx = isAvailable && Executable.path("nginx") != nil

    init() throws {
        folder = try TemporaryFolder()
        try openssl(
            "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=PledgeTestAuthority")
    }

    /// A service on this machine whose certificate has this flaw, or none.
    ///
    /// - Parameter name: what the certificate is for.
    func server(_ flaw: Flaw?, for name: String = "IP:127.0.0.1") throws -> Server {
        try certify(flaw, for: name)
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.arguments = "openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www".components(
            separatedBy: " ")
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while true {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw Failure(arguments: ["s_server"]) }
            text += String(decoding: more, as: UTF8.self)
            guard text.hasSuffix("\n"), let start = text.range(of: "ACCEPT 127.0.0.1:")?.upperBound,
                let address = URL(string: "https://127.0.0.1:\(text[start...].prefix { $0.isNumber })/")
            else { continue }
            return Server(address: address, process: process, folder: folder, input: input)
        }
    }

    /// Makes a certificate for a service on this machine.
    private func certify(_ flaw: Flaw?, for name: String = "IP:127.0.0.1") throws {
        let name = flaw == .otherHost ? "DNS:other.example" : name
        try folder.file("names", holding: "subjectAltName=\(name)\n")
        if flaw == .selfSigned {
            try openssl(
                "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=\(name)"
            )
        } else {
            try openssl("req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=service")
            let days = flaw == .expired ? -1 : 2
            try openssl(
                "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile names -out cert.pem"
            )
        }
    }

    /// nginx on this machine, which tells of each request the version of HTTP and the number of the connection.
    func nginx() throws -> Server {
        try certify(nil)
        // Somebody else may have the port; nginx cannot choose one itself.
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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder.url
        process.arguments = ["nginx", "-p", folder.url.path, "-c", folder.path("nginx.conf")]
        // Or, left behind by a test that crashed, it would keep the caller waiting for the end of the output.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It listens first, and writes its number then.
        while !FileManager.default.fileExists(atPath: folder.path("nginx.pid")) {
            guard process.isRunning else { throw Failure(arguments: ["nginx"]) }
        }
        return Server(address: address, process: process, folder: folder)
    }

    /// The platform's transport, which trusts this authority where that can be said.
    func transport(requestsInFlight: Int = 8, proxy: ProxyRule = .none) throws -> any HTTPTransport {
        #if os(Linux)
            var options = CurlTransport.Options()
            options.requestsInFlight = requestsInFlight
            options.proxy = proxy
            options.trustedCertificates = folder.url.appendingPathComponent("ca.pem")
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
