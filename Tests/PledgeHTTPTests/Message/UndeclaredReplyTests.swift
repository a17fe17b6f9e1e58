#if os(Linux)
    import PledgeTestSupport
    import Testing

    @Suite("Endpoints without a declared reply", .serialized)
    struct UndeclaredReplyTests {
        /// Returns what the compiler says about code that has a client.
        private func compile(_ code: String) throws -> (isTaken: Bool, output: String) {
            try Compiler.typecheck("import PledgeHTTP\nfunc calls(_ client: EndpointClient) {\n\(code)\n}")
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
