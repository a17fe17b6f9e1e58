// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11)],
    dependencies: [
        .package(name: "Pledge", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    ],
    targets: [
        .target(name: "CAllocations"),
        .target(name: "Callgrind"),
        .target(name: "CTransports"),
        .executableTarget(
            name: "PromiseBenchmarks",
            dependencies: [
                "CAllocations", "Callgrind",
                .product(name: "Pledge", package: "Pledge"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ]
        ),
        .executableTarget(
            name: "ClientBenchmarks",
            dependencies: [
                .product(name: "PledgeHTTP", package: "Pledge"),
                .product(name: "PledgeSandbox", package: "Pledge"),
            ]
        ),
        .executableTarget(
            name: "TransportBenchmarks",
            dependencies: [
                "CTransports",
                .product(name: "Pledge", package: "Pledge"),
                .product(name: "PledgeHTTP", package: "Pledge"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            exclude: ["aiohttp_client.py"]
        ),
        .executableTarget(
            name: "DecodingBenchmarks",
            dependencies: [
                "Callgrind",
                .product(name: "ExistKit", package: "Pledge"),
                .product(name: "MyDataHelpsKit", package: "Pledge"),
            ]
        ),
        .executableTarget(
            name: "ExportBenchmarks", dependencies: ["Callgrind", .product(name: "ExistKit", package: "Pledge")]),
        .executableTarget(
            name: "HistoryBenchmarks",
            dependencies: [
                .product(name: "PledgeHistory", package: "Pledge"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
