import Dispatch
@_spi(PromiseKit) import PledgePromiseKit

// With the name of the module, and beside PromiseKit's own declarations of these names.

func login() -> PledgePromiseKit.Promise<Int> { .value(1) }
func chain() {
    PledgePromiseKit.firstly { PledgePromiseKit.when(fulfilled: [login()]) }.done { print($0) }.catch { print($0) }
    let result: PledgePromiseKit.Result<Int>? = login().result
    PledgePromiseKit.conf.Q = (.main, .main)
    print(result as Any, PledgePromiseKit.PMKError.cancelled)
}
