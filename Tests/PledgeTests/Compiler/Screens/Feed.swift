import Pledge

// A feed: pages, several promises at once, a count kept in a local variable.
struct Post: Sendable { var id = 0 }
func page(_ number: Int) -> Promise<[Post]> { .value([Post(id: number)]) }
func settings() -> Guarantee<[String: Int]> { .value([:]) }

@MainActor final class Feed {
    var posts: [Post] = [], size = 0

    func load() {
        var seen = 0
        when(fulfilled: page(1), page(2), settings()).onMain.get { one, two, _ in seen += one.count + two.count }
            .map { one, two, settings in
                self.size = settings["size"] ?? seen
                return one + two
            }.done { self.posts = $0 }.cauterize()
    }
}
