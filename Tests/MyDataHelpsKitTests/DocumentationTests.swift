import Foundation
import MyDataHelpsKit
import PledgeSandbox
import Testing

/// Compiles the code in the articles. The functions below are never called, because tests do not use the real service.
@Suite("The articles", .serialized)
struct DocumentationTests {
    @Test("Every piece of code in the articles is compiled here, word for word")
    func sameText() throws {
        let file = URL(fileURLWithPath: #filePath)
        let source = Self.words(try String(contentsOf: file, encoding: .utf8))
        var folder = file
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        folder.appendPathComponent("Sources/MyDataHelpsKit/MyDataHelpsKit.docc")
        let articles = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        #expect(articles.count >= 4)

        for article in articles {
            let text = try String(contentsOf: folder.appendingPathComponent(article), encoding: .utf8)
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                let code = block.components(separatedBy: "```")[0]
                for part in code.components(separatedBy: "\n\n") {
                    #expect(source.contains(Self.words(part)), "\(article): \(part)")
                }
            }
        }
    }

    /// Removes the indentation, which is deeper in a function.
    private static func words(_ code: String) -> String {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    private func beginning(token: String) {
        let client = MyDataHelpsClient()
        let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))

        session.getParticipantInfo().then { participant in
            session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete]))
        }.done { tasks in
            for task in tasks { print(task.surveyDisplayName) }
        }.catch { error in
            print(error)
        }
    }

    private func waiting(_ session: ParticipantSession) async throws -> String {
        let participant = try await session.getParticipantInfo().value
        return participant.participantIdentifier
    }

    private func trying() throws -> ParticipantSession {
        let sandbox = try MyDataHelpsSandbox.start()
        let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
        let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))
        return session
    }

    private func paging(_ session: ParticipantSession, _ query: SurveyAnswersQuery) async throws {
        for try await page in session.pages(DeviceDataQuery(namespace: .fitbit, types: ["Steps"])) {
            for point in page { print(point.value) }
        }
        let page = try await session.querySurveyAnswers(query)
        if let next = query.page(after: page) {
            let following = try await session.querySurveyAnswers(next)
            print(page.count + following.count)
        }
    }

    private func tokens(_ client: MyDataHelpsClient, _ signIn: SignIn, token: String) -> [ParticipantSession] {
        func fixed() -> ParticipantSession {
            let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
            return session
        }
        let session = ParticipantSession(client: client, dataSource: signIn)
        return [fixed(), session]
    }

    private func server(_ key: Key, _ id: ParticipantInfo.ID) async throws -> IssuedToken {
        let account = ServiceAccount(name: "MyDataHelps.1234.name") { bytes in try key.rs256(bytes) }
        let token = try await account.participantToken(for: id, scopes: ["Participant:read"]).value
        return token
    }
}

/// An app's own class, which stores the token securely.
private final class SignIn: Sendable {
    let keychain = (token: "t", user: "u")
}

extension SignIn: AccessTokenDataSource {
    var accessToken: String? { keychain.token }
}

/// A key from any library that signs.
private struct Key: Sendable {
    func rs256(_ bytes: Data) throws -> Data { bytes }
}
