/// A service that the sandbox simulates.
public protocol SandboxService: Sendable {
    /// The routes, under the paths of the real service.
    var routes: [SandboxRoute] { get }
}
