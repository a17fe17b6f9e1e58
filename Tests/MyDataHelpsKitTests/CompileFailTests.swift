#if os(Linux)
    import Foundation
    import Testing

    @Suite("What must not compile", .serialized)
    struct CompileFailTests {
        /// Whether the compiler takes a piece of code that uses the kit, and what it says.
        private func typecheck(_ code: String) throws -> (isTaken: Bool, output: String) {
            let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            // A module in C is found by its map alone.
            let maps = ["PledgeCurl", "PledgeLock"].flatMap { name in
                ["-Xcc", "-fmodule-map-file=\(products.path)/\(name).build/module.modulemap"]
            }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
            try Data("import MyDataHelpsKit\n\(code)\n".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                [
                    "swiftc", "-typecheck", "-swift-version", "6", "-I",
                    products.appendingPathComponent("Modules").path,
                ] + maps + [file.path]
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus == 0, output)
        }

        @Test("The id of a survey cannot be used as that of a result, nor that of a provider as that of an account")
        func ids() throws {
            let right = try typecheck(
                """
                func f(_ session: ParticipantSession, _ answer: SurveyAnswer, _ account: ExternalAccount) async throws {
                    try await session.deleteSurveyResult(answer.surveyResultID)
                    try await session.refreshExternalAccount(account.id)
                }
                """)
            let survey = try typecheck(
                """
                func f(_ session: ParticipantSession, _ answer: SurveyAnswer) async throws {
                    try await session.deleteSurveyResult(answer.surveyID)
                }
                """)
            let provider = try typecheck(
                """
                func f(_ session: ParticipantSession, _ account: ExternalAccount) async throws {
                    try await session.refreshExternalAccount(account.provider.id)
                }
                """)

            #expect(right.isTaken, "\(right.output)")
            #expect(!survey.isTaken && survey.output.contains("error: cannot convert value of type 'Survey.ID'"))
            #expect(!provider.isTaken && provider.output.contains("'ExternalAccount.ID'"))
        }
    }
#endif
