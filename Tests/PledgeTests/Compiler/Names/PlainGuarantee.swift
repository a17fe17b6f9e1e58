import PledgePromiseKit

// warning: 'Guarantee' is deprecated: say `@_spi(PromiseKit) import PledgePromiseKit`
// error: type 'Guarantee<Int>' has no member 'value'

func login() -> Guarantee<Int> { .value(1) }
