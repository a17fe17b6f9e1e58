// swift-format-ignore-file
@_exported import Foundation

// Stubs, as explained in README.md. They do nothing.

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
    public var window: UIWindow? { nil }
    public var translatesAutoresizingMaskIntoConstraints = true
    public var safeAreaLayoutGuide: UILayoutGuide { UILayoutGuide() }
    public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
}

public final class UIWindow: UIView { public weak var windowScene: UIWindowScene? }

@MainActor public final class UIWindowScene: UIResponder {
    public final class OpenExternalURLOptions: NSObject {}
    public func open(_ url: URL, options: OpenExternalURLOptions?, completionHandler: ((Bool) -> Void)? = nil) {}
}

@MainActor public final class UILayoutGuide: NSObject {
    public var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
}

@MainActor public class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
}

public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

@MainActor public final class NSLayoutConstraint: NSObject {
    public class func activate(_ constraints: [NSLayoutConstraint]) {}
}

@MainActor public final class UIAction: NSObject {
    public convenience init(handler: @escaping @MainActor (UIAction) -> Void) { self.init() }
}

@MainActor public class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchUpInside = Event(rawValue: 64)
    }

    public func addAction(_ action: UIAction, for event: Event) {}
}

public final class UIButton: UIControl {
    public enum ButtonType: Int, Sendable { case close = 7 }
    public convenience init(type: ButtonType) { self.init(frame: .zero) }
}

public enum UIAccessibility {
    public struct Notification: Sendable { public static let screenChanged = Notification() }

    @MainActor public static func post(notification: Notification, argument: Any?) {}
}

@MainActor public final class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel }
    public convenience init(title: String?, style: Style, handler: (@MainActor (UIAlertAction) -> Void)? = nil) {
        self.init()
    }
}

public final class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
    }
    public func addAction(_ action: UIAlertAction) {}
}

open class UIColor: NSObject, @unchecked Sendable { public class var systemBackground: UIColor { UIColor() } }

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
    public var presentedViewController: UIViewController? { nil }
    public var isMovingFromParent: Bool { false }
    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { nil }
    open func loadView() {}
    open func viewDidLoad() {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func present(_ screen: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}
