// swift-format-ignore-file
@_exported import Foundation

// Stubs: see README.md. Nothing here does anything.

@MainActor open class UIResponder: NSObject {}

@MainActor open class UIView: UIResponder {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    }

    public var frame = CGRect.zero
    public var bounds = CGRect.zero
    public var autoresizingMask: AutoresizingMask = []
    public var backgroundColor: UIColor?
    public var isHidden = false
    public init(frame: CGRect) { super.init() }
    public func addSubview(_ view: UIView) {}
    public func removeFromSuperview() {}
}

open class UIColor: NSObject, @unchecked Sendable {
    public class var systemBackground: UIColor { UIColor() }
}

public final class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable { case large }
    public init(style: Style) { super.init(frame: .zero) }
    public func startAnimating() {}
}

public enum UIModalPresentationStyle: Int, Sendable { case fullScreen }

@MainActor open class UIViewController: UIResponder {
    public var view: UIView! = UIView(frame: .zero)
    public var modalPresentationStyle = UIModalPresentationStyle.fullScreen
    public var isModalInPresentation = false
    public var isBeingDismissed: Bool { false }
    public var isMovingFromParent: Bool { false }
    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { nil }
    open func loadView() {}
    open func viewDidLoad() {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func present(_ screen: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}
