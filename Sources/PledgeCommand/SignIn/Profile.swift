import ExistKit
import Foundation
import PledgeCoding

/// The accounts that one person signed in to, stored under a name. A profile is never printed, and is encoded only for
/// storage that is private to its owner.
struct Profile: Codable, Sendable, Discreet {
    var exist: ExistCredential?
    var mydatahelps: ParticipantCredential?
    var description: String { "Profile(…)" }

    func has(_ service: Access.Service) -> Bool { address(service) != nil }

    /// Returns the address of the profile's account of a service; nil if it has none.
    func address(_ service: Access.Service) -> URL? { service == .exist ? exist?.address : mydatahelps?.address }

    /// Returns whose account of a service it is; nil if it has none.
    func person(_ service: Access.Service) -> String? {
        service == .exist ? exist?.username : mydatahelps?.participant
    }

    /// Returns whether it has this account: on another server, the same name is another person's.
    func holds(_ person: String, at address: URL, _ service: Access.Service) -> Bool {
        self.person(service).map { ExactText($0) } == ExactText(person) && self.address(service) == address
    }
}

struct ExistCredential: Codable, Sendable, Discreet {
    enum Kind: String, Codable, Sendable {
        case bearer, simple

        var tokenKind: ExistAPI.TokenKind { self == .bearer ? .bearer : .simple }
    }

    /// The address of the service, stored so that the token is never sent anywhere else.
    var address: URL
    var username: String
    var kind: Kind
    var token: ExistToken
    /// The app the token was issued to; nil for a pasted token, which can't be renewed.
    var app: App?
    var description: String { "ExistCredential(\(username))" }

    struct App: Codable, Sendable, Discreet {
        var clientID: String
        var clientSecret: String
        var redirectURI: String
        var description: String { "App(\(clientID))" }
    }
}

struct ParticipantCredential: Codable, Sendable, Discreet {
    var address: URL
    var participant: String
    var token: String
    var description: String { "ParticipantCredential(\(participant))" }
}
