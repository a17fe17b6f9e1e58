import Foundation
import PledgeTestSupport

@testable import PledgeServer

extension RawReply {
    var json: ServerJSON { ServerJSON(Data(body.utf8)) ?? .null }
}

/// A number that any change of the bytes changes: FNV-1a.
func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

extension ServerJSON {
    /// A member of an object, or `.null` if there is none, so that a path can be written on one line.
    subscript(name: String) -> ServerJSON {
        object?[name] ?? .null
    }

    /// An element of an array, or `.null` if there is none.
    subscript(index: Int) -> ServerJSON {
        array.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? .null
    }

    var count: Int { array?.count ?? -1 }
}
