// swift-format-ignore-file
import UIKit

// Stubs, as explained in README.md. They do nothing.

public final class SFSafariViewController: UIViewController {
    public enum DismissButtonStyle: Int, Sendable { case done, close, cancel }
    public var dismissButtonStyle = DismissButtonStyle.done
    public init(url: URL) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }
}
