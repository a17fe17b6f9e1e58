import Dispatch
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeServer

@Suite("Starting and stopping", .serialized)
struct ServerLifecycleTests {
    static let hello = ServerRoute("GET /") { _ in .text("Hello!") }
    /// Starts and returns a server with these routes.
    private func serving(_ routes: ServerRoute...) throws -> LoopbackServer {
        let server = LoopbackServer(routes: routes)
        try server.start()
        return server
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("A server can stop and start again on its port, and no other server gets that port while the first runs")
    func restart() throws {
        let first = try serving(Self.hello)
        let port = UInt16(first.baseURL.port ?? 0)
        first.stop()
        let server = LoopbackServer(routes: [Self.hello], port: port)
        for _ in 0..<3 {
            try server.start()
            try server.start()
            #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(port)\(Self.hello.path)")
            let client = try RawClient(server.baseURL)
            #expect(try client.ask(Self.request)?.body == "Hello!")
            let error = thrown(ServerStartError.self) { try LoopbackServer(routes: [], port: port).start() }
            #expect(error?.call == "bind")
            let advice = "Choose another port, or 0 for any free port."
            #expect(error?.description == "The server could not start: bind: Address already in use. \(advice)")
            server.stop()
            server.stop()
            #expect(try client.response() == nil)
            #expect(throws: RawClient.Failure.self) { try RawClient(server.baseURL) }
        }
    }

    @Test("A server for both addresses of localhost doesn't start while another program listens at one of them", .ipv6)
    func bothLoopbacks() throws {
        let first = LoopbackServer(routes: [], port: 0, logLimit: 0, onIPv6: true)
        try first.start()
        let port = UInt16(first.baseURL.port ?? 0)
        first.stop()
        // A server that is not told to use IPv6 listens only at the IPv4 address, so the IPv6 address is still free.
        let plain = LoopbackServer(routes: [], port: port)
        try plain.start()
        let stranger = try #require(try SystemSocket.openListenerV6(port: port))
        plain.stop()
        // Nobody has connected, so there is no connection to accept.
        #expect(SystemSocket.nextConnection(at: stranger) == nil)
        let server = LoopbackServer(routes: [], port: port, logLimit: 0, onIPv6: true)
        #expect(throws: ServerStartError(call: "bind", code: EADDRINUSE)) { try server.start() }
        SystemSocket.closeDescriptor(stranger)
        try server.start()
        defer { server.stop() }
        #expect(throws: ServerStartError(call: "bind", code: EADDRINUSE)) {
            try SystemSocket.openListenerV6(port: port)
        }
    }

    #if compiler(>=6.2) && (os(macOS) || os(Linux))
        // Runs in a process of its own, in which nothing else opens a descriptor.
        @Test("A failed start leaves no descriptor open, even if descriptors ran out, and programs inherit no sockets")
        func descriptors() async {
            await #expect(processExitsWith: .success) {
                let (taken, pipe) = (try SystemSocket.openListener(port: 0), try SystemSocket.makePipe())
                try RawClient(#require(URL(string: "http://x:\(taken.port)/"))).send("x")
                #expect(SystemSocket.waitForReading([pipe.readEnd, taken.descriptor]) == [taken.descriptor])
                let connection = try #require(SystemSocket.nextConnection(at: taken.descriptor))
                let all = [taken.descriptor, pipe.readEnd, pipe.writeEnd, connection]
                #expect(all.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
                SystemSocket.closeDescriptor(connection)
                func failure(_ port: UInt16) -> String? {
                    thrown(ServerStartError.self) { try SystemSocket.openListener(port: port) }?.call
                }
                #expect(failure(taken.port) == "bind" && dup(0) == connection)
                while dup(0) >= 0 {}
                #expect(throws: ServerStartError(call: "pipe", code: EMFILE)) { try LoopbackServer(routes: []).start() }
                #expect(failure(0) == "socket")
            }
        }
    #endif

    @Test("A server listens only at the requested address or name", .secondLoopback)
    func hosts() throws {
        for (host, isHere) in [("127.1", true), ("127.0.0.2", false)] {
            let server = LoopbackServer(routes: [Self.hello], logLimit: -1, host: host)
            try server.start()
            defer { server.stop() }
            #expect(server.baseURL.host == host && server.address == (isHere ? "127.0.0.1" : host))
            let answer = try? RawClient(server.baseURL).ask(Self.request)?.body
            // At the address where this server doesn't listen, another server may have the same port and respond.
            #expect((answer == "Hello!") == isHere && server.requests.isEmpty, "\(host)")
        }
        #expect(LoopbackServer(routes: [], port: 80, host: "::1").baseURL.absoluteString == "http://[::1]:80/")
        // No machine has this address, which is reserved for documentation.
        #expect(throws: ServerStartError(call: "bind", code: EADDRNOTAVAIL)) {
            try LoopbackServer(routes: [], host: "192.0.2.1").start()
        }
    }

    @Test("Stopping a server ends idle connections, unfinished requests, and delayed responses")
    func stopIdle() async throws {
        let slow = ServerRoute("GET /slow/") { _ in .empty(200).delayed(by: 3_600) }
        let server = try serving(Self.hello, slow)
        let clients = try ["", "GET / HT", "GET /slow/ HTTP/1.1\r\nHost: x\r\n\r\n"].map { rest in
            let client = try RawClient(server.baseURL)
            #expect(try client.ask(Self.request)?.status == 200)
            client.send(rest)
            return client
        }
        await Wait.until { server.requests.count == 4 }
        server.stop()
        for client in clients { #expect(try client.response() == nil) }
        await Wait.until { server.openConnections == 0 }
    }

    @Test("A route can stop the server that runs it")
    func stopFromRoute() throws {
        let holder = Protected<LoopbackServer?>(nil)
        let server = try serving(
            ServerRoute("GET /stop/") { _ in
                holder.current?.stop()
                return .empty(200)
            })
        holder.withLock { $0 = server }
        let client = try RawClient(server.baseURL)
        #expect(try client.ask("GET /stop/ HTTP/1.1\r\nHost: x\r\n\r\n") == nil)
        holder.withLock { $0 = nil }
    }

    @Test("A hundred clients that ask at the same time all receive their own responses")
    func crowd() throws {
        let server = try serving(ServerRoute("GET /{number}/") { .text($0.parameters["number"] ?? "") })
        defer { server.stop() }
        let wrong = Protected(0)
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            let answer = try? RawClient(server.baseURL).ask("GET /\(number)/ HTTP/1.1\r\nHost: x\r\n\r\n")?.body
            if answer != "\(number)" { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.current == 0)
        #expect(Set(server.requests.map(\.connection)).count == 100)
    }
}
