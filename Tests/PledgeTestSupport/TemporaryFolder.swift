import Foundation

/// A folder that is deleted when its object is released, or at the end of the process if that comes first.
package final class TemporaryFolder: Sendable {
    package let url: URL

    private static let all: URL = {
        atexit { try? FileManager.default.removeItem(at: TemporaryFolder.all) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("pledge-\(UUID())")
    }()

    package init() throws {
        url = Self.all.appendingPathComponent("\(UUID())")
        // Sets the mode explicitly, because a test may be changing the mask of the process for a moment.
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Creates or changes a file, which is accessible only to its owner.
    @discardableResult
    package func file(_ name: String, holding text: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return file
    }

    /// Creates a shell script that can be run as a program.
    ///
    /// Another process writes the script. If this process wrote it, a child that another test starts at that moment would
    /// inherit the open file, and a program that is open for writing cannot be started.
    package func program(_ name: String, _ script: String) throws -> String {
        let write = #"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 700 "$0""#
        try Executable.run(["/bin/sh", "-c", write, path(name), script])
        return path(name)
    }

    /// Creates a symbolic link.
    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    package func folder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// The permissions of a file, or 0 if the file does not exist.
    package func mode(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path(name)))?[.posixPermissions] as? Int ?? 0
    }

    /// The names of everything in the folder, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    package func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path(name)) ?? Data(), as: UTF8.self)
    }

    package func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }
}
