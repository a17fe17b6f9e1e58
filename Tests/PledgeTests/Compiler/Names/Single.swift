@_spi(PromiseKit) import func PledgePromiseKit.firstly
@_spi(PromiseKit) import struct PledgePromiseKit.Guarantee
@_spi(PromiseKit) import struct PledgePromiseKit.Promise

// Imports only some names, as `import class PromiseKit.Promise` does in code for PromiseKit.

func login() -> Promise<Int> { .value(1) }
func sure() -> Guarantee<Int> { .value(1) }
func chain() { firstly { login() }.done { print($0) }.catch { print($0) } }
