#if canImport(UIKit) && canImport(WebKit) && canImport(SafariServices)
    import UIKit
    import WebKit

    /// A view controller that displays a survey with the participant's token. The code that presents it must always
    /// dismiss it.
    ///
    /// While the survey loads, the participant can leave with a button. The outcome is then `discarded`.
    ///
    /// Links to web pages open in a Safari view controller. Links with `tel`, `sms`, or `mailto` open in their apps.
    ///
    /// ```swift
    /// let survey = session.surveyPresentation(surveyName: "DailyMood")
    /// let screen = SurveyViewController(presentation: survey) { screen, _ in screen.dismiss(animated: true) }
    /// present(screen, animated: true)
    /// ```
    @MainActor
    public final class SurveyViewController: UIViewController {
        /// The way in which a participant left a survey.
        public typealias SurveyResult = SurveyOutcome

        /// The survey that the view controller displays.
        public let presentation: SurveyPresentation
        private let screen: SurveyWebView
        private let completion: (SurveyViewController, Result<SurveyResult, MyDataHelpsError>) -> Void

        /// Creates a view controller for a survey.
        ///
        /// - Parameters:
        ///   - presentation: The survey, from ``ParticipantSession/surveyPresentation(surveyName:)``.
        ///   - completion: A handler. It is called once, on the main queue.
        public init(
            presentation: SurveyPresentation,
            completion: @escaping (SurveyViewController, Result<SurveyResult, MyDataHelpsError>) -> Void
        ) {
            self.presentation = presentation
            self.completion = completion
            screen = SurveyWebView(userAgent: presentation.session.client.userAgent)
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
            screen.start(in: self, { presentation.run(show: $0) }) { [weak self] result in
                guard let self else { return }
                completion(self, result)
            }
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

        /// Returns whether the web view loads a link itself. All other links open outside the web view. Apps don't call
        /// this method.
        public func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            screen.policy(for: navigationAction)
        }
    }
#endif
