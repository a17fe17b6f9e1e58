// Where a chain began, for the message about an error that nothing handled. In debug builds only: nothing is stored or
// done in a release build.
extension PromiseStorage {
    /// Records where the promise was created, as the first of a chain: by the user, to whom our own files say nothing.
    @inlinable @inline(__always) final func begin(_ file: StaticString, _ line: UInt) {
        #if DEBUG
            if !Self.isOurs("\(file)") { origin = (file, line) }
        #endif
    }

    #if DEBUG
        /// The libraries of this package.
        static let libraries =
            ["Pledge", "PledgePromiseKit", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeHistory", "PledgeBatch"]

        @usableFromInline static func isOurs(_ file: String) -> Bool { libraries.contains { file.hasPrefix("\($0)/") } }
    #endif

    /// Records that the promise continues the chain of another, unless it is already part of one.
    @inline(__always) final func `continue`(_ source: PromiseStorage) {
        #if DEBUG
            let origin = source.locked { source.origin }
            locked { self.origin = self.origin ?? origin }
        #endif
    }

    /// The file and line, if known, read without the lock: for a promise that nothing else refers to any longer.
    final var place: String? {
        #if DEBUG
            origin.map { "\($0.file):\($0.line)" }
        #else
            nil
        #endif
    }
}
