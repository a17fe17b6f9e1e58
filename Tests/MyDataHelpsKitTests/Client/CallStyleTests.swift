import Dispatch
import Foundation
import MyDataHelpsKit
import PledgeSandbox
import Testing

@Suite("Every call, in each of the three styles", .serialized)
struct CallStyleTests {
    static let participantCalls = [
        "GET /api/v1/delegated/participant", "GET /api/v1/delegated/project",
        "GET /api/v1/delegated/datacollectionsettings",
        "GET /api/v1/delegated/devicedata?namespace=Fitbit&limit=100", "POST /api/v1/delegated/devicedata",
        "GET /api/v1/delegated/surveytasks?limit=100", "GET /api/v1/delegated/surveyanswers?limit=100",
        "GET /api/v1/delegated/notifications?limit=100",
    ]
    static let point = DeviceDataPointPersistModel(
        identifier: "walk", type: "Walk", value: "38", observationDate: MyDataHelpsCase.noon)
    static let resultID = SurveyResult.ID("a1b2c314-5a1c-4f2e-9b3d-00000003049e")

    @Test("As promises")
    func promises() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let session = mdh.session

        let chain: Promise<Int> = session.getParticipantInfo().then { participant -> Promise<ProjectInfo> in
            #expect(participant.demographics.firstName == "Maya")
            return session.getProjectInfo()
        }.then { project -> Promise<ProjectDataCollectionSettings> in
            #expect(project.organization.name == "Fjäll Research")
            return session.getDataCollectionSettings()
        }.then { settings -> Promise<DeviceDataResultPage> in
            #expect(settings.fitbitEnabled && settings.ehrEnabled && !settings.weatherEnabled)
            return session.queryDeviceData(DeviceDataQuery(namespace: .fitbit))
        }.then { page -> Promise<Void> in
            #expect(page.count == 100)
            return session.persistDeviceData([Self.point])
        }.then { _ -> Promise<SurveyTaskResultPage> in
            session.querySurveyTasks(SurveyTaskQuery())
        }.then { tasks -> Promise<SurveyAnswersPage> in
            #expect(!tasks.isEmpty)
            return session.querySurveyAnswers(SurveyAnswersQuery())
        }.then { answers -> Promise<NotificationHistoryPage> in
            #expect(!answers.isEmpty)
            return session.queryNotifications(NotificationHistoryQuery())
        }.map(\.count)

        #expect(try await chain.value == 100)
        #expect(mdh.targets == Self.participantCalls)
    }

    @Test("External accounts as promises")
    func accountPromises() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let session = mdh.session
        let redirect = try url("myapp://done")

        let left: Promise<[ExternalAccount]> = session.queryExternalAccountProviders(
            ExternalAccountProvidersQuery(search: "åre")
        ).then { page -> Promise<ExternalAccountAuthorization> in
            session.connectExternalAccount(providerID: page[0].id, finalRedirectURL: redirect)
        }.then { authorization -> Promise<[ExternalAccount]> in
            #expect(authorization.providerID.value == 812 && authorization.provider == nil)
            return session.listExternalAccounts()
        }.then { accounts -> Promise<Void> in
            session.refreshExternalAccount(accounts[0].id)
        }.then { _ -> Promise<Void> in
            session.deleteExternalAccount(ExternalAccount.ID(5501))
        }.then { _ -> Promise<[ExternalAccount]> in
            session.listExternalAccounts()
        }

        #expect(try await left.value.map(\.id.value) == [5502])
        #expect(
            mdh.targets == [
                "GET /api/v1/delegated/externalaccountproviders?search=%C3%A5re&pageSize=100&pageNumber=0",
                "POST /api/v1/delegated/externalaccountproviders/812/connect?finalRedirectPath=myapp%3A%2F%2Fdone",
                "GET /api/v1/delegated/externalaccounts", "POST /api/v1/delegated/externalaccounts/refresh/5501",
                "DELETE /api/cfhrprovideraccounts/account/5501?deleteData=true",
                "GET /api/v1/delegated/externalaccounts",
            ])
    }

    @Test("With await, where an asynchronous context prefers it by itself")
    func asynchronous() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let session = mdh.session

        let participant = try await session.getParticipantInfo()
        let project = try await session.getProjectInfo()
        let settings = try await session.getDataCollectionSettings()
        let data = try await session.queryDeviceData(DeviceDataQuery(namespace: .fitbit))
        try await session.persistDeviceData([Self.point])
        let tasks = try await session.querySurveyTasks(SurveyTaskQuery())
        let answers = try await session.querySurveyAnswers(SurveyAnswersQuery())
        let notifications = try await session.queryNotifications(NotificationHistoryQuery())

        #expect(participant.participantIdentifier == "ÅRE-0042")
        #expect(project.projectID == participant.projectID)
        #expect(settings.queryableDeviceDataTypes.contains { $0.namespace == .appleHealth && $0.type == "HeartRate" })
        #expect(data.count == 100 && notifications.count == 100)
        #expect(tasks.contains { $0.status == .incomplete } && answers.contains { $0.surveyName == "DailyMood" })
        #expect(mdh.targets == Self.participantCalls)
    }

    @Test("An awaited call throws MyDataHelpsError, and the compiler knows")
    func typedThrow() async throws {
        let mdh = try MyDataHelpsCase(token: "wrong")
        defer { mdh.sandbox.stop() }
        do {
            _ = try await mdh.session.getParticipantInfo()
            Issue.record("A wrong token was accepted")
        } catch {
            guard case .unauthorizedRequest(let response) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(response.statusCode == 401)
        }
    }

    @Test("With completions, each called once, on the main queue")
    func completions() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let session = mdh.session

        let participant = await finish { session.getParticipantInfo(completion: $0) }
        let project = await finish { session.getProjectInfo(completion: $0) }
        let settings = await finish { session.getDataCollectionSettings(completion: $0) }
        let data = await finish { session.queryDeviceData(DeviceDataQuery(namespace: .fitbit), completion: $0) }
        let stored = await finish { session.persistDeviceData([Self.point], completion: $0) }
        let tasks = await finish { session.querySurveyTasks(SurveyTaskQuery(), completion: $0) }
        let answers = await finish { session.querySurveyAnswers(SurveyAnswersQuery(), completion: $0) }
        let notifications = await finish {
            session.queryNotifications(NotificationHistoryQuery(), completion: $0)
        }

        #expect(try participant.get().demographics.firstName == "Maya")
        #expect(try project.get().code == "NSLEEP")
        #expect(try settings.get().fitbitEnabled)
        #expect(try data.get().count == 100)
        #expect(throws: Never.self) { try stored.get() }
        #expect(try !tasks.get().isEmpty && !answers.get().isEmpty)
        #expect(try notifications.get().nextPageID != nil)
        #expect(mdh.targets == Self.participantCalls)
    }

    @Test("A completion gets failures too")
    func failingCompletion() async throws {
        let mdh = try MyDataHelpsCase(token: "wrong")
        defer { mdh.sandbox.stop() }
        let session = mdh.session

        let result = await finish { session.getParticipantInfo(completion: $0) }

        guard case .failure(.unauthorizedRequest) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("Deleting a result works once, and is not found the second time", arguments: 0..<3)
    func deleting(style: Int) async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let session = mdh.session
        let answers = try await session.querySurveyAnswers(SurveyAnswersQuery(surveyNames: ["DailyMood"]))
        let result = try #require(answers.first).surveyResultID
        func delete() async throws {
            switch style {
            case 0: try await (session.deleteSurveyResult(result) as Promise<Void>).value
            case 1: try await session.deleteSurveyResult(result)
            default:
                try await finish { session.deleteSurveyResult(surveyResultID: result.value, completion: $0) }.get()
            }
        }

        try await delete()
        let left = try await session.querySurveyAnswers(SurveyAnswersQuery(surveyResultID: result))
        #expect(left.isEmpty)
        let error = await #expect(throws: MyDataHelpsError.self) { try await delete() }

        guard case .serverError(let response) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404)
        #expect(response.message?.hasPrefix("There is no such survey result") == true)
        #expect(mdh.targets.last == "DELETE /api/v1/delegated/surveyresults/\(result.value.uppercased())")
    }

    @Test("What is no result id is an encoding error, and nothing is sent")
    func notAResult() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }

        let error = await #expect(throws: MyDataHelpsError.self) {
            try await mdh.session.deleteSurveyResult(SurveyResult.ID("../participant"))
        }

        guard case .encodingError = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("take it from SurveyAnswer.surveyResultID") == true)
        #expect(mdh.targets.isEmpty)
    }
}

/// What a call hands to its completion, which has to be called on the main queue.
func finish<Value: Sendable>(
    _ call: (@escaping ParticipantSession.Completion<Value>) -> Void
) async -> Result<Value, MyDataHelpsError> {
    MainQueue.mark()
    return await withCheckedContinuation { continuation in
        call { result in
            #expect(MainQueue.isCurrent)
            continuation.resume(returning: result)
        }
    }
}

/// The main queue, which under test on Linux is served by any thread.
private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()

    static func mark() { DispatchQueue.main.setSpecific(key: key, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
