import Foundation
import Pledge
import PledgeHTTP

// Every promise here rejects with `MyDataHelpsError` alone; cancelling it ends the request.
extension ParticipantSession {
    /// The participant. Wraps `GET api/v1/delegated/participant`.
    ///
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func getParticipantInfo() -> Promise<ParticipantInfo> {
        send(.participant)
    }

    /// The participant's project. Wraps `GET api/v1/delegated/project`.
    ///
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func getProjectInfo() -> Promise<ProjectInfo> {
        send(.project)
    }

    /// What data the project collects. Wraps `GET api/v1/delegated/datacollectionsettings`.
    ///
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func getDataCollectionSettings() -> Promise<ProjectDataCollectionSettings> {
        send(.dataCollectionSettings).map(on: nil) { settings in
            self.client.note(settings.unreadable, of: "queryableDeviceDataTypes")
            return settings
        }
    }

    /// A page of device data, newest first. Wraps `GET api/v1/delegated/devicedata`.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func queryDeviceData(_ query: DeviceDataQuery) -> Promise<DeviceDataResultPage> {
        send(page: query)
    }

    /// Stores points, or updates those that are stored already. Wraps `POST api/v1/delegated/devicedata`.
    ///
    /// - Parameter dataPoints: any number, no two with the same identifier, type and dates. With none nothing is sent.
    /// - Rejects: with ``MyDataHelpsError``; with ``MyDataHelpsError/encodingError(_:)`` before anything is sent if the
    ///   service could not tell two of them apart.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request; the service may have stored the points all the same.
    public func persistDeviceData(_ dataPoints: [DeviceDataPointPersistModel]) -> Promise<Void> {
        dataPoints.isEmpty ? Promise() : send(try .persist(dataPoints))
    }

    /// A page of the surveys assigned to the participant. Wraps `GET api/v1/delegated/surveytasks`.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func querySurveyTasks(_ query: SurveyTaskQuery) -> Promise<SurveyTaskResultPage> {
        send(page: query)
    }

    /// A page of what the participant answered in surveys. Wraps `GET api/v1/delegated/surveyanswers`.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func querySurveyAnswers(_ query: SurveyAnswersQuery) -> Promise<SurveyAnswersPage> {
        send(page: query)
    }

    /// Deletes what the participant answered in one go, for good. Wraps `DELETE api/v1/delegated/surveyresults/<id>`.
    ///
    /// Only for surveys that are set up so that results can be deleted. Never sent twice: if it is unclear whether it
    /// was done, ask for the answers.
    ///
    /// - Parameter surveyResultID: from ``SurveyAnswer/surveyResultID``.
    /// - Rejects: with ``MyDataHelpsError``; with ``MyDataHelpsError/encodingError(_:)`` before anything is sent if it
    ///   is no such id.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request; the service may have deleted it all the same.
    public func deleteSurveyResult(_ surveyResultID: SurveyResult.ID) -> Promise<Void> {
        send(try .deleteSurveyResult(surveyResultID))
    }

    /// A page of the notifications the participant was sent, newest first. Wraps `GET api/v1/delegated/notifications`.
    ///
    /// - Parameter query: what to look for; `query.page(after:)` asks for the next page, ``allPages(_:)`` for all.
    /// - Rejects: with ``MyDataHelpsError``.
    /// - Queue: handlers run where they ask to.
    /// - Cancellation: ends the request.
    public func queryNotifications(_ query: NotificationHistoryQuery) -> Promise<NotificationHistoryPage> {
        send(page: query)
    }
}
