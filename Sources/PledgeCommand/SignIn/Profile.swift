import ExistKit
import Foundation
import PledgeCoding

/// The accounts of one person, stored under a name. A profile is never printed, and encoded only for private storage.
struct Profile: Codable, Sendable, Redacted {
    var exist: ExistCredential?
    var mydatahelps: ParticipantCredential?
    var description: String { "Profile(…)" }

    func has(_ service: Access.Service) -> Bool { address(service) != nil }

    func address(_ service: Access.Service) -> URL? { service == .exist ? exist?.address : mydatahelps?.address }

    /// Returns the owner of the profile's account of a service; nil if it has none.
    func person(_ service: Access.Service) -> String? {
        service == .exist ? exist?.username : mydatahelps?.participant
    }

    /// Returns whether it contains this account; on another server, the same name is another person's.
    func holds(_ person: String, at address: URL, _ service: Access.Service) -> Bool {
        self.person(service).map { ExactText($0) } == ExactText(person) && self.address(service) == address
    }
}

struct ExistCredential: Codable, Sendable, Redacted {
    enum Kind: String, Codable, Sendable {
        case bearer, simple

        var tokenKind: ExistAPI.TokenKind { self == .bearer ? .bearer : .simple }
    }

    /// The address of the service, stored so that the token is never sent anywhere else.
    var address: URL
    var username: String
    var kind: Kind
    var token: ExistToken
    /// The app that the token was issued to; nil for a pasted token, which can't be renewed.
    var app: App?
    var description: String { "ExistCredential(\(username))" }

    struct App: Codable, Sendable, Redacted {
        var clientID: String
        var clientSecret: String
        var redirectURI: String
        var description: String { "App(\(clientID))" }
    }
}

struct ParticipantCredential: Codable, Sendable, Redacted {
    var address: URL
    var participant: String
    var token: String
    var description: String { "ParticipantCredential(\(participant))" }
}
