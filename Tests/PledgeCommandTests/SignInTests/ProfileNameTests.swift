import Testing

@testable import PledgeCommand

@Suite("What a profile may contain")
struct ProfileNameTests {
    @Test(
        "A profile's name is a file's name: it leads nowhere else, and has at most 64 ASCII characters",
        arguments: [
            ("default", true), ("a", true), ("Work_2-b", true), (String(repeating: "a", count: 64), true), ("", false),
            (String(repeating: "a", count: 65), false), ("..", false), (".hidden", false), ("../default", false),
            ("a/b", false), ("a b", false), ("é", false), ("a\n", false), ("a\0b", false),
        ])
    func names(name: String, isName: Bool) {
        #expect(ProfileStore.isName(name) == isName)
    }

    @Test(
        "A token may be sent to an address with https or on this machine, without a user",
        arguments: [
            ("https://exist.example/", true), ("http://127.0.0.1:8080/", true), ("http://localhost/", true),
            ("http://exist.example/", false), ("http://127.0.0.1.example/", false),
            ("https://ann@exist.example/", false),
            ("https://ann:b@exist.example/", false), ("ftp://exist.example/", false), ("exist.example", false),
        ])
    func addresses(address: String, isAllowed: Bool) {
        let found = try? Access.Service.exist.address(address, from: "EXIST_BASE_URL")
        #expect((found != nil) == isAllowed)
    }
}
