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
        private let screen: SurveyScreen<SurveyOutcome>
        private let completion: (SurveyViewController, Result<SurveyResult, MyDataHelpsError>) -> Void

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
            screen = SurveyScreen(userAgent: presentation.session.client.userAgent)
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
            screen.content.onLink = { [weak self] url in
                self?.present(SFSafariViewController(url: url), animated: true)
            }
            screen.start(in: view, { presentation.run(show: $0) }) { [weak self] result in
                guard let self else { return }
                completion(self, result)
            }
        }

        /// Stops when the screen is gone.
        public override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            guard isBeingDismissed || isMovingFromParent else { return }
            screen.stop()
        }
    }
#endif
