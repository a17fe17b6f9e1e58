import Foundation

/// JSON as one flat list of tokens over its bytes, made in one pass: nothing is copied, and no number is parsed, before
/// somebody asks for it.
///
/// Foundation's decoder spends most of its time on a dictionary for each object; here, a name is looked for among the
/// few that are there.
package final class JSONTape: @unchecked Sendable {
    // The memory is never written once it is here, and what is found out later only under the lock.

    /// Why there is no tape.
    package enum Problem: Error, Equatable {
        /// It is not JSON in UTF-8.
        case notJSON
        /// It goes deeper than this many lists and objects.
        case deeper(than: Int)
        /// It has more bytes than this.
        case longer(than: Int)
    }

    let memory: TapeMemory
    let count: Int
    let lock = NSLock()
    var containers: [Container]?
    var sentences: [Mismatch: String] = [:]

    /// Makes a tape of a reply, or says where it stops being JSON.
    package init(_ body: Data) throws(Problem) {
        guard body.count < TapeToken.limit else { throw .longer(than: TapeToken.limit - 1) }
        memory = TapeMemory(body, depth: TapeScanner.deepest)
        var scanner = TapeScanner(memory)
        let failure = scanner.scan()
        count = scanner.count
        switch failure {
        case .notJSON: throw .notJSON
        case .tooDeep: throw .deeper(than: TapeScanner.deepest)
        case nil: break
        }
    }

    deinit { memory.free() }

    /// A null that is nowhere, for what is missing.
    var nowhere: Int { count - 1 }

    func kind(at index: Int) -> TapeToken.Kind { memory.token(index).kind }

    func text(at index: Int) -> String {
        let token = memory.token(index)
        let text = memory.text(token)
        return token.kind == .escapedString ? TextEscapes.string(text) : text.string
    }

    /// The value under a name in an object; the first, if there are several.
    func value(named name: String, in object: Int) -> Int? {
        name.withBytes { name in
            let wanted = TapeToken.word(.string, length: name.count)
            var key = object + 1
            let end = memory.next(after: object)
            while key < end {
                let token = memory.token(key)
                if token.word == wanted ? memory.text(token).elementsEqual(name) : isEscaped(token, name) {
                    return key + 1
                }
                key = memory.next(after: key + 1)
            }
            return nil
        }
    }

    private func isEscaped(_ key: TapeToken, _ name: TextBytes) -> Bool {
        key.kind == .escapedString && TextEscapes.string(memory.text(key)).utf8.elementsEqual(name)
    }

    /// The names in an object, each with the place of its value.
    func members(of object: Int) -> [(name: String, value: Int)] {
        var key = object + 1
        return (0..<memory.token(object).length).map { _ in
            defer { key = memory.next(after: key + 1) }
            return (text(at: key), key + 1)
        }
    }
}

#if DEBUG
    extension JSONTape {
        /// How often a token was looked at: the work that reading costs, for tests.
        package var looks: Int { memory.looks.pointee }
    }
#endif
