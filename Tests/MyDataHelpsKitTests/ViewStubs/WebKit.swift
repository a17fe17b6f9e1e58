// swift-format-ignore-file
@_exported import Foundation
import UIKit

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

// Stubs, as explained in README.md. They do nothing.

@MainActor public final class WKWebsiteDataStore: NSObject {
    public class func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore() }
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

@MainActor public final class WKScriptMessage: NSObject {
    public var name: String { "" }
    public var body: Any { "" }
    public var frameInfo: WKFrameInfo { WKFrameInfo() }
}

@MainActor public protocol WKScriptMessageHandler: AnyObject {
    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor public final class WKUserContentController: NSObject {
    public func add(_ handler: any WKScriptMessageHandler, name: String) {}
    public func removeScriptMessageHandler(forName name: String) {}
}

@MainActor public final class WKWebViewConfiguration: NSObject {
    public var websiteDataStore = WKWebsiteDataStore()
    public var allowsInlineMediaPlayback = false
    public var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = []
    public var userContentController = WKUserContentController()
}

@MainActor public final class WKNavigation: NSObject {}

@MainActor public final class WKFrameInfo: NSObject {
    public var isMainFrame: Bool { true }
    public var securityOrigin: WKSecurityOrigin { WKSecurityOrigin() }
}

@MainActor public final class WKSecurityOrigin: NSObject {
    public var `protocol`: String { "" }
    public var host: String { "" }
    public var port: Int { 0 }
}

@MainActor public final class WKWindowFeatures: NSObject {}

public enum WKNavigationType: Int, Sendable { case linkActivated, other }

public enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow }

@MainActor public final class WKNavigationAction: NSObject {
    public var request: URLRequest { URLRequest(url: URL(fileURLWithPath: "/")) }
    public var sourceFrame: WKFrameInfo { WKFrameInfo() }
    public var navigationType: WKNavigationType { .other }
}

@MainActor public protocol WKUIDelegate: AnyObject {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures) -> WKWebView?
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor () -> Void)
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor (Bool) -> Void)
}

@MainActor public protocol WKNavigationDelegate: AnyObject {
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation?, withError error: any Error)
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation?, withError error: any Error)
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void)
}

@MainActor public final class WKWebView: UIView {
    public let configuration: WKWebViewConfiguration
    public var customUserAgent: String?
    public var allowsLinkPreview = true
    public var allowsBackForwardNavigationGestures = false
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    public weak var uiDelegate: (any WKUIDelegate)?
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
    }
    public func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? { nil }
    public func load(_ request: URLRequest) -> WKNavigation? { nil }
    public func stopLoading() {}
}
