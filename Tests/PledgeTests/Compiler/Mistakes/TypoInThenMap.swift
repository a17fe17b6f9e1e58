import Pledge

// error: has no member 'vlaue'

private func program() {
    exist.attributes(names: []).map { attributes, _ in attributes }.thenMap { attribute in text(of: attribute.vlaue) }
        .done {
            print($0.count)
        }.cauterize()
}
