#if canImport(UIKit) && canImport(WebKit)
    import UIKit
    import WebKit

    /// Shows a survey that is addressed by links, as version 1 did. Whoever presents it dismisses it, whatever the
    /// result.
    @MainActor
    public final class EmbeddableSurveyViewController: UIViewController {
        private let content: SurveyWebView
        private let survey: EmbeddableSurvey
        private let timekeeper: Timekeeper
        private let completion: (Result<EmbeddableSurveyCompletionReason, MyDataHelpsError>) -> Void
        private var run: SurveyRun<EmbeddableSurveyCompletionReason>?

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
            timekeeper = client.clock
            content = SurveyWebView(userAgent: client.userAgent)
            super.init(nibName: nil, bundle: nil)
            modalPresentationStyle = .fullScreen
            isModalInPresentation = true
        }

        /// Not available: the survey has to be given.
        @available(*, unavailable)
        public required init?(coder: NSCoder) {
            nil
        }

        /// Begins to load.
        public override func viewDidLoad() {
            super.viewDidLoad()
            content.install(in: view)
            let run = survey.run(timekeeper: timekeeper) { [weak self] step in
                DispatchQueue.main.async { self?.perform(step) }
            }
            content.onMessage = { handler, body in run.receive(handler: handler, body: body) }
            content.onFailure = { run.loadFailed($0) }
            self.run = run
            run.start()
        }

        /// Stops when the screen is gone.
        public override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            guard isBeingDismissed || isMovingFromParent else { return }
            run?.stop()
            content.stop()
        }

        private func perform(_ step: SurveyRun<EmbeddableSurveyCompletionReason>.Step) {
            switch step {
            case .load(let page): content.load(page)
            case .showContent: content.showContent()
            case .finish(let result):
                content.stop()
                completion(result)
            }
        }
    }
#endif
