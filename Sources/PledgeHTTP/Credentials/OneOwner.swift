import Pledge
import PledgeCoding

/// A client that acts for one person. It sends a new token only after the service has said whose token it is.
///
/// A source may return another person's token at any time: someone else may sign in to the same profile, or a token's
/// file may be replaced. Once the client knows the owner, it refuses a token of anyone else with ``OtherOwner``.
package struct OneOwner<Owner: Sendable>: Sendable {
    /// The client for all requests except the one that asks for the owner.
    package let client: EndpointClient
    /// Returns the owner. Once the owner is known, this closure sends no request. Concurrent calls share one request,
    /// whose tokens come from the original client, and are not checked.
    package let owner: @Sendable () -> Promise<Owner>

    /// Creates a client that acts for one person, based on a client that does not check its tokens.
    ///
    /// - Parameters:
    ///   - ask: A closure that requests the owner. It receives a client whose tokens are not checked, and must send the
    ///     request with that client. The owner in the response counts as the owner of the token that this client sent
    ///     last.
    ///   - isSame: Returns whether two responses are about the same person.
    package init(
        of client: EndpointClient, asking ask: @escaping @Sendable (EndpointClient) -> Promise<Owner>,
        isSame: @escaping @Sendable (Owner, Owner) -> Bool
    ) {
        let authorizer = client.authorizer
        let clock = client.options.clock
        // Only closures capture the token, so that neither `print` nor `dump` finds it.
        let known = SharedRenewal<KnownOwner<Owner>>(runsWithoutCallers: false)
        @Sendable func identify(_ earlier: KnownOwner<Owner>?) -> Promise<KnownOwner<Owner>> {
            let sent = Locked("")
            let asking = authorizer.passingTokens { token in
                sent.withLock { $0 = token }
                return .value(token)
            }
            return ask(client.authorized(by: asking)).map(on: nil) { owner in
                if let earlier, !isSame(earlier.owner, owner) { throw OtherOwner() }
                return KnownOwner(token: sent.withLock { $0 }, owner: owner)
            }
        }
        owner = { known.value(clock, identify).map(on: nil, \.owner) }
        self.client = client.authorized(
            by: authorizer.passingTokens { token in
                known.value(clock, if: { known, _ in known.token == token }, identify).map(on: nil, \.token)
                    .mapError(on: nil) { error in
                        error.isCancelled ? error : (error as? ExchangeError).map(UnknownOwner.init) ?? error
                    }
            })
    }
}

/// A token, and the person to whom it belongs according to the service.
private struct KnownOwner<Owner: Sendable>: Sendable {
    let token: String
    let owner: Owner
}

/// An error that means: a token belongs to another person than expected.
package protocol WrongOwner: Error {}

/// The error if a token belongs to another person than the earlier tokens.
package struct OtherOwner: WrongOwner, CustomStringConvertible {
    package var description: String {
        "the token now belongs to another person than before, so it was not used"
    }
}

extension Error {
    /// Whether the token belongs to another person than expected.
    package var isOtherOwner: Bool {
        if self is any WrongOwner { return true }
        guard case .credential(let cause)? = exchangeError?.reason else { return false }
        return cause is any WrongOwner
    }

    /// The code of the error in results and databases. It is the kind of the failure, or `identity` if the token
    /// belongs to another person than expected.
    package var kindName: String { isOtherOwner ? "identity" : failureKind.rawValue }
}

/// The error if the service did not say who owns a token. The call then fails with `cause`, the error of the request
/// for the owner.
struct UnknownOwner: Error {
    let cause: ExchangeError
}

extension OneOwner: Redacted {
    /// The client. The description contains neither a token nor the owner.
    package var description: String { "OneOwner(\(client))" }
}
