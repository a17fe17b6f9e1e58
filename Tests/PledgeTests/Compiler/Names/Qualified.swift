import Dispatch
@_spi(PromiseKit) import PledgePromiseKit

// Each name is qualified with the name of the module. Code in this form can also import PromiseKit, which has the same names.

func login() -> PledgePromiseKit.Promise<Int> { .value(1) }
func chain() {
    PledgePromiseKit.firstly { PledgePromiseKit.when(fulfilled: [login()]) }.done { print($0) }.catch { print($0) }
    let result: PledgePromiseKit.Result<Int>? = login().result
    PledgePromiseKit.conf.Q = (.main, .main)
    print(result as Any, PledgePromiseKit.PMKError.cancelled)
}
