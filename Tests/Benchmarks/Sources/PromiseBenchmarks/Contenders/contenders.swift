/// Everyone who takes part. The first is what the others are compared with.
let pledge: any Contender = PledgeContender()
let plain: any Contender = PlainContender()
let contenders: [any Contender] = [pledge, plain, NIOContender(), OpenCombineContender(), TaskContender()]

/// The one of this type.
func contender<C: Contender>(_ type: C.Type) -> any Contender {
    contenders.first { $0 is C } ?? pledge
}
