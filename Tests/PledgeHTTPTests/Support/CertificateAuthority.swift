import Foundation
import PledgeHTTP

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
        let process: Process
        let input: Pipe
        let address: URL

        /// Not waited for: the wait of Foundation on Linux may miss that the process has ended.
        func stop() {
            process.terminate()
        }
    }

    struct Failure: Error {
        let arguments: [String]
    }

    private let folder: URL

    static let isAvailable = (try? run(["version"], in: FileManager.default.temporaryDirectory)) != nil

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try openssl(
            "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=PledgeTestAuthority")
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A service on this machine whose certificate has this flaw, or none.
    func server(_ flaw: Flaw?) throws -> Server {
        let name = flaw == .otherHost ? "DNS:other.example" : "IP:127.0.0.1"
        try Data("subjectAltName=\(name)\n".utf8).write(to: folder.appendingPathComponent("names"))
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
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.arguments = "openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www".components(
            separatedBy: " ")
        // It ends when its input does.
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
            return Server(process: process, input: input, address: address)
        }
    }

    /// The platform's transport, which trusts this authority where that can be said.
    func transport() throws -> any HTTPTransport {
        #if os(Linux)
            var options = CurlTransport.Options()
            options.trustedCertificates = folder.appendingPathComponent("ca.pem")
            return try CurlTransport(options)
        #else
            return URLSessionTransport()
        #endif
    }

    private func openssl(_ arguments: String) throws {
        try Self.run(arguments.components(separatedBy: " "), in: folder)
    }

    private static func run(_ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
    }
}
