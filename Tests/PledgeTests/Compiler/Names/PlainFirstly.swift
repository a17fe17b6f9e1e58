import PledgePromiseKit

// warning: 'firstly(execute:)' is deprecated: say `@_spi(PromiseKit) import PledgePromiseKit`

func wait() { firstly { after(seconds: 1) }.done { print("done") } }
