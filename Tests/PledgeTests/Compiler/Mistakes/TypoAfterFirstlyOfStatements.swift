import Pledge

// error: cannot infer type of closure parameter 'user' without a type annotation
// Swift checks a closure of several statements only after the rest of the chain; its second error names the typo.

private func program() {
    firstly {
        print("begins")
        return exist.user()
    }.then { user, _ in exist.attributes(names: ["mood"]) }.ensure { print("over") }.done { attributes, _ in
        print(attributes.cuont)
    }.catch { error in print(error) }
}
