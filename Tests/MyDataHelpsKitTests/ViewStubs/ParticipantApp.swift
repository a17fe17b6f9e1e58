// swift-format-ignore-file
import MyDataHelpsKit
import SafariServices
import UIKit

// The app of the article “A participant's app”. `ArticleTests` checks that the article has this code word for word. `check.sh`
// compiles it in Swift 5 mode. It contains the vendor's own lines for connecting an account.

final class TodayViewController: UIViewController {
    let session: ParticipantSession
    var tasks: [SurveyTask] = []
    var greeting = ""
    var connecting: (authorization: ExternalAccountAuthorization, safari: SFSafariViewController)?

    init(signIn: SignIn) {
        session = ParticipantSession(client: MyDataHelpsClient(), dataSource: signIn)
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    func reload() async throws {
        let participant = try await session.getParticipantInfo()
        greeting = "Hello, \(participant.demographics.firstName ?? participant.participantIdentifier)"
        tasks = try await session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete])).surveyTasks
    }

    func start(_ task: SurveyTask) {
        let presentation = session.surveyPresentation(surveyName: task.surveyName)
        let survey = SurveyViewController(presentation: presentation) { screen, result in
            screen.dismiss(animated: true)
            if case .success(.completed) = result { self.complete(task) }
        }
        present(survey, animated: true)
    }

    func complete(_ task: SurveyTask) { tasks.removeAll { $0.id == task.id } }

    func mustReconnect() async throws -> Bool {
        let settings = try await session.getDataCollectionSettings()
        let accounts = try await session.listExternalAccounts()
        let isConnected = accounts.contains { $0.provider.name.contains("Google Health") }
        return settings.googleHealthEnabled == true && !isConnected
    }

    func answers(to surveyName: String, since date: Date) async throws -> [SurveyAnswer] {
        let query = SurveyAnswersQuery(surveyNames: [surveyName], insertedAfter: date)
        return try await session.pages(query).items(atMost: 1000).value
    }

    func connect(to provider: ExternalAccountProvider, finalRedirectURL: URL) async throws {
        let authorization = try await session.connectExternalAccount(
            providerID: provider.id, finalRedirectURL: finalRedirectURL)
        let safari = SFSafariViewController(url: authorization.authorizationURL)
        safari.dismissButtonStyle = .cancel
        present(safari, animated: true)
        connecting = (authorization, safari)
    }

    func open(_ url: URL) async throws {
        guard let connecting, connecting.authorization.isFinalRedirect(url) else { return }
        connecting.safari.dismiss(animated: true)
        let accounts = try await session.listExternalAccounts()
        if let account = accounts.first(where: { $0.provider.id == connecting.authorization.providerID }) {
            let fetched = try await session.followExternalAccount(account.id)
            print(fetched.status)
        }
    }

    func save(to file: URL) throws {
        try JSONEncoder().encode(tasks).write(to: file, options: .completeFileProtection)
    }

    func load(from file: URL) throws {
        tasks = try JSONDecoder().decode([SurveyTask].self, from: Data(contentsOf: file))
    }
}

/// An app's own class, which signs the participant in and stores the token of its server.
final class SignIn: AccessTokenDataSource {
    var accessToken: String? { nil }
}
