#if os(Linux)

    import PledgeTestSupport
    import Testing

    @Suite("The locks implemented in C")
    struct LockSymbolsTests {
        @Test(
            "The locks in C export no symbols, so two dynamic libraries in one process can each contain the locks",
            .needs("cc", "nm"))
        func nothingIsExported() throws {
            let (sources, folder) = (Repository.file("Sources/PledgeLock").path, try TemporaryFolder())
            let compiler = ["cc", "-shared", "-fPIC", "-I", "\(sources)/include", "\(sources)/pledge_lock.c"]
            let built = try Executable.run(compiler + ["-o", "library.so"], in: folder.url)
            let symbols = try Executable.run(["nm", "--dynamic", "--defined-only", "library.so"], in: folder.url)
            #expect(built.status == 0 && symbols.status == 0, "\(built.output)\(symbols.output)")
            #expect(!symbols.output.contains("pledge_"), "\(symbols.output)")
        }
    }

#endif
