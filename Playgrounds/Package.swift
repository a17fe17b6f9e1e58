// swift-tools-version: 6.0
import PackageDescription

/// Returns the pages of a playground as executable targets, so that they also run outside Xcode, such as on Linux and
/// in CI. In the name of a target, dashes replace the spaces: `swift run --package-path Playgrounds Quick-start`.
func pages(of playground: String, _ products: [String], _ names: [String]) -> [Target] {
    names.map { name in
        .executableTarget(
            name: name.split(separator: " ").joined(separator: "-"),
            dependencies: products.map { .product(name: $0, package: "Pledge") },
            path: "\(playground).playground/Pages/\(name).xcplaygroundpage")
    }
}

let package = Package(
    name: "Playgrounds",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    dependencies: [.package(name: "Pledge", path: "..")],
    targets: pages(
        of: "Pledge", ["Pledge"], ["First promise", "Many promises", "When things fail", "Cancel"]
    )
        + pages(
            of: "Exist", ["ExistKit", "PledgeSandbox"],
            [
                "Quick start", "Read a week", "Acquire and update", "Many at once", "Whole history",
                "Write many values",
                "OAuth",
            ])
        + pages(of: "Exist", ["ExistKit", "PledgeBatch", "PledgeSandbox"], ["Batch job"])
        + pages(of: "Exist", ["ExistKit", "PledgeHistory", "PledgeSandbox"], ["Own history"])
        + pages(of: "HTTP", ["PledgeHTTP", "PledgeSandbox"], ["Wrap an API", "GitHub issues"])
        + pages(
            of: "MyDataHelps", ["MyDataHelpsKit", "PledgeSandbox"],
            [
                "Three styles", "Page by page", "Device data", "External account", "Token source", "Service account",
            ]),
    swiftLanguageModes: [.v6]
)
