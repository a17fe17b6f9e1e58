#if canImport(UIKit) && canImport(WebKit)
    import UIKit
    import WebKit

    /// The spinner, the web view and its message handlers, shared by both survey screens.
    @MainActor
    final class SurveyWebView: NSObject {
        let webView: WKWebView
        private let spinner = UIActivityIndicatorView(style: .large)
        private let relay: SurveyMessageRelay
        private var content: SurveyContent?
        /// A closure called when the page calls a message handler.
        var onMessage: ((_ handler: String, _ body: Any?) -> Void)?
        /// A closure called when the page cannot be loaded.
        var onFailure: ((any Error) -> Void)?
        /// A closure that opens a link of the survey outside the web view.
        var onLink: ((URL) -> Void)?

        init(userAgent: String) {
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = .nonPersistent()
            configuration.allowsInlineMediaPlayback = true
            configuration.mediaTypesRequiringUserActionForPlayback = []
            relay = SurveyMessageRelay()
            for name in SurveyMessage.handlerNames {
                configuration.userContentController.add(relay, name: name)
            }
            webView = WKWebView(frame: .zero, configuration: configuration)
            webView.customUserAgent = userAgent
            webView.allowsLinkPreview = false
            webView.allowsBackForwardNavigationGestures = false
            webView.isHidden = true
            super.init()
            relay.owner = self
            webView.navigationDelegate = self
        }

        /// Adds both views to a view, with the spinner in front.
        func install(in view: UIView) {
            view.backgroundColor = .systemBackground
            for child in [webView, spinner] {
                child.frame = view.bounds
                child.autoresizingMask = [.flexibleWidth, .flexibleHeight]
                view.addSubview(child)
            }
            spinner.startAnimating()
        }

        func load(_ content: SurveyContent) {
            self.content = content
            switch content {
            case .page(let page): _ = webView.loadHTMLString(page.html, baseURL: page.baseURL)
            case .address(let url): _ = webView.load(URLRequest(url: url))
            }
        }

        /// Forwards messages from the page itself, and discards all others.
        func receive(_ message: WKScriptMessage) {
            let frame = message.frameInfo
            let origin = frame.securityOrigin
            let sender = SurveySender(
                isMainFrame: frame.isMainFrame, scheme: origin.protocol, host: origin.host, port: origin.port)
            guard let content, sender.speaks(for: content) else { return }
            onMessage?(message.name, message.body)
        }

        /// Opens a link that is tapped inside the survey outside the web view.
        func policy(for action: WKNavigationAction) -> WKNavigationActionPolicy {
            let link = SurveyLink(
                isTapped: action.navigationType == .linkActivated, isInMainFrame: action.sourceFrame.isMainFrame,
                request: action.request)
            guard let onLink, let url = link.outside else { return .allow }
            onLink(url)
            return .cancel
        }

        func showContent() {
            spinner.removeFromSuperview()
            webView.isHidden = false
        }

        /// Stops loading, and removes the handlers, which the web view would otherwise retain.
        func stop() {
            webView.stopLoading()
            for name in SurveyMessage.handlerNames {
                webView.configuration.userContentController.removeScriptMessageHandler(forName: name)
            }
        }
    }

    extension SurveyWebView: WKNavigationDelegate {
        func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error
        ) {
            onFailure?(error)
        }

        func webView(_ webView: WKWebView, didFail navigation: WKNavigation?, withError error: any Error) {
            onFailure?(error)
        }

        func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
            decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
        ) {
            decisionHandler(policy(for: navigationAction))
        }
    }

    /// A relay between the screen and the web view, which retains its message handlers.
    @MainActor
    final class SurveyMessageRelay: NSObject, WKScriptMessageHandler {
        weak var owner: SurveyWebView?

        func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
            owner?.receive(message)
        }
    }
#endif
