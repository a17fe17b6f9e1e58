// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Pledge",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "Pledge", targets: ["Pledge"]),
        .library(name: "PledgePromiseKit", targets: ["PledgePromiseKit"]),
        .library(name: "PledgeHTTP", targets: ["PledgeHTTP"]),
        .library(name: "ExistKit", targets: ["ExistKit"]),
        .library(name: "MyDataHelpsKit", targets: ["MyDataHelpsKit"]),
        .library(name: "PledgeHistory", targets: ["PledgeHistory"]),
        .library(name: "PledgeBatch", targets: ["PledgeBatch"]),
        .library(name: "PledgeSandbox", targets: ["PledgeSandbox"]),
        .executable(name: "pledge", targets: ["PledgeCommand"]),
    ],
    targets: [
        // The targets are in the order of their dependencies: a target imports only targets that are listed above it.
        .target(name: "PledgeLock"),
        .target(name: "Pledge", dependencies: ["PledgeLock"]),
        .target(name: "PledgePlainImport", dependencies: ["Pledge"]),
        .target(name: "PledgePromiseKit", dependencies: ["Pledge", "PledgePlainImport"]),
        .target(name: "PledgeCoding"),
        .target(name: "PledgeLibraries"),
        .target(name: "PledgeFiles"),
        .target(name: "PledgeHTTP", dependencies: ["Pledge", "PledgeCoding", "PledgeLibraries", "PledgeFiles"]),
        .target(name: "ExistKit", dependencies: ["Pledge", "PledgeCoding", "PledgeHTTP"]),
        .target(name: "MyDataHelpsKit", dependencies: ["Pledge", "PledgeCoding", "PledgeHTTP"]),
        .target(name: "PledgeBatch", dependencies: ["Pledge", "PledgeCoding", "PledgeHTTP", "PledgeFiles"]),
        .target(
            name: "PledgeHistory",
            dependencies: [
                "Pledge", "PledgeCoding", "PledgeLibraries", "PledgeFiles", "PledgeHTTP", "ExistKit", "MyDataHelpsKit",
            ]),
        // PledgeServer and PledgeSandbox import none of the modules above. Otherwise, a client and its test server
        // could share a mistake, and no test would notice it.
        .target(name: "PledgeServer"),
        .target(name: "PledgeSandbox", dependencies: ["PledgeServer"]),
        .executableTarget(
            name: "PledgeCommand",
            dependencies: [
                "Pledge", "PledgeCoding", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeFiles", "PledgeBatch",
                "PledgeHistory", "PledgeServer", "PledgeSandbox", "PledgeLibraries",
            ]),

        .target(name: "PledgeTestWatchdog", path: "Tests/PledgeTestWatchdog"),
        .target(
            name: "PledgeTestSupport", dependencies: ["PledgeTestWatchdog", "Pledge", "PledgeCoding"],
            path: "Tests/PledgeTestSupport", exclude: ["stop.c"]),
        .testTarget(
            name: "PledgeTests", dependencies: ["PledgeLock", "Pledge", "PledgeTestSupport"], exclude: ["Compiler"]),
        .testTarget(
            name: "PledgePromiseKitTests", dependencies: ["PledgePromiseKit", "PledgeTestSupport"], exclude: ["Topics"]),
        .testTarget(name: "PledgeCodingTests", dependencies: ["PledgeCoding", "PledgeTestSupport"]),
        .testTarget(
            name: "PledgeHTTPTests", dependencies: ["Pledge", "PledgeCoding", "PledgeFiles", "PledgeHTTP"] + tools,
            exclude: ["CurlNumbers"]),
        .testTarget(name: "ExistKitTests", dependencies: ["ExistKit", "PledgeHTTP"] + tools, exclude: ["Fixtures"]),
        .testTarget(
            name: "MyDataHelpsKitTests", dependencies: ["MyDataHelpsKit", "PledgeHTTP"] + tools,
            exclude: ["Fixtures", "Vendor", "ViewStubs"]),
        .testTarget(
            name: "PledgeBatchTests", dependencies: ["Pledge", "PledgeHTTP", "PledgeBatch", "PledgeTestSupport"]),
        .testTarget(name: "PledgeFilesTests", dependencies: ["PledgeFiles", "PledgeTestSupport"]),
        .testTarget(
            name: "PledgeHistoryTests",
            dependencies: kits + ["PledgeFiles", "PledgeLibraries", "PledgeHistory"] + tools, exclude: ["Fixtures"]),
        .testTarget(name: "PledgeServerTests", dependencies: tools),
        .testTarget(name: "PledgeSandboxTests", dependencies: tools, exclude: ["Clients", "Outputs"]),
        .testTarget(
            name: "PledgeCommandTests",
            dependencies: kits + ["PledgeFiles", "PledgeBatch", "PledgeHistory", "PledgeCommand"] + tools,
            exclude: ["Cluster", "KeychainStub", "Outputs"]),
        .testTarget(name: "KitTests", dependencies: kits + ["PledgeBatch", "PledgeHistory"] + tools),
        .testTarget(name: "SecrecyTests", dependencies: kits + tools),
        .testTarget(
            name: "RepositoryTests", dependencies: ["PledgeTestSupport"], exclude: ["Documentation", "PublicSymbols"]),
        .testTarget(name: "SnippetTests", dependencies: ["PledgeHTTP", "ExistKit", "PledgeBatch"] + tools),
    ],
    swiftLanguageModes: [.v6]
)

/// ExistKit and MyDataHelpsKit, with the modules that they import.
var kits: [Target.Dependency] { ["Pledge", "PledgeCoding", "PledgeHTTP", "ExistKit", "MyDataHelpsKit"] }

/// The modules that tests with real HTTP requests need: the test server, the sandbox, and helpers.
var tools: [Target.Dependency] { ["PledgeServer", "PledgeSandbox", "PledgeTestSupport"] }

// To work on a single module, set `PLEDGE_TESTS=ExistKitTests`, for example. Only these tests and their dependencies
// are then built.
if let names = Context.environment["PLEDGE_TESTS"] {
    var needed = Set(names.split(separator: ",").map(String.init))
    for target in package.targets.reversed() where needed.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    // Removes the command-line tool from the products unless all of its targets are needed. Only the tests of the tool
    // run it.
    package.products.removeAll { ($0 as? Product.Executable)?.targets.allSatisfy(needed.contains) != true }
}
