#if canImport(UIKit) && canImport(WebKit) && canImport(SafariServices)
    import UIKit
    import WebKit

    /// A view controller that displays an ``EmbeddableSurvey``, as in version 1 of the vendor's SDK. The code that
    /// presents it must always dismiss it.
    @MainActor
    public final class EmbeddableSurveyViewController: UIViewController {
        private let screen: SurveyWebView
        private let survey: EmbeddableSurvey
        private let clock: Timekeeper
        private let completion: (Result<EmbeddableSurveyCompletionReason, MyDataHelpsError>) -> Void

        /// Creates a view controller for a task of the participant.
        ///
        /// - Parameters:
        ///   - client: The client that connects to MyDataHelps.
        ///   - taskLinkIdentifier: The task's link identifier, from ``SurveyTask/linkIdentifier``.
        ///   - participantLinkIdentifier: The participant's link identifier, from ``ParticipantInfo/linkIdentifier``.
        ///   - completion: A handler. It is called once, on the main queue.
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

        /// Creates a view controller for the survey with this name inside the project.
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
            screen = SurveyWebView(userAgent: client.userAgent)
            super.init(nibName: nil, bundle: nil)
            modalPresentationStyle = .fullScreen
            isModalInPresentation = true
        }

        /// Returns nil, because a coder can't provide the survey.
        public required init?(coder: NSCoder) {
            nil
        }

        /// Lays out the view and starts loading the survey.
        public override func viewDidLoad() {
            super.viewDidLoad()
            screen.start(in: self, { survey.run(clock: clock, show: $0) }) { [completion] in completion($0) }
        }

        /// Stops the survey when the screen is dismissed or removed.
        public override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            guard isBeingDismissed || isMovingFromParent else { return }
            screen.stop()
        }

        /// Handles a message from the survey's page. Apps don't call this method.
        public func userContentController(
            _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
        ) {
            screen.receive(message)
        }
    }
#endif
