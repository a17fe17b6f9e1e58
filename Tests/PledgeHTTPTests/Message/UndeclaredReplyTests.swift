#if os(Linux)
    import Foundation
    import PledgeTestSupport
    import Testing

    @Suite("Endpoints without a declared reply", .serialized)
    struct UndeclaredReplyTests {
        /// Returns what the compiler says about code that has a client.
        private func compile(_ code: String) throws -> (isTaken: Bool, output: String) {
            let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            // A C module is found only through its module map.
            let maps = ["PledgeCurl", "PledgeLock"].flatMap { name in
                ["-Xcc", "-fmodule-map-file=\(products.path)/\(name).build/module.modulemap"]
            }
            let folder = try TemporaryFolder()
            let lines = ["import PledgeHTTP", "func calls(_ client: EndpointClient) {", code, "}"]
            let file = try folder.file("Code.swift", holding: lines.joined(separator: "\n"))
            let modules = products.appendingPathComponent("Modules").path
            let run = try Executable.run(
                ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules] + maps + [file.path])
            return (run.status == 0, run.output)
        }

        @Test("An endpoint whose reply nothing determines does not compile, and one for `Void` says so")
        func undeclared() throws {
            for code in [
                #"client.value(of: Endpoint(.get, "books")).done { books in print(books) }.cauterize()"#,
                #"_ = client.send(Endpoint(.delete, "book"))"#, #"_ = Endpoint(.get, "books")"#,
            ] {
                let refused = try compile(code)
                #expect(!refused.isTaken && refused.output.contains("error: ambiguous use of 'init("), "\(code)")
            }
            let taken = try compile(
                """
                let books: Promise<[String]> = client.value(of: Endpoint(.get, "books"))
                let gone: Promise<Void> = client.value(of: Endpoint(.delete, "book"))
                _ = (books, gone, client.send(Endpoint<Void>(.delete, "book")), Endpoint<[Int]>(.get, "numbers"))
                """)
            #expect(taken.isTaken, "\(taken.output)")
        }
    }
#endif
