import Pledge

// Declarations that the programs in this folder use. Their types are shaped like those of ExistKit and MyDataHelpsKit.

struct User: Sendable { var username = "" }
struct Attribute: Sendable { var name = "", value = 0 }
struct HTTPResponse: Sendable { var status = 200 }

/// As in ExistKit, the calls return labeled pairs.
struct Exist: Sendable {
    func user() -> Promise<(user: User, response: HTTPResponse)> { Promise(error: PromiseError.cancelled) }
    func attributes(names: [String]) -> Promise<(attributes: [Attribute], response: HTTPResponse)> {
        Promise(error: PromiseError.cancelled)
    }
}

/// As in MyDataHelpsKit, there are models, pages of results, and calls that can also be awaited.
struct Participant: Sendable { struct ID: Sendable { var value = "" }; var id = ID(), firstName: String? }
struct Page: Sendable { var results: [Participant] = [], nextPageID: String? }
struct Session: Sendable {
    func participant() -> Promise<Participant> { Promise(error: PromiseError.cancelled) }
    func participant() async throws -> Participant { Participant() }
    func page(of id: Participant.ID) -> Promise<Page> { Promise(error: PromiseError.cancelled) }
}

let exist = Exist()
let session = Session()

func number() -> Promise<Int> { .value(1) }
func text(of number: Int) -> Promise<String> { .value("\(number)") }
func sure() -> Guarantee<Int> { .value(1) }
func sureText(of number: Int) -> Guarantee<String> { .value("\(number)") }
func parse(_ text: String) throws -> Int { 1 }
func show(_ text: String) {}

final class Counter { var count = 0 }

@MainActor final class Screen { var label = "" }
