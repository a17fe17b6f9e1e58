import Foundation
import PledgeCoding
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Files that version 1.0 stored")
struct StoredFormatTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test("A profile of version 1.0 can be read, and storing it again doesn't change it")
    func profile() throws {
        let text = """
            {
              "exist" : {
                "address" : "https://exist.io/",
                "app" : {
                  "clientID" : "c",
                  "clientSecret" : "s",
                  "redirectURI" : "http://localhost:1/"
                },
                "kind" : "bearer",
                "token" : {
                  "accessToken" : "a",
                  "expiresAt" : "2027-01-02T03:04:05Z",
                  "refreshToken" : "r",
                  "scopes" : [
                    "mood_read"
                  ]
                },
                "username" : "maya"
              },
              "mydatahelps" : {
                "address" : "https://mydatahelps.org/",
                "participant" : "P-1",
                "token" : "t"
              }
            }

            """
        try FileManager.default.createDirectory(atPath: folder.path("pledge"), withIntermediateDirectories: true)
        let store = try #require(ProfileStore(["XDG_CONFIG_HOME": folder.path("")]))
        try store.save(Profile(), as: "work")
        try folder.file("pledge/work.json", holding: text)
        let profile = try #require(try store.load("work"))
        #expect(profile.account(.exist)?.token == "a" && profile.account(.mydatahelps)?.person == "P-1")
        #expect(profile.exist?.app?.clientSecret == "s" && profile.exist?.token.refreshToken == "r")
        try store.save(profile, as: "work")
        #expect(folder.text("pledge/work.json") == text)
    }

    @Test("An export's record of version 1.0 can be read, and storing the record again doesn't change it")
    func record() throws {
        let text = """
            {
              "began" : "2026-11-20T03:04:05Z",
              "day" : "2026-11-20",
              "finished" : false,
              "options" : {
                "--days" : "7"
              },
              "pledge" : "1.0.0",
              "version" : 1
            }

            """
        try folder.file("results.run", holding: text)
        let location = try OutputPath(folder.path("results.run"))
        let record = try #require(try RunRecord(at: location))
        #expect(record.day == "2026-11-20" && record.options == ["--days": "7"])
        try record.write(to: location)
        #expect(folder.text("results.run") == text)
    }
}
