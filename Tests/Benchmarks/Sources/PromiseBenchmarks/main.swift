let contender = PledgeContender()
for (w) in Workload.allCases { print(w, w.run(contender) == w.checksum, w.run(PlainContender()) == w.checksum) }
let clock = ContinuousClock()
for w in Workload.allCases {
    var a: [Duration] = [], b: [Duration] = []
    for _ in 0..<15 {
        a.append(clock.measure { for _ in 0..<w.repeats { _ = w.run(contender) } })
        b.append(clock.measure { for _ in 0..<w.repeats { _ = w.run(PlainContender()) } })
    }
    print(w, a.sorted()[7], b.sorted()[7], a.sorted()[7]/b.sorted()[7])
}
