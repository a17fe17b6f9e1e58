import ExistKit
@_spi(PromiseKit) import PledgePromiseKit

// Also imports ExistKit, which re-exports Pledge's own declarations with the same names.

func login() -> Promise<Int> { .value(1) }
func sure() -> Guarantee<Int> { .value(1) }
func chain(_ existAPI: ExistAPI) {
    firstly { existAPI.user() }.then { _, _ in login() }.map { $0 + 1 }.done { print($0) }.catch { print($0) }
    firstly { sure() }.done { print($0) }
    when(fulfilled: login(), login()).done { print($0 + $1) }.cauterize()
    let outcome: Result<Int>? = login().result
    print(outcome as Any)
}
