#if canImport(UIKit) && canImport(WebKit)
    import UIKit
    import WebKit

    /// Shows a survey that is addressed by links, as version 1 did. Whoever presents it dismisses it, whatever the
    /// result.
    @MainActor
    public final class EmbeddableSurveyViewController: UIViewController {
        private let screen: SurveyScreen<EmbeddableSurveyCompletionReason>
        private let survey: EmbeddableSurvey
        private let clock: Timekeeper
        private let completion: (Result<EmbeddableSurveyCompletionReason, MyDataHelpsError>) -> Void

        /// A screen for a task of the participant.
        ///
        /// - Parameters:
        ///   - client: how MyDataHelps is reached.
        ///   - taskLinkIdentifier: from ``SurveyTask/linkIdentifier``.
        ///   - participantLinkIdentifier: from ``ParticipantInfo/linkIdentifier``.
        ///   - completion: called once, on the main queue.
        public convenience init(
            client: MyDataHelpsClient, taskLinkIdentifier: String, participantLinkIdentifier: String,
            completion: @escaping (Result<EmbeddableSurveyCompletionReason, MyDataHelpsError>) -> Void
        ) {
            self.init(
                client,
                EmbeddableSurvey(
                    client: client, taskLinkIdentifier: taskLinkIdentifier,
                    participantLinkIdentifier: participantLinkIdentifier), completion)
        }

        /// A screen for a survey of the project.
        ///
        /// - Parameters:
        ///   - client: how MyDataHelps is reached.
        ///   - surveyName: what the survey is called inside the project.
        ///   - participantLinkIdentifier: from ``ParticipantInfo/linkIdentifier``.
        ///   - completion: called once, on the main queue.
        public convenience init(
            client: MyDataHelpsClient, surveyName: String, participantLinkIdentifier: String,
            completion: @escaping (Result<EmbeddableSurveyCompletionReason, MyDataHelpsError>) -> Void
        ) {
            self.init(
                client,
                EmbeddableSurvey(
                    client: client, surveyName: surveyName, participantLinkIdentifier: participantLinkIdentifier),
                completion)
        }

        private init(
            _ client: MyDataHelpsClient, _ survey: EmbeddableSurvey,
            _ completion: @escaping (Result<EmbeddableSurveyCompletionReason, MyDataHelpsError>) -> Void
        ) {
            self.survey = survey
            self.completion = completion
            clock = client.clock
            screen = SurveyScreen(userAgent: client.userAgent)
            super.init(nibName: nil, bundle: nil)
            modalPresentationStyle = .fullScreen
            isModalInPresentation = true
        }

        /// Not available: the survey has to be given.
        @available(*, unavailable)
        public required init?(coder: NSCoder) {
            nil
        }

        /// Lays out the page and begins to load the survey.
        public override func viewDidLoad() {
            super.viewDidLoad()
            screen.start(in: view, { survey.run(clock: clock, show: $0) }, finish: completion)
        }

        /// Stops when the screen is gone.
        public override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            guard isBeingDismissed || isMovingFromParent else { return }
            screen.stop()
        }
    }
#endif
