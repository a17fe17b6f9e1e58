#if os(Linux)

    import Foundation
    import Testing

    @Suite("The locks in C")
    struct LockSymbolsTests {
        private static let hasTools = output(of: "command -v cc && command -v nm").isEmpty == false

        @Test(
            "are each copy's own, where two dynamic libraries of a process have promises in them",
            .enabled(if: LockSymbolsTests.hasTools, "needs cc and nm"))
        func nothingIsExported() throws {
            let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../Sources/PledgeLock").standardized.path
            let library = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).so")
            defer { try? FileManager.default.removeItem(at: library) }

            let symbols = Self.output(
                of: "cc -shared -fPIC -I '\(sources)/include' '\(sources)/pledge_lock.c' -o '\(library.path)' "
                    + "&& nm --dynamic --defined-only '\(library.path)' && echo done")

            #expect(symbols.hasSuffix("done\n"))
            #expect(!symbols.contains("pledge_"), "\(symbols)")
        }

        private static func output(of command: String) -> String {
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", command]
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return "" }
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text
        }
    }

#endif
