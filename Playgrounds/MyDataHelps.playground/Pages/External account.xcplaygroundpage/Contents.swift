//: # External account
//: Find a provider, show the participant where to sign in, and follow the account until its data has arrived.
import Foundation
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))

Promise {
    let providers = try await session.queryExternalAccountProviders(
        ExternalAccountProvidersQuery(search: "Åre"))
    print("Found", providers.map(\.name))

    if let provider = providers.first, let redirect = URL(string: "https://my.app/connected") {
        let authorization = try await session.connectExternalAccount(
            providerID: provider.id, finalRedirectURL: redirect)

        //: An app shows `authorization.authorizationURL` in an `SFSafariViewController`, where the participant signs
        //: in. The sandbox signs in by itself, and redirects the browser to the app's URL.
        let browser = try await StandardTransport.shared.send(
            OutgoingRequest(url: authorization.authorizationURL)
        ).value
        let opened = browser.headers["Location"].flatMap { URL(string: $0) }
        print("Opened with the address waited for:", opened.map(authorization.isFinalRedirect) ?? false)

        //: The redirect does not prove that the account is connected. Only the list of accounts shows that.
        let accounts = try await session.listExternalAccounts()
        if let account = accounts.first(where: { $0.provider.id == provider.id }) {
            print(account.provider.name, "is", account.status)
            let done = try await session.followExternalAccount(account.id, every: 0.2)
            print(done.provider.name, "is", done.status)
        }
    }
}.waitOrExit()
sandbox.stop()
