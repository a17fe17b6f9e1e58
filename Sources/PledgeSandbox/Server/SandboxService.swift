/// A service the sandbox can play.
public protocol SandboxService: Sendable {
    /// What it answers, under the paths of the real service.
    var routes: [SandboxRoute] { get }
}
