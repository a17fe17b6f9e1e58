// Version 1 of the vendor's SDK had strings and numbers as identifiers. Where such a type is expected, as in
// `let id: String = task.id`, these properties are found; everywhere else, the typed identifiers of the same name.

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
    /// The identifier shared by related points, as text.
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
    /// The survey of the tasks, as text.
    @_disfavoredOverload
    public var surveyID: String? { (surveyID as Survey.ID?)?.value }
}

extension PagedByID where Self == SurveyAnswersQuery {
    /// The survey of the answers, as text.
    @_disfavoredOverload
    public var surveyID: String? { (surveyID as Survey.ID?)?.value }
    /// The survey result that contains the answers, as text.
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
