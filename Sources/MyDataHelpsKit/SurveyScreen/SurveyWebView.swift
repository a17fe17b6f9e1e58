#if canImport(UIKit) && canImport(WebKit) && canImport(SafariServices)
    import SafariServices
    import UIKit
    import WebKit

    /// The views that both survey screens share: the web view, and in front of it a spinner and a button while the page
    /// loads.
    @MainActor
    final class SurveyWebView: NSObject {
        private let webView: WKWebView
        private let cover = UIView(frame: .zero)
        // UIKit provides the button's label for VoiceOver, in the device's language.
        private let closeButton = UIButton(type: .close)
        private let relay: SurveyMessageRelay
        private var content: SurveyContent?
        private weak var controller: UIViewController?
        /// Answers the dialog that is being displayed. WebKit ends the app if a dialog is never answered.
        private var answerDialog: ((_ isConfirmed: Bool) -> Void)?
        private var handle: ((SurveyEvent) -> Void)?

        init(userAgent: String) {
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = .nonPersistent()
            configuration.allowsInlineMediaPlayback = true
            configuration.mediaTypesRequiringUserActionForPlayback = []
            relay = SurveyMessageRelay()
            for name in SurveyEvent.handlerNames {
                configuration.userContentController.add(relay, name: name)
            }
            webView = WKWebView(frame: .zero, configuration: configuration)
            webView.customUserAgent = userAgent
            webView.allowsLinkPreview = false
            webView.allowsBackForwardNavigationGestures = false
            super.init()
            relay.owner = self
            webView.navigationDelegate = self
            webView.uiDelegate = self
        }

        /// Fills a controller's view, and runs a survey. Calls `finish` once, on the main queue, unless the survey is
        /// stopped before that.
        func start<Outcome: Sendable>(
            in controller: UIViewController,
            _ makeRun: (_ show: @escaping @Sendable (SurveyRun<Outcome>.Step) -> Void) -> SurveyRun<Outcome>,
            finish: @escaping @MainActor @Sendable (Result<Outcome, MyDataHelpsError>) -> Void
        ) {
            install(in: controller)
            let run = makeRun { [weak self] step in
                DispatchQueue.main.async {
                    guard let self else { return }
                    switch step {
                    case .load(let content): self.load(content)
                    case .showContent: self.setCovered(false)
                    case .finish(let result):
                        self.stop()
                        finish(result)
                    }
                }
            }
            handle = { run.handle($0) }
            run.start()
        }

        private func install(in controller: UIViewController) {
            guard let view = controller.view else { return }
            self.controller = controller
            let spinner = UIActivityIndicatorView(style: .large)
            for (child, parent) in [(webView, view), (cover, view), (spinner, cover)] {
                child.frame = parent.bounds
                child.autoresizingMask = [.flexibleWidth, .flexibleHeight]
                parent.addSubview(child)
            }
            view.backgroundColor = .systemBackground
            cover.backgroundColor = .systemBackground
            spinner.startAnimating()
            closeButton.addAction(UIAction { [weak self] _ in self?.handle?(.cancelled) }, for: .touchUpInside)
            closeButton.translatesAutoresizingMaskIntoConstraints = false
            cover.addSubview(closeButton)
            let edges = view.safeAreaLayoutGuide
            NSLayoutConstraint.activate([
                closeButton.topAnchor.constraint(equalTo: edges.topAnchor, constant: 16),
                closeButton.trailingAnchor.constraint(equalTo: edges.trailingAnchor, constant: -16),
            ])
            setCovered(true)
        }

        private func load(_ content: SurveyContent) {
            self.content = content
            switch content {
            case .page(let page): _ = webView.loadHTMLString(page.html, baseURL: page.baseURL)
            case .address(let url): _ = webView.load(URLRequest(url: url))
            }
        }

        /// Stops the run, and removes the message handlers. The web view would otherwise retain the handlers.
        func stop() {
            handle?(.stopped)
            webView.stopLoading()
            for name in SurveyEvent.handlerNames {
                webView.configuration.userContentController.removeScriptMessageHandler(forName: name)
            }
            answer(false)
        }

        func receive(_ message: WKScriptMessage) {
            let frame = message.frameInfo
            let origin = frame.securityOrigin
            let isAccepted = content?.accepts(
                isMainFrame: frame.isMainFrame, scheme: origin.protocol, host: origin.host, port: origin.port)
            guard isAccepted == true, let event = SurveyEvent(handler: message.name, body: message.body) else { return }
            handle?(event)
        }

        func policy(for action: WKNavigationAction) -> WKNavigationActionPolicy {
            let outside = SurveyContent.outside(
                action.request, isTapped: action.navigationType == .linkActivated,
                isInMainFrame: action.sourceFrame.isMainFrame)
            guard let url = outside else { return .allow }
            open(url)
            return .cancel
        }

        /// Shows either the spinner or the web view, and moves the VoiceOver focus there.
        private func setCovered(_ isCovered: Bool) {
            cover.isHidden = !isCovered
            webView.isHidden = isCovered
            UIAccessibility.post(notification: .screenChanged, argument: isCovered ? closeButton : webView as UIView)
        }

        private func open(_ url: URL) {
            if url.scheme?.lowercased().hasPrefix("http") == true {
                controller?.present(SFSafariViewController(url: url), animated: true)
            } else {
                controller?.view.window?.windowScene?.open(url, options: nil)
            }
        }

        /// Shows a dialog that the page requests. Its buttons have UIKit's own translations. If the controller's view
        /// is not on the screen, or already presents something, the dialog is declined.
        private func ask(_ question: String, canDecline: Bool, answer: @escaping (_ isConfirmed: Bool) -> Void) {
            guard let controller, controller.view.window != nil, controller.presentedViewController == nil else {
                return answer(false)
            }
            answerDialog = answer
            let alert = UIAlertController(title: nil, message: question, preferredStyle: .alert)
            func add(_ title: String, _ style: UIAlertAction.Style, _ isConfirmed: Bool) {
                let words = Bundle(for: UIViewController.self).localizedString(forKey: title, value: title, table: nil)
                let action = UIAlertAction(title: words, style: style) { [weak self] _ in self?.answer(isConfirmed) }
                alert.addAction(action)
            }
            if canDecline { add("Cancel", .cancel, false) }
            add("OK", .default, true)
            controller.present(alert, animated: true)
        }

        private func answer(_ isConfirmed: Bool) {
            let answer = answerDialog
            answerDialog = nil
            answer?(isConfirmed)
        }
    }

    extension SurveyWebView: WKNavigationDelegate {
        func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error
        ) {
            handle?(.failed(.webContentError(error)))
        }

        func webView(_ webView: WKWebView, didFail navigation: WKNavigation?, withError error: any Error) {
            handle?(.failed(.webContentError(error)))
        }

        func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
            answer(false)
            setCovered(true)
            handle?(.processEnded)
        }

        func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
            decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
        ) {
            decisionHandler(policy(for: navigationAction))
        }
    }

    extension SurveyWebView: WKUIDelegate {
        /// Opens the link of a new window outside the web view. The link counts as tapped, because a web view opens a
        /// new window only when the participant taps something.
        func webView(
            _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
            for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
        ) -> WKWebView? {
            let url = SurveyContent.outside(navigationAction.request, isTapped: true, isInMainFrame: false)
            if let url { open(url) }
            return nil
        }

        func webView(
            _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor () -> Void
        ) {
            ask(message, canDecline: false) { _ in completionHandler() }
        }

        func webView(
            _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void
        ) {
            ask(message, canDecline: true) { completionHandler($0) }
        }
    }

    /// A message handler that passes messages on to the screen. A web view retains its message handlers. With this
    /// relay, it does not retain the screen.
    @MainActor
    final class SurveyMessageRelay: NSObject, WKScriptMessageHandler {
        weak var owner: SurveyWebView?

        func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
            owner?.receive(message)
        }
    }
#endif
