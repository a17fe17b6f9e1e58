import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport

extension Holder {
    private static func sandboxed(
        _ name: String,
        _ make: @escaping @Sendable (MyDataHelpsSandbox, MyDataHelpsClient) async throws -> (Any, [String])
    ) -> Holder {
        Holder(knowing: name) {
            let sandbox = try MyDataHelpsSandbox.start()
            defer { sandbox.stop() }
            let options = MyDataHelpsClient.defaultOptions.with { ($0.retry, $0.timeout) = (.never, 600) }
            return try await make(sandbox, MyDataHelpsClient(baseURL: sandbox.baseURL, options: options))
        }
    }

    private static func survey(_ sandbox: MyDataHelpsSandbox, _ client: MyDataHelpsClient) -> SurveyPresentation {
        ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))
            .surveyPresentation(surveyName: "DailyMood")
    }

    private static let accessToken = ParticipantAccessToken(token: secret)

    static let myDataHelps: [Holder] = [
        Holder("ParticipantAccessToken, MyDataHelpsClient, ParticipantSession, EmbeddableSurvey") {
            let client = MyDataHelpsClient(baseURL: try url("https://ann:\(secret)@a.example/?token=\(secret)"))
            let session = ParticipantSession(client: client, accessToken: accessToken)
            let survey = EmbeddableSurvey(client: client, taskLinkIdentifier: secret, participantLinkIdentifier: secret)
            return [accessToken, client, session, survey] as [Any]
        },
        Holder("HTTPResponseError") {
            HTTPResponseError(statusCode: 400, headers: ["Set-Cookie": secret, "Authorization": secret])
        },
        Holder("ExternalAccountAuthorization") {
            ExternalAccountAuthorization(
                providerID: ExternalAccountProvider.ID(3),
                authorizationURL: try url("https://a.example/?ticket=\(secret)"),
                finalRedirectURL: try url("app://back?state=\(secret)"))
        },
        sandboxed("IssuedToken, ServiceAccount") { sandbox, client in
            let account = ServiceAccount(name: sandbox.serviceAccount, client: client) { _ in Data(secret.utf8) }
            let service = try await account.serviceToken().value
            let id = try await account.participant("ÅRE-0042", in: Project.ID(sandbox.projectID)).value.id
            let participant = try await account.participantToken(for: id).value
            let source = account.tokens(for: id)
            let token = try await source.token().value
            let secrets = [service.value, participant.value, token, secret]
            return ([service, participant, account, source] as [Any], secrets)
        },
        sandboxed("SurveyPage, SurveyContent, SurveyPresentation, Step") { sandbox, client in
            let survey = survey(sandbox, client)
            let page = try await survey.page().value
            let link = SurveyContent.address(try url("https://a.example/\(secret)"))
            let steps = [SurveyRun<SurveyOutcome>.Step.load(.page(page)), .load(link)]
            return ([page, SurveyContent.page(page), link, survey, steps], [sandbox.token, secret])
        },
        sandboxed("SurveyRun") { sandbox, client in
            let (loaded, seal) = Promise<Void>.pending()
            let run = survey(sandbox, client).run { step in
                if case .load = step { seal.fulfill() }
            }
            run.start()
            try await loaded.value
            return (run, [sandbox.token])
        },
        sandboxed("MyDataHelpsError") { sandbox, client in
            sandbox.server.script.next(.max) { request in
                ServerResponse(
                    status: 403,
                    headers: ["Set-Cookie": "s=\(secret)", "X-Echo": request.headers["Authorization"] ?? ""],
                    body: Data(#"{"message": "\#(request.headers["Authorization"] ?? "") may not"}"#.utf8))
            }
            let session = ParticipantSession(client: client, accessToken: accessToken)
            let call: Promise<ParticipantInfo> = session.getParticipantInfo()
            let error = await call.failure()
            guard case .serverError(let response)? = error as? MyDataHelpsError else { return (secret, [secret]) }
            return ([error as Any, response, response.headers], [secret])
        },
    ]
}
