//: # Service account
//: A server can get tokens for participants: it signs an assertion with the key of its service account, and exchanges
//: the assertion for a participant's token. This page creates a key and signs with `openssl`. The sandbox also uses
//: `openssl` to verify the signature.
import Foundation
import MyDataHelpsKit
import PledgeSandbox

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("service-account-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

struct OpenSSLFailed: Error {}

/// Runs `openssl` with these arguments, and returns its output.
@Sendable func openssl(_ arguments: String...) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw OpenSSLFailed() }
    return printed
}

/// Writes the bytes to a new file, and returns its path.
@Sendable func file(_ bytes: Data) throws -> String {
    let url = folder.appendingPathComponent(UUID().uuidString)
    try bytes.write(to: url)
    return url.path
}

let key = folder.appendingPathComponent("key.pem").path
let publicKey = folder.appendingPathComponent("public.pem").path
_ = try openssl("genrsa", "-out", key, "2048")
_ = try openssl("rsa", "-in", key, "-pubout", "-out", publicKey)

let sandbox = try MyDataHelpsSandbox.start(checkSignature: { signed, signature in
    guard let signedFile = try? file(signed), let signatureFile = try? file(signature) else { return false }
    let check = try? openssl("dgst", "-sha256", "-verify", publicKey, "-signature", signatureFile, signedFile)
    return check != nil
})
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let account = ServiceAccount(name: sandbox.serviceAccount, client: client) { bytes in
    try openssl("dgst", "-sha256", "-sign", key, "-binary", try file(bytes))
}

account.participant("ÅRE-0042", in: Project.ID(sandbox.projectID)).then {
    participant -> Promise<ParticipantInfo> in
    //: This session is for a server that makes the calls itself. A server that passes the token to an app calls
    //: `participantToken(for:)` instead.
    ParticipantSession(client: client, tokens: account.tokens(for: participant.id, scopes: ["Participant:read"]))
        .getParticipantInfo()
}.done { participant in
    print("Signed, and read the data of", participant.participantIdentifier)
}.waitOrExit()
sandbox.stop()
try FileManager.default.removeItem(at: folder)
