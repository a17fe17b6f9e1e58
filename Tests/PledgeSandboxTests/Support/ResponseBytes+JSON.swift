import Foundation
import PledgeTestSupport

@testable import PledgeServer

extension ResponseBytes {
    var json: ServerJSON { ServerJSON(Data(body.utf8)) ?? .null }
}

extension ServerJSON {
    /// A member of an object, or `.null` if there is none, so that a path can be written on one line.
    subscript(name: String) -> ServerJSON { object?[name] ?? .null }

    /// An element of an array, or `.null` if there is none.
    subscript(index: Int) -> ServerJSON { array.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? .null }

    var count: Int { array?.count ?? -1 }
}
