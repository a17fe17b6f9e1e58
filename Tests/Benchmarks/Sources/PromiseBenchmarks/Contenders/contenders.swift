/// All contenders. The others are compared with the first.
let pledge: any Contender = PledgeContender()
let plain: any Contender = PlainContender()
let contenders: [any Contender] = [pledge, plain, NIOContender(), OpenCombineContender(), TaskContender()]

/// Returns the contender of this type.
func contender<C: Contender>(_ type: C.Type) -> any Contender {
    contenders.first { $0 is C } ?? pledge
}
