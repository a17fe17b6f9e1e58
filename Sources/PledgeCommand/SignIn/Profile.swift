import ExistKit
import Foundation
import PledgeCoding
import PledgeHTTP

/// The accounts of one person, stored under a name. A profile is never printed, and encoded only for private storage.
struct Profile: Codable, Sendable, Redacted {
    var exist: ExistCredential?
    var mydatahelps: ParticipantCredential?
    var description: String { "Profile(…)" }

    /// Returns the owner, the server, and the token of the profile's account of a service, and the kind of that token if
    /// the service has several; nil if the profile has no such account.
    func account(
        _ service: Access.Service
    ) -> (person: String, address: URL, token: String, kind: ExistCredential.Kind?)? {
        service == .exist
            ? exist.map { ($0.username, $0.address.asBase, $0.token.accessToken, $0.kind) }
            : mydatahelps.map { ($0.participant, $0.address.asBase, $0.token, nil) }
    }

    /// Returns whether it contains this account; on another server, the same name is another person's.
    func holds(_ person: String, at address: URL, _ service: Access.Service) -> Bool {
        account(service).map { ExactText($0.person) == ExactText(person) && $0.address == address } ?? false
    }
}

struct ExistCredential: Codable, Sendable, Redacted {
    enum Kind: String, Codable, Sendable {
        case bearer, simple

        /// The word before the token in a request.
        var scheme: String { self == .bearer ? "Bearer" : "Token" }

        func authorizer(_ token: String) -> Authorizer { .scheme(scheme, token) }
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
