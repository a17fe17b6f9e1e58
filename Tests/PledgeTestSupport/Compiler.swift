#if os(Linux)
    import Foundation

    /// The Swift compiler, for code that must or must not compile with the modules of this package.
    package enum Compiler {
        /// Returns whether the compiler accepts some code, and the compiler's output.
        package static func typecheck(
            _ code: String, mode: Int = 6, flags: [String] = []
        ) throws -> (isTaken: Bool, output: String) {
            let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            // A C module is found only through its module map.
            let maps = ["PledgeLibraries", "PledgeLock"].flatMap { name in
                ["-Xcc", "-fmodule-map-file=\(products.path)/\(name).build/module.modulemap"]
            }
            let folder = try TemporaryFolder()
            let file = try folder.file("Code.swift", holding: code)
            let modules = products.appendingPathComponent("Modules").path
            let run = try Executable.run(
                ["swiftc", "-typecheck", "-swift-version", "\(mode)", "-I", modules] + flags + maps + [file.path])
            return (run.status == 0, run.output)
        }
    }
#endif
