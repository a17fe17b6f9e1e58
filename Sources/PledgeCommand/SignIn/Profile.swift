import ExistKit
import Foundation

/// The accounts of one person that were signed in to, under a name. It is never printed; encoded, it goes into a file of
/// its owner.
struct Profile: Codable, Sendable {
    var exist: ExistCredential?
    var mydatahelps: ParticipantCredential?

    func has(_ service: Access.Service) -> Bool { address(service) != nil }

    /// Where its account of a service is; nil if it has none.
    func address(_ service: Access.Service) -> URL? { service == .exist ? exist?.address : mydatahelps?.address }
}

/// What gets into an account of Exist.
struct ExistCredential: Codable, Sendable {
    enum Kind: String, Codable, Sendable {
        case bearer, simple

        var tokenKind: ExistAPI.TokenKind { self == .bearer ? .bearer : .simple }
    }

    /// Where the service is, so that no token ever goes elsewhere.
    var address: URL
    var username: String
    var kind: Kind
    var token: ExistToken
    /// The app the token was given to; nil for a pasted one, which cannot be renewed.
    var app: App?

    struct App: Codable, Sendable {
        var clientID: String
        var clientSecret: String
        var redirectURI: String
    }
}

/// What gets into an account of MyDataHelps.
struct ParticipantCredential: Codable, Sendable {
    var address: URL
    var participant: String
    var token: String
}

extension Profile: CustomStringConvertible, CustomReflectable {
    var description: String { "Profile(…)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ExistCredential: CustomStringConvertible, CustomReflectable {
    var description: String { "ExistCredential(\(username))" }
    var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

extension ExistCredential.App: CustomStringConvertible, CustomReflectable {
    var description: String { "App(\(clientID))" }
    var customMirror: Mirror { Mirror(self, children: ["clientID": clientID]) }
}

extension ParticipantCredential: CustomStringConvertible, CustomReflectable {
    var description: String { "ParticipantCredential(\(participant))" }
    var customMirror: Mirror { Mirror(self, children: ["participant": participant]) }
}
