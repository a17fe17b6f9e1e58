import Foundation

// Version 1 of the vendor's SDK uses plain strings where version 2 has typed identifiers.

extension DeviceDataQuery {
    /// Creates a query with the page's identifier as text.
    @_disfavoredOverload
    public init(
        namespace: DeviceDataNamespace, types: Set<String>? = nil, observedAfter: Date? = nil,
        observedBefore: Date? = nil, modifiedAfter: Date? = nil, modifiedBefore: Date? = nil,
        limit: Int = defaultLimit, pageID: String?
    ) {
        self.init(
            namespace: namespace, types: types, observedAfter: observedAfter, observedBefore: observedBefore,
            modifiedAfter: modifiedAfter, modifiedBefore: modifiedBefore, limit: limit,
            pageID: pageID.map(DeviceDataResultPage.PageID.init))
    }
}

extension SurveyTaskQuery {
    /// Creates a query with strings instead of typed identifiers, and with the link identifier of a task.
    @_disfavoredOverload
    public init(
        statuses: Set<SurveyTaskStatus>? = nil, surveyID: String? = nil, surveyNames: Set<String>? = nil,
        linkIdentifier: String? = nil, sortOrder: SortOrder? = nil, limit: Int = defaultLimit, pageID: String? = nil
    ) {
        self.init(
            statuses: statuses, surveyID: surveyID.map(Survey.ID.init), surveyNames: surveyNames,
            sortOrder: sortOrder, limit: limit, pageID: pageID.map(SurveyTaskResultPage.PageID.init))
        self.linkIdentifier = linkIdentifier
    }
}

extension SurveyAnswersQuery {
    /// Creates a query with strings instead of typed identifiers.
    @_disfavoredOverload
    public init(
        surveyResultID: String? = nil, surveyID: String? = nil, surveyNames: Set<String>? = nil, after: Date? = nil,
        before: Date? = nil, insertedAfter: Date? = nil, insertedBefore: Date? = nil,
        stepIdentifiers: Set<String>? = nil, resultIdentifiers: Set<String>? = nil, answers: Set<String>? = nil,
        limit: Int = defaultLimit, pageID: String? = nil
    ) {
        self.init(
            surveyResultID: surveyResultID.map(SurveyResult.ID.init), surveyID: surveyID.map(Survey.ID.init),
            surveyNames: surveyNames, after: after, before: before, insertedAfter: insertedAfter,
            insertedBefore: insertedBefore, stepIdentifiers: stepIdentifiers, resultIdentifiers: resultIdentifiers,
            answers: answers, limit: limit, pageID: pageID.map(SurveyAnswersPage.PageID.init))
    }
}

extension NotificationHistoryQuery {
    /// Creates a query with the page's identifier as text.
    @_disfavoredOverload
    public init(
        identifier: String? = nil, sentAfter: Date? = nil, sentBefore: Date? = nil, type: NotificationType? = nil,
        statusCode: NotificationSendStatusCode? = nil, limit: Int = defaultLimit, pageID: String?
    ) {
        self.init(
            identifier: identifier, sentAfter: sentAfter, sentBefore: sentBefore, type: type, statusCode: statusCode,
            limit: limit, pageID: pageID.map(NotificationHistoryPage.PageID.init))
    }
}

extension ExternalAccountProvidersQuery {
    /// Creates a query for the first page.
    public init(search: String? = nil, category: ExternalAccountProviderCategory? = nil) {
        self.init(search: search, category: category, limit: Self.defaultLimit)
    }
}

// In version 1 of the vendor's SDK, identifiers are strings and numbers. Where code expects a string or a number, as in
// `let id: String = task.id`, the compiler finds the following properties. Everywhere else, it finds the typed
// identifiers with the same names.

extension Identifiable where ID == ScopedIdentifier<Self, String> {
    /// The identifier as text.
    @_disfavoredOverload
    public var id: String { (id as ID).value }
}

extension Identifiable where ID == ScopedIdentifier<Self, Int> {
    /// The identifier as a number.
    @_disfavoredOverload
    public var id: Int { (id as ID).value }
}

extension Identifiable where Self == DeviceDataPoint {
    /// The identifier that related points share, as text.
    @_disfavoredOverload
    public var deviceDataContextID: String? { (deviceDataContextID as DeviceDataContext.ID?)?.value }
}

extension Identifiable where Self == ParticipantInfo {
    /// The participant's identifier, as text.
    @_disfavoredOverload
    public var participantID: String { (participantID as ParticipantInfo.ID).value }
    /// The identifier of the participant's project, as text.
    @_disfavoredOverload
    public var projectID: String { (projectID as Project.ID).value }
}

extension Identifiable where Self == SurveyTask {
    /// The identifier of the assigned survey, as text.
    @_disfavoredOverload
    public var surveyID: String { (surveyID as Survey.ID).value }
}

extension Identifiable where Self == SurveyAnswer {
    /// The identifier of the survey, as text.
    @_disfavoredOverload
    public var surveyID: String { (surveyID as Survey.ID).value }
    /// The identifier of the survey result that contains the answer, as text.
    @_disfavoredOverload
    public var surveyResultID: String { (surveyResultID as SurveyResult.ID).value }
    /// The identifier of the task that the answer belongs to, as text.
    @_disfavoredOverload
    public var taskID: String? { (taskID as SurveyTask.ID?)?.value }
}

extension PagedByID where Self == SurveyTaskQuery {
    /// The identifier of the survey that the tasks belong to, as text.
    @_disfavoredOverload
    public var surveyID: String? { (surveyID as Survey.ID?)?.value }
}

extension PagedByID where Self == SurveyAnswersQuery {
    /// The identifier of the survey that the answers belong to, as text.
    @_disfavoredOverload
    public var surveyID: String? { (surveyID as Survey.ID?)?.value }
    /// The identifier of the survey result that contains the answers, as text.
    @_disfavoredOverload
    public var surveyResultID: String? { (surveyResultID as SurveyResult.ID?)?.value }
}

extension PagedQuery where Self: PagedByID {
    /// The identifier of the page to fetch, as text.
    @_disfavoredOverload
    public var pageID: String? { (pageID as Page.PageID?)?.value }
}

extension ResultPage where Self: ResultPageWithID {
    /// The identifier of the next page, as text.
    @_disfavoredOverload
    public var nextPageID: String? { content.nextPageID }
}
