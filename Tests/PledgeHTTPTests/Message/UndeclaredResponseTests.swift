#if os(Linux)
    import PledgeTestSupport
    import Testing

    @Suite("Endpoints without a declared response")
    struct UndeclaredResponseTests {
        @Test(
            "An endpoint without a declared response type doesn't compile unless the context determines the type"
        )
        func undeclared() throws {
            let (_, output) = try Compiler.typecheck(
                """
                import PledgeHTTP
                func undeclared(_ client: EndpointClient) {
                    client.value(of: Endpoint(.get, "books")).done { books in print(books) }.cauterize()
                    _ = client.send(Endpoint(.delete, "book"))
                    _ = Endpoint(.get, "books")
                }
                func declared(_ client: EndpointClient) {
                    let books: Promise<[String]> = client.value(of: Endpoint(.get, "books"))
                    let gone: Promise<Void> = client.value(of: Endpoint(.delete, "book"))
                    _ = (books, gone, client.send(Endpoint<Void>(.delete, "book")), Endpoint<[Int]>(.get, "numbers"))
                }
                """)
            let errors = output.matches(of: #/Code.swift:(\d+):\d+: error: (\w+ \w+ \w+ 'init\()?/#)
            #expect(
                errors.map { "\($0.1) \($0.2 ?? "")" } == [3, 4, 5].map { "\($0) ambiguous use of 'init(" }, "\(output)"
            )
        }
    }
#endif
