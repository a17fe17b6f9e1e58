// swift-format-ignore-file
import UIKit

// Stubs: see README.md. Nothing here does anything.

public final class SFSafariViewController: UIViewController {
    public enum DismissButtonStyle: Int, Sendable { case done, close, cancel }
    public var dismissButtonStyle = DismissButtonStyle.done
    public init(url: URL) { super.init(nibName: nil, bundle: nil) }
    public required init?(coder: NSCoder) { nil }
}
