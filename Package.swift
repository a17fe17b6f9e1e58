// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Pledge",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "Pledge", targets: ["Pledge"]),
        .library(name: "PledgeHTTP", targets: ["PledgeHTTP"]),
        .library(name: "ExistKit", targets: ["ExistKit"]),
        .library(name: "PledgeSandbox", targets: ["PledgeSandbox"]),
        .executable(name: "pledge", targets: ["PledgeCommand"]),
    ],
    targets: [
        .target(name: "Pledge"),
        .target(name: "PledgeHTTP", dependencies: ["Pledge"]),
        .target(name: "ExistKit", dependencies: ["Pledge", "PledgeHTTP"]),
        .target(name: "PledgeSandbox"),
        .executableTarget(name: "PledgeCommand", dependencies: ["ExistKit", "PledgeSandbox"]),

        .testTarget(name: "PledgeHTTPTests", dependencies: ["PledgeHTTP", "PledgeSandbox"]),
        .testTarget(name: "ExistKitTests", dependencies: ["ExistKit", "PledgeHTTP", "PledgeSandbox"]),
        .testTarget(name: "PledgeSandboxTests", dependencies: ["PledgeSandbox"]),
        .testTarget(name: "PledgeCommandTests", dependencies: ["PledgeCommand", "PledgeSandbox"]),
    ],
    swiftLanguageModes: [.v6]
)
