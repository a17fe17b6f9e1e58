import Pledge

// error: requires the types 'Int' and 'String' be equivalent

private func load() -> Promise<Int> { number().then { text(of: $0) } }
