import Foundation
import MyDataHelpsKit

// Code that the articles show in parts. It is compiled and never called, because tests don't use the real service.
// `ArticleTests` of `SnippetTests` checks that each part in an article occurs here word for word.

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

private func own(_ session: ParticipantSession, path: String) async throws -> [InboxItem] {
    let endpoint = Endpoint<[InboxItem]>(.get, path, query: ["limit": 20])
    let items = try await session.send(endpoint).value.value
    return items
}

/// A server's own class, which reads device data of version 2.
private struct StudyReader {
    let account: ServiceAccount

    func steps(of participant: String, in project: Project.ID) async throws -> [String: String] {
        var steps: [String: String] = [:]
        for type in try await account.deviceDataV2Types(in: project).value
        where type.isEnabled != false && type.type == "steps-daily" {
            let query = DeviceDataV2Query(
                project: project, namespace: type.namespace, type: type.type, participantIdentifier: participant)
            for point in try await account.pages(query).items(atMost: 10_000).value {
                if let day = point.day { steps[day] = point.value }
            }
        }
        return steps
    }

    func own(path: String) async throws -> [String: JSONValue] {
        let endpoint = Endpoint<[String: JSONValue]>(.get, path, query: ["namespace": "GoogleHealth"])
        let response = try await account.send(endpoint).value.value
        return response
    }
}

private struct InboxItem: Decodable, Sendable {}

private func server(_ key: Key, _ id: ParticipantInfo.ID) async throws -> IssuedToken {
    let account = ServiceAccount(name: "MyDataHelps.1234.name") { bytes in try key.rs256(bytes) }
    let token = try await account.participantToken(for: id, scopes: ["Participant:read"]).value
    return token
}

private func people(_ account: ServiceAccount, _ client: MyDataHelpsClient, _ project: Project.ID) async throws {
    for try await page in account.pages(ProjectParticipantsQuery(project: project)) {
        for participant in page where participant.isEnrolled != false {
            let session = ParticipantSession(client: client, tokens: account.tokens(for: participant.id))
            print(participant.participantIdentifier, try await session.querySurveyTasks(SurveyTaskQuery()).count)
        }
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
