import Dispatch
import Foundation
import Pledge

// One line each: the calls of version 1 of the official SDK, with its arguments. A completion is called once, on the
// main queue.
extension ParticipantSession {
    /// What a call ends with: a value, or why there is none.
    public typealias Completion<Value> = @MainActor (Result<Value, MyDataHelpsError>) -> Void

    /// The participant; see the promise of this name.
    public func getParticipantInfo(completion: @escaping Completion<ParticipantInfo>) {
        report(getParticipantInfo(), to: completion)
    }

    /// The participant's project; see the promise of this name.
    public func getProjectInfo(completion: @escaping Completion<ProjectInfo>) {
        report(getProjectInfo(), to: completion)
    }

    /// What data the project collects; see the promise of this name.
    public func getDataCollectionSettings(completion: @escaping Completion<ProjectDataCollectionSettings>) {
        report(getDataCollectionSettings(), to: completion)
    }

    /// A page of device data; see the promise of this name.
    public func queryDeviceData(_ query: DeviceDataQuery, completion: @escaping Completion<DeviceDataResultPage>) {
        report(queryDeviceData(query), to: completion)
    }

    /// Stores points; see the promise of this name.
    public func persistDeviceData(
        _ dataPoints: [DeviceDataPointPersistModel], completion: @escaping Completion<Void>
    ) {
        report(persistDeviceData(dataPoints), to: completion)
    }

    /// A page of assigned surveys; see the promise of this name.
    public func querySurveyTasks(_ query: SurveyTaskQuery, completion: @escaping Completion<SurveyTaskResultPage>) {
        report(querySurveyTasks(query), to: completion)
    }

    /// A page of answers; see the promise of this name.
    public func querySurveyAnswers(_ query: SurveyAnswersQuery, completion: @escaping Completion<SurveyAnswersPage>) {
        report(querySurveyAnswers(query), to: completion)
    }

    /// Deletes what was answered in one go; see ``deleteSurveyResult(_:)``.
    public func deleteSurveyResult(surveyResultID: String, completion: @escaping Completion<Void>) {
        report(deleteSurveyResult(SurveyResult.ID(surveyResultID)), to: completion)
    }

    /// A page of notifications; see the promise of this name.
    public func queryNotifications(
        _ query: NotificationHistoryQuery, completion: @escaping Completion<NotificationHistoryPage>
    ) {
        report(queryNotifications(query), to: completion)
    }

    /// All providers at once, whatever the query's limit and page: that is what version 1 did. The promise and the
    /// asynchronous call go page by page.
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery, completion: @escaping Completion<[ExternalAccountProvider]>
    ) {
        report(allExternalAccountProviders(query), to: completion)
    }

    /// Begins to connect to a provider; see ``connectExternalAccount(providerID:finalRedirectURL:)``.
    public func connectExternalAccount(
        provider: ExternalAccountProvider, finalRedirectURL: URL,
        completion: @escaping Completion<ExternalAccountAuthorization>
    ) {
        report(connectExternalAccount(provider: provider, finalRedirectURL: finalRedirectURL), to: completion)
    }

    /// The participant's connections; see the promise of this name.
    public func listExternalAccounts(completion: @escaping Completion<[ExternalAccount]>) {
        report(listExternalAccounts(), to: completion)
    }

    /// Asks the service to fetch again; see ``refreshExternalAccount(_:)``.
    public func refreshExternalAccount(_ account: ExternalAccount, completion: @escaping Completion<Void>) {
        report(refreshExternalAccount(account.id), to: completion)
    }

    /// Ends a connection; see ``deleteExternalAccount(_:)``.
    public func deleteExternalAccount(_ account: ExternalAccount, completion: @escaping Completion<Void>) {
        report(deleteExternalAccount(account.id), to: completion)
    }
}

extension ParticipantSession {
    private func allExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) -> Promise<[ExternalAccountProvider]> {
        send(query.endpointForAll).map(on: nil) { page in
            self.client.note(page.unreadable, of: "externalaccountproviders")
            return page.externalAccountProviders
        }
    }

    private func connectExternalAccount(
        provider: ExternalAccountProvider, finalRedirectURL: URL
    ) -> Promise<ExternalAccountAuthorization> {
        connectExternalAccount(providerID: provider.id, finalRedirectURL: finalRedirectURL).map(on: nil) { answer in
            var answer = answer
            answer.provider = provider
            return answer
        }
    }

    private func report<Value: Sendable>(_ promise: Promise<Value>, to completion: @escaping Completion<Value>) {
        promise.pipe { result in
            let outcome = result.mapError { MyDataHelpsError($0) }
            DispatchQueue.main.async { completion(outcome) }
        }
    }
}
