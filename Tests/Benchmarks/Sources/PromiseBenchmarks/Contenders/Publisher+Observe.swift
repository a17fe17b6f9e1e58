import OpenCombine

extension Publisher {
    /// Calls `body` with the outcome of a publisher that publishes at most one value.
    func observe(_ body: @escaping (Result<Output, Failure>) -> Void) {
        subscribe(
            Subscribers.Sink(
                receiveCompletion: { end in
                    if case .failure(let error) = end { body(.failure(error)) }
                },
                receiveValue: { body(.success($0)) }))
    }
}

extension Publisher where Failure == Never {
    /// Calls `body` with the value of a publisher that cannot fail.
    func observe(_ body: @escaping (Output) -> Void) {
        subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: body))
    }
}
