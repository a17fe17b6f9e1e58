import PledgePromiseKit

// warning: 'Promise' is deprecated: say `@_spi(PromiseKit) import PledgePromiseKit`
// error: type 'Promise<Int>' has no member 'value'

func login() -> Promise<Int> { .value(1) }
