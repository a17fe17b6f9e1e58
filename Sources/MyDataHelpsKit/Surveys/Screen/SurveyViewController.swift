#if canImport(UIKit) && canImport(WebKit) && canImport(SafariServices)
    import SafariServices
    import UIKit
    import WebKit

    /// Shows a survey with the participant's token. Whoever presents it dismisses it, whatever the result.
    ///
    /// ```swift
    /// let survey = SurveyViewController(presentation: session.surveyPresentation(surveyName: "DailyMood")) { screen,
    /// result in
    ///     screen.dismiss(animated: true)
    /// }
    /// present(survey, animated: true)
    /// ```
    @MainActor
    public final class SurveyViewController: UIViewController {
        /// How a participant left a survey.
        public typealias SurveyResult = SurveyOutcome

        /// The survey it shows.
        public let presentation: SurveyPresentation
        private let content: SurveyWebView
        private let completion: (SurveyViewController, Result<SurveyResult, MyDataHelpsError>) -> Void
        private var run: SurveyRun<SurveyOutcome>?

        /// A screen for a survey.
        ///
        /// - Parameters:
        ///   - presentation: from ``ParticipantSession/surveyPresentation(surveyName:)``.
        ///   - completion: called once, on the main queue.
        public init(
            presentation: SurveyPresentation,
            completion: @escaping (SurveyViewController, Result<SurveyResult, MyDataHelpsError>) -> Void
        ) {
            self.presentation = presentation
            self.completion = completion
            content = SurveyWebView(userAgent: presentation.session.client.userAgent)
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
            let run = presentation.run { [weak self] step in
                DispatchQueue.main.async { self?.perform(step) }
            }
            content.onMessage = { handler, body in run.receive(handler: handler, body: body) }
            content.onFailure = { run.loadFailed($0) }
            content.onLink = { [weak self] url in
                self?.present(SFSafariViewController(url: url), animated: true)
            }
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

        private func perform(_ step: SurveyRun<SurveyOutcome>.Step) {
            switch step {
            case .load(let page): content.load(page)
            case .showContent: content.showContent()
            case .finish(let result):
                content.stop()
                completion(self, result)
            }
        }
    }
#endif
