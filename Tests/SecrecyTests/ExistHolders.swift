import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport

extension Holder {
    private static func oauth(_ baseURL: URL = ExistAPI.serviceURL) -> ExistOAuth {
        ExistOAuth(
            clientID: "app", clientSecret: secret, redirectURI: "app://back", baseURL: baseURL, makeState: { secret })
    }

    private static let token = ExistToken(accessToken: secret, refreshToken: secret, scopes: ["mood_read"])

    static let exist: [Holder] = [
        Holder("ExistAPI") {
            [
                ExistAPI(token: secret), ExistAPI(token: secret, kind: .simple),
                ExistAPI(source: ExistTokenSource(token, oauth: oauth()) { _ in Promise() }),
            ]
        },
        Holder("ExistQuery, PageSequence, Iterator") {
            let pages = ExistAPI(token: secret).pages(.attributes())
            return [ExistQuery<Attribute>.attributes(), pages, pages.makeAsyncIterator()] as [Any]
        },
        Holder("WriteProgress") {
            let server = LoopbackServer(routes: [])
            try server.start()
            defer { server.stop() }
            server.script.next(.max, respond: .drop)
            let existAPI = ExistAPI(token: secret, baseURL: server.baseURL)
            let error = await existAPI.acquire(names: ["mood"]).failure() as? ExistError
            return [error?.write as Any, error as Any]
        },
        Holder("ExistOAuth, SignIn") { [oauth(), try oauth().signIn(scopes: [.read("mood")])] as [Any] },
        Holder("RedirectError") {
            let back = try url("app://back?state=\(secret)&error=access_denied&code=\(secret)")
            return [
                Result { try oauth().code(from: back, state: secret) },
                Result { try oauth().code(from: try url("app://back?state=x&code=\(secret)"), state: secret) },
                Result { try oauth().code(from: try url("app://elsewhere?code=\(secret)"), state: secret) },
            ]
        },
        Holder(
            "ExistTokenSource",
            knowing: {
                let sandbox = try ExistSandbox.start()
                defer { sandbox.stop() }
                let oauth = ExistOAuth(
                    clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "app://back",
                    baseURL: sandbox.baseURL)
                let old = ExistToken(accessToken: sandbox.token, refreshToken: sandbox.refreshToken)
                let source = ExistTokenSource(old, oauth: oauth) { _ in Promise() }
                let fresh = try await source.token(replacing: old.accessToken).value
                return (source, [fresh, sandbox.token, sandbox.refreshToken, sandbox.clientSecret])
            }),
        Holder(
            "ExistError, Kind",
            knowing: {
                let sandbox = try ExistSandbox.start()
                defer { sandbox.stop() }
                sandbox.server.script.next(.max) { request in
                    .text("No: \(String(decoding: request.body, as: UTF8.self))", status: 400)
                }
                let oauth = ExistOAuth(
                    clientID: "app", clientSecret: "\(secret)1", redirectURI: "app://back", baseURL: sandbox.baseURL)
                let pair = ExistToken(accessToken: secret, refreshToken: "\(secret)2")
                let errors = [
                    await oauth.token(for: "\(secret)3").failure(), await oauth.refresh(pair).failure(),
                    await ExistAPI.simpleToken(username: "ann", password: "p w+\(secret)", baseURL: sandbox.baseURL)
                        .failure(),
                ]
                return (errors.map { [$0 as Any, ($0 as? ExistError)?.kind as Any] }, [secret])
            }),
    ]
}
