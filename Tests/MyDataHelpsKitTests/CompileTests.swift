#if os(Linux)
    import PledgeTestSupport
    import Testing

    @Suite("Code that must compile, and code that must not", .serialized)
    struct CompileTests {
        private func typecheck(_ code: String, mode: Int = 6) throws -> (isTaken: Bool, output: String) {
            try Compiler.typecheck("import Foundation\nimport MyDataHelpsKit\n\(code)\n", mode: mode)
        }

        @Test("A survey's ID can't be used as a result's ID, and a provider's ID can't be used as an account's ID")
        func ids() throws {
            let wrong = try typecheck(
                """
                func f(_ session: ParticipantSession, _ answer: SurveyAnswer, _ account: ExternalAccount) async throws {
                    try await session.deleteSurveyResult(answer.surveyID)
                    try await session.refreshExternalAccount(account.provider.id)
                }
                """)

            #expect(!wrong.isTaken && wrong.output.contains("error: cannot convert value of type 'Survey.ID'"))
            #expect(wrong.output.contains("'ExternalAccount.ID'"))
        }

        @Test(
            "Calls written for the official SDK compile without a warning in Swift 5 mode and in Swift 6 mode",
            arguments: [5, 6])
        func completions(mode: Int) throws {
            let use = try typecheck(
                """
                class Loader {
                    var session: ParticipantSession
                    var name = ""
                    init(_ session: ParticipantSession) { self.session = session }
                    func literal() {
                        session.getParticipantInfo { self.name = (try? $0.get())?.participantIdentifier ?? "" }
                    }
                    func load(completion: @escaping (Result<ParticipantInfo, MyDataHelpsError>) -> Void) {
                        session.getParticipantInfo(completion: completion)
                    }
                    func delete(_ answer: SurveyAnswer, _ text: String) {
                        session.deleteSurveyResult(surveyResultID: answer.surveyResultID) { _ in }
                        session.deleteSurveyResult(surveyResultID: text) { _ in }
                        session.deleteSurveyResult(surveyResultID: "id") { _ in }
                    }
                }
                func isOffline(_ session: ParticipantSession) async -> Bool {
                    do { _ = try await session.getParticipantInfo() } catch { return error.isOffline }
                    return false
                }
                @MainActor class Screen {
                    var names: [String] = []
                    func load(_ session: ParticipantSession) {
                        session.querySurveyTasks(SurveyTaskQuery()) { result in
                            switch result {
                            case .success(let page): self.names = page.surveyTasks.map(\\.surveyDisplayName)
                            case .failure(let error): print(error)
                            }
                        }
                    }
                }
                """, mode: mode)

            #expect(use.isTaken && !use.output.contains("warning:"), "\(use.output)")
        }

        @Test(
            "A switch over the official SDK's cases is exhaustive, and the kit's types can adopt an app's protocols"
        )
        func cases() throws {
            let use = try typecheck(
                """
                func word(_ error: MyDataHelpsError) -> String {
                    switch error {
                    case .decodingError, .encodingError, .invalidSurvey, .serverError, .timedOut: "one"
                    case .tooManyRequests(let limit, let response): "\\(limit.nextReset) \\(response.statusCode)"
                    case .unauthorizedRequest, .unknown, .webContentError: "other"
                    }
                }
                func word(_ content: NotificationContent) -> String? {
                    switch content {
                    case .sms(let sms): sms?.body
                    case .push(let push): push?.title
                    case .email(let email): email?.subject
                    }
                }
                func word(_ type: NotificationType) -> String {
                    switch type {
                    case .sms, .push, .email: type.rawValue
                    }
                }
                protocol Listed {}
                extension SurveyTaskResultPage: Listed {}
                extension SurveyAnswersPage: Listed {}
                protocol SessionType {
                    func getProjectInfo() async throws -> ProjectInfo
                    func querySurveyTasks(_ query: SurveyTaskQuery) async throws -> SurveyTaskResultPage
                    func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) async throws
                }
                protocol OlderSessionType {
                    func getProjectInfo(completion: @escaping (Result<ProjectInfo, MyDataHelpsError>) -> Void)
                }
                extension ParticipantSession: SessionType, OlderSessionType {}
                func makers() -> (URL?) -> MyDataHelpsClient { MyDataHelpsClient.init(baseURL:) }
                enum Place: Codable, Hashable {
                    case survey(Survey.ID, SurveyTaskQuery.SortOrder)
                }
                """)

            #expect(use.isTaken && !use.output.contains("warning:"), "\(use.output)")
        }

        @Test(
            "Any class can be a data source in Swift 5 mode; in Swift 6 mode, it must be final, and the compiler still warns"
        )
        func dataSources() throws {
            let source = """
                class SignIn {
                    private var token: String?
                    init(token: String?) { self.token = token }
                }
                extension SignIn: AccessTokenDataSource {
                    var accessToken: String? { token }
                }
                func session(_ signIn: SignIn) -> ParticipantSession {
                    ParticipantSession(client: MyDataHelpsClient(), dataSource: signIn)
                }
                """
            let older = try typecheck(source, mode: 5)
            let plain = try typecheck(source, mode: 6)
            let final = try typecheck("final \(source)", mode: 6)

            #expect(older.isTaken && !older.output.contains("warning:"), "\(older.output)")
            #expect(!plain.isTaken && plain.output.contains("non-final class 'SignIn'"), "\(plain.output)")
            #if compiler(>=6.1)
                #expect(final.isTaken && final.output.contains("warning: stored property 'token'"), "\(final.output)")
            #else
                #expect(!final.isTaken && final.output.contains("error: stored property 'token'"), "\(final.output)")
            #endif
        }
    }
#endif
