// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Pledge",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "Pledge", targets: ["Pledge"]),
        .library(name: "PledgeHTTP", targets: ["PledgeHTTP"]),
        .library(name: "ExistKit", targets: ["ExistKit"]),
        .library(name: "MyDataHelpsKit", targets: ["MyDataHelpsKit"]),
        .library(name: "PledgeSandbox", targets: ["PledgeSandbox"]),
        .executable(name: "pledge", targets: ["PledgeCommand"]),
    ],
    targets: [
        .target(name: "PledgeLock"),
        .target(name: "Pledge", dependencies: ["PledgeLock"]),
        .target(name: "PledgeCoding"),
        .target(name: "PledgeCurl"),
        .target(name: "PledgeHTTP", dependencies: ["Pledge", "PledgeCoding", "PledgeCurl"]),
        .target(name: "ExistKit", dependencies: ["Pledge", "PledgeHTTP", "PledgeCoding"]),
        .target(name: "MyDataHelpsKit", dependencies: ["Pledge", "PledgeHTTP", "PledgeCoding"]),
        .target(name: "PledgeSandbox"),
        .executableTarget(name: "PledgeCommand", dependencies: ["ExistKit", "MyDataHelpsKit", "PledgeSandbox"]),

        .target(
            name: "PledgeTestSupport", dependencies: ["Pledge", "PledgeCoding"], path: "Tests/PledgeTestSupport"),
        .testTarget(name: "PledgeTests", dependencies: ["Pledge", "PledgeTestSupport"]),
        .testTarget(name: "PledgeCodingTests", dependencies: ["PledgeCoding", "PledgeTestSupport"]),
        .testTarget(
            name: "PledgeHTTPTests",
            dependencies: ["PledgeHTTP", "PledgeCoding", "PledgeSandbox", "PledgeTestSupport"],
            exclude: ["CurlNumbers"]),
        .testTarget(
            name: "ExistKitTests", dependencies: ["ExistKit", "PledgeHTTP", "PledgeSandbox", "PledgeTestSupport"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "MyDataHelpsKitTests",
            dependencies: ["MyDataHelpsKit", "PledgeHTTP", "PledgeSandbox", "PledgeTestSupport"],
            exclude: ["Fixtures", "ViewStubs"]),
        .testTarget(name: "PledgeSandboxTests", dependencies: ["PledgeSandbox"]),
        .testTarget(
            name: "PledgeCommandTests", dependencies: ["PledgeCommand", "PledgeSandbox", "PledgeTestSupport"],
            exclude: ["Cluster"]),
        .testTarget(
            name: "SecrecyTests", dependencies: ["ExistKit", "MyDataHelpsKit", "PledgeSandbox", "PledgeTestSupport"]),
        .testTarget(name: "SnippetTests", dependencies: ["ExistKit", "PledgeSandbox"]),
    ],
    swiftLanguageModes: [.v6]
)
