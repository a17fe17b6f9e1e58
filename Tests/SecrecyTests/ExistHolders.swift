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
        Holder("ExistAPI, ExistQuery, PageSequence, Iterator, ExistOAuth, SignIn") {
            let existAPI = ExistAPI(token: secret)
            let others = [
                ExistAPI(token: secret, kind: .simple),
                ExistAPI(source: ExistTokenSource(token, oauth: oauth()) { _ in Promise() }),
            ]
            let (pages, signIn) = (existAPI.pages(.attributes()), try oauth().signIn(scopes: [.read("mood")]))
            let query = ExistQuery<Attribute>.attributes()
            return [existAPI, others, query, pages, pages.makeAsyncIterator(), oauth(), signIn] as [Any]
        },
        Holder("WriteProgress") {
            let server = LoopbackServer(routes: [])
            try server.start()
            defer { server.stop() }
            server.script.next(.max, respond: .drop)
            let existAPI = ExistAPI(token: secret, timeout: 600, baseURL: server.baseURL)
            let error = await existAPI.acquire(names: ["mood"]).failure() as? ExistError
            return [error?.write as Any, error as Any]
        },
        Holder("RedirectError") {
            let back = try url("app://back?state=\(secret)&error=access_denied&code=\(secret)")
            return [
                Result { try oauth().code(from: back, state: secret) },
                Result { try oauth().code(from: try url("app://back?state=x&code=\(secret)"), state: secret) },
                Result { try oauth().code(from: try url("app://elsewhere?code=\(secret)"), state: secret) },
            ]
        },
        Holder(knowing: "ExistTokenSource") {
            let sandbox = try ExistSandbox.start()
            defer { sandbox.stop() }
            let oauth = ExistOAuth(
                clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "app://back",
                baseURL: sandbox.baseURL)
            let old = ExistToken(accessToken: sandbox.token, refreshToken: sandbox.refreshToken)
            let source = ExistTokenSource(old, oauth: oauth) { _ in Promise() }
            let fresh = try await source.token(replacing: old.accessToken).value
            return (source, [fresh, sandbox.token, sandbox.refreshToken, sandbox.clientSecret])
        },
        Holder(knowing: "ExistError, Kind") {
            let sandbox = try ExistSandbox.start()
            defer { sandbox.stop() }
            sandbox.server.script.next(.max) { request in
                .text("No: \(String(decoding: request.body, as: UTF8.self))", status: 400)
            }
            let oauth = Self.oauth(sandbox.baseURL)
            let errors = [
                await oauth.token(for: secret).failure(), await oauth.refresh(token).failure(),
                await ExistAPI.simpleToken(username: "ann", password: "p w+\(secret)", baseURL: sandbox.baseURL)
                    .failure(),
            ]
            return (errors.map { [$0 as Any, ($0 as? ExistError)?.kind as Any] }, [secret])
        },
    ]
}
