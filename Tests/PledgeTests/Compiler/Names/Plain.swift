import PledgePromiseKit

// warning: 'Promise' is deprecated: write `@_spi(PromiseKit) import PledgePromiseKit`
// error: type 'Promise<Int>' has no member 'value'
// warning: 'Guarantee' is deprecated: write `@_spi(PromiseKit) import PledgePromiseKit`
// error: type 'Guarantee<Int>' has no member 'value'
// warning: 'firstly(execute:)' is deprecated: write `@_spi(PromiseKit) import PledgePromiseKit`

func login() -> Promise<Int> { .value(1) }
func sure() -> Guarantee<Int> { .value(1) }
func wait() { firstly { after(seconds: 1) }.done { print("done") } }
