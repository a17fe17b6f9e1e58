import Pledge

// Chains like those in PromiseKit's handbook. The compiler must type-check each of them quickly. They are compiled twice,
// the second time with `@_spi(PromiseKit) import PledgePromiseKit`.

struct User: Sendable { var id = 1, name = "Ann", avatar = "ann.png" }
struct Image: Sendable { var bytes: [UInt8] = [] }
enum LoginError: Error { case denied }

func login() -> Promise<User> { .value(User()) }
func fetch(_ url: String) -> Promise<(data: [UInt8], response: Int)> { .value((data: [], response: 200)) }
func friends(of user: User) -> Promise<[User]> { .value([user]) }
func decode(_ bytes: [UInt8]) throws -> Image { Image(bytes: bytes) }
func save(_ image: Image) -> Promise<Void> { Promise() }
func location() -> Guarantee<Int> { .value(1) }
func weather(at place: Int) -> Guarantee<String> { .value("fine") }
func log(_ text: String) {}

func tenSteps() {
    firstly { login() }.then { user in fetch(user.avatar) }.then { data, _ in friends(of: User(id: data.count)) }
        .get { friends in log("\(friends.count) friends") }
        .then { friends in when(fulfilled: friends.map { fetch($0.avatar) }) }
        .map { responses in responses.map { $0.data.count }.reduce(0, +) }.ensure { log("over") }
        .done { sum in log("\(sum) bytes") }.catch { error in log("\(error)") }.finally { log("finally") }
}

func eightGuaranteeSteps() {
    location().map { $0 + 1 }.then { weather(at: $0) }.map { $0.count }.get { log("\($0)") }
        .then { weather(at: $0 * 2) }.map { "[" + $0 + "]" }.map { [$0] }.done { print($0) }
}

func threeRecovers() {
    login().recover { error -> Promise<User> in
        guard error is LoginError else { throw error }
        return login()
    }.map { $0.avatar }.recover { _ in Promise.value("none.png") }.then { fetch($0) }.map { try decode($0.data) }
        .recover { _ in Guarantee.value(Image()) }.done { log("\($0.bytes.count)") }
}

func pictures() {
    login().then { friends(of: $0) }.thenMap { friend in fetch(friend.avatar) }.mapValues { $0.data }
        .compactMapValues { $0.first }.filterValues { $0 > 1 }.done { print($0.count) }.catch { print($0) }
}

func previousResults() {
    login().then { user in fetch(user.avatar).map { ($0.data, user) } }.then { data, user in
        friends(of: user).map { (data, user, $0.count) }
    }.done { data, user, count in log("\(data.count) \(user.name) \(count)") }.catch { print($0) }
}

func together() {
    when(fulfilled: login(), fetch("a"), location()).then { user, response, place in
        when(fulfilled: weather(at: place + user.id), friends(of: user)).map { ($0, $1, response.data.count) }
    }.done { weather, friends, count in log(weather + " \(friends.count) \(count)") }.cauterize()
}

func arithmetic() -> Promise<Int> {
    Promise.value(1).map { $0 + 1 }.map { $0 * 2 }.get { print($0) }.map { $0 - 1 }.map { $0 + 1 }
        .map { $0 * 2 }.map { $0 - 1 }
}

func keyPaths() {
    login().map(\.avatar).then { fetch($0) }.map(\.data).map { try decode($0) }.map(\.bytes).map(\.count)
        .done { print($0) }.catch { print($0) }
}

func retried() {
    retry(attempts: 3) { login() }.timeout(seconds: 5).then { fetch($0.avatar) }.map { try decode($0.data) }
        .then { save($0) }.tap { print($0) }.ensureThen { location().asVoid() }.recover { _ in }.done { log("saved") }
}

func firstOf() {
    race(login(), login()).then { friends(of: $0) }.firstValue { $0.id > 1 }.map { $0.name }.compactMap { Int($0) }
        .map { $0 + 1 }.get { print($0) }.asVoid().done { log("over") }.catch(policy: .allErrors) { print($0) }
}

// Most of these chains have a then closure of several statements. The troubleshooting article lists what Swift cannot infer after
// such a closure. If the then closure doesn't state its return type, Swift rejects two kinds of closures that follow it. The first
// kind is a single expression that calls a function with an `Any` parameter, such as `.done { print($0.count) }`. The second kind
// names the elements of a labeled tuple, such as `.done { a, b in … }`; storing the promise in a constant also makes that closure
// compile.

func statementsThenOneValue() {
    login().then { user in
        log("then")
        return Promise.value(user.name)
    }.done { name in
        let count = name.count
        log("\(count)")
    }.cauterize()
    login().then { user in
        log("then")
        return Promise.value(user.name)
    }.done { log($0) }.cauterize()
    login().then { user in
        log("then")
        return Promise.value(user.name)
    }.map { $0.count }.cauterize()
    login().then { user -> Promise<String> in
        log("then")
        return .value(user.name)
    }.done { print($0.count) }.cauterize()
    login().recover { error in
        log("\(error)")
        return login()
    }.map(\.name.count).cauterize()
}

func statementsThenLabeledTuple() {
    login().then { user in
        log("then")
        return fetch(user.avatar)
    }.done { response in
        log("\(response.data)")
        log("\(response.response)")
    }.cauterize()
    login().then { fetch($0.avatar) }.done { data, response in log("\(data) \(response)") }.cauterize()
    login().then { user -> Promise<(data: [UInt8], response: Int)> in
        log("then")
        return fetch(user.avatar)
    }.done { data, response in log("\(data) \(response)") }.cauterize()
    let fetched = login().then { user in
        log("then")
        return fetch(user.avatar)
    }
    fetched.done { data, response in log("\(data) \(response)") }.cauterize()
}
