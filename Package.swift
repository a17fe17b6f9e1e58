// swift-tools-version: 6.0
import PackageDescription

/// A playground page is an executable, so that it runs on Linux and in CI as well as in Xcode.
func page(_ name: String, of playground: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name.split(separator: " ").joined(separator: "-"), dependencies: dependencies,
        path: "Playgrounds/\(playground).playground/Pages/\(name).xcplaygroundpage")
}

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

        page("Quick start", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Read a week", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Acquire and update", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Many at once", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Whole history", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Write a batch", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("OAuth", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Batch job", of: "Exist", ["ExistKit", "PledgeSandbox"]),
        page("Three styles", of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"]),
        page("Page by page", of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"]),
        page("Device data", of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"]),
        page("External account", of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"]),
        page("Token source", of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"]),
        page("Service account", of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"]),

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
            exclude: ["Fixtures", "Vendor", "ViewStubs"]),
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
