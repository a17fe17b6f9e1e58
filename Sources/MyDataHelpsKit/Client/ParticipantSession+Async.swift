import Foundation
import Pledge

// One line each: the same call as the promise of that name, which an asynchronous context prefers this to.
extension ParticipantSession {
    /// The participant; see the promise of this name.
    public func getParticipantInfo() async throws(MyDataHelpsError) -> ParticipantInfo {
        try await answer { $0.getParticipantInfo() }
    }

    /// The participant's project; see the promise of this name.
    public func getProjectInfo() async throws(MyDataHelpsError) -> ProjectInfo {
        try await answer { $0.getProjectInfo() }
    }

    /// What data the project collects; see the promise of this name.
    public func getDataCollectionSettings() async throws(MyDataHelpsError) -> ProjectDataCollectionSettings {
        try await answer { $0.getDataCollectionSettings() }
    }

    /// A page of device data; see the promise of this name.
    public func queryDeviceData(
        _ query: DeviceDataQuery
    ) async throws(MyDataHelpsError) -> DeviceDataResultPage {
        try await answer { $0.queryDeviceData(query) }
    }

    /// Stores points; see the promise of this name.
    public func persistDeviceData(_ dataPoints: [DeviceDataPointPersistModel]) async throws(MyDataHelpsError) {
        try await answer { $0.persistDeviceData(dataPoints) }
    }

    /// A page of assigned surveys; see the promise of this name.
    public func querySurveyTasks(
        _ query: SurveyTaskQuery
    ) async throws(MyDataHelpsError) -> SurveyTaskResultPage {
        try await answer { $0.querySurveyTasks(query) }
    }

    /// A page of answers; see the promise of this name.
    public func querySurveyAnswers(
        _ query: SurveyAnswersQuery
    ) async throws(MyDataHelpsError) -> SurveyAnswersPage {
        try await answer { $0.querySurveyAnswers(query) }
    }

    /// Deletes what was answered in one go; see the promise of this name.
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) async throws(MyDataHelpsError) {
        try await answer { $0.deleteSurveyResult(surveyResultID) }
    }

    /// A page of notifications; see the promise of this name.
    public func queryNotifications(
        _ query: NotificationHistoryQuery
    ) async throws(MyDataHelpsError) -> NotificationHistoryPage {
        try await answer { $0.queryNotifications(query) }
    }

    /// A page of providers; see the promise of this name.
    public func queryExternalAccountProviders(
        _ query: ExternalAccountProvidersQuery
    ) async throws(MyDataHelpsError) -> ExternalAccountProvidersResultPage {
        try await answer { $0.queryExternalAccountProviders(query) }
    }

    /// Begins to connect to a provider; see the promise of this name.
    public func connectExternalAccount(
        providerID: ExternalAccountProvider.ID, finalRedirectURL: URL
    ) async throws(MyDataHelpsError) -> ExternalAccountAuthorization {
        try await answer { $0.connectExternalAccount(providerID: providerID, finalRedirectURL: finalRedirectURL) }
    }

    /// The participant's connections; see the promise of this name.
    public func listExternalAccounts() async throws(MyDataHelpsError) -> [ExternalAccount] {
        try await answer { $0.listExternalAccounts() }
    }

    /// Asks the service to fetch again; see the promise of this name.
    public func refreshExternalAccount(_ id: ExternalAccount.ID) async throws(MyDataHelpsError) {
        try await answer { $0.refreshExternalAccount(id) }
    }

    /// Ends a connection; see the promise of this name.
    public func deleteExternalAccount(_ id: ExternalAccount.ID) async throws(MyDataHelpsError) {
        try await answer { $0.deleteExternalAccount(id) }
    }

    /// Refreshes an account and waits until that is done; see the promise of this name.
    public func refreshAndFollowExternalAccount(
        _ id: ExternalAccount.ID, pace: FollowPace = FollowPace()
    ) async throws(MyDataHelpsError) -> ExternalAccount {
        try await answer { $0.refreshAndFollowExternalAccount(id, pace: pace) }
    }

    /// Waits until an account stands still; see the promise of this name.
    public func followExternalAccount(
        _ id: ExternalAccount.ID, pace: FollowPace = FollowPace()
    ) async throws(MyDataHelpsError) -> ExternalAccount {
        try await answer { $0.followExternalAccount(id, pace: pace) }
    }

    /// Waits for a promise. The closure is not asynchronous, so that its call means the promise and not itself.
    private func answer<Value>(
        _ call: (ParticipantSession) -> Promise<Value>
    ) async throws(MyDataHelpsError) -> Value {
        do {
            return try await call(self).value
        } catch {
            throw MyDataHelpsError(error)
        }
    }
}
