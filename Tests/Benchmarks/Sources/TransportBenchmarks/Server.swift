import CTransports
import Foundation

/// The response to every request.
enum Response {
    static let body =
        "{\"items\": [" + Array(repeating: "12345678", count: 900).joined(separator: ",") + "]}"
    static let length = body.utf8.count

    /// Serves responses in the child process, until the parent process closes its input.
    static func serve() -> Never {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n"
            + "Date: Sat, 07 Mar 2026 09:26:53 GMT\r\nServer: benchmark\r\nVary: Accept\r\n\r\n"
        exit(transports_serve(head + body, (head + body).utf8.count))
    }
}

/// The server, in its own process, so that its cost isn't measured.
struct Server {
    private let child: Child
    let url: URL

    init() throws {
        child = try Child(URL(fileURLWithPath: CommandLine.arguments[0]), ["serve"])
        guard let port = child.readLine(), let url = URL(string: "http://127.0.0.1:\(port)/things/") else {
            throw Problem("The server does not start.")
        }
        self.url = url
    }

    /// Returns the number of connections that the server has accepted so far.
    func accepted() throws -> Int {
        guard let count = child.ask("connections").flatMap({ Int($0) }) else { throw Problem("The server has gone.") }
        return count
    }
}

struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
