import Pledge

// Waiting for a service, and for retries.
extension Schedule {
    /// Records that a request of the item failed for a reason that may be the service's. If `isHopeless`, it was the
    /// last attempt, and nothing is reachable, which no item can cause, however few there are. Returns whether the
    /// service is not considered down.
    mutating func recordTrouble(of item: Item, _ service: Service, isHopeless: Bool, _ now: Double) -> Bool {
        guard self[service].isUp else {
            if self[service].probing == item { endProbe(service, now) }
            return false
        }
        guard self[service].suspect(item) >= rules.suspects || isHopeless else { return true }
        self[service].goDown(now: now)
        actions.append(.report(.down(service: service)))
        timers.set(.giveUp(service: service), at: now + rules.outageWait)
        timers.set(.probe(service: service), at: self[service].nextProbe ?? now)
        return false
    }

    mutating func hold(_ item: Item, _ now: Double) {
        guard let entry = items[item], park(item, .held, now) else { return }
        let service = entry.owner.service
        // Its last request was canceled without an outcome.
        if self[service].probing == item { endProbe(service, now) }
        self[service].held.append(item)
        guard self[service].probing == nil, self[service].nextProbe == nil else { return }
        self[service].probeSoon(now: now)
        timers.set(.probe(service: service), at: now)
    }

    mutating func recordLife(_ service: Service, _ now: Double) {
        let state = self[service].state
        guard self[service].recordLife(), case .down(let since) = state else { return }
        actions.append(.report(.up(service: service, after: now - since)))
        for item in self[service].held.takeAll() where items[item]?.state == .held { admit(item, now) }
    }

    /// Sends one request to find out whether the service is back.
    mutating func probe(_ service: Service, _ now: Double) {
        guard case .down = self[service].state, let due = self[service].nextProbe, due <= now else { return }
        self[service].beginProbe(nil)
        var passed: [Item] = []
        while let item = self[service].held.popFirst() {
            guard let token = items[item]?.owner.token, items[item]?.state == .held else { continue }
            guard tokens[token]?.window.hasRoom(now: now) == true else {
                passed.append(item)
                continue
            }
            self[service].beginProbe(item)
            actions.append(.report(.probe(service: service)))
            makeReady(item, asProbe: true)
            break
        }
        passed.forEach { self[service].held.append($0) }
        if self[service].probing == nil, !passed.isEmpty { endProbe(service, now) }
    }

    mutating func endProbe(_ service: Service, _ now: Double) {
        guard case .down = self[service].state else { return }
        self[service].endProbe(now: now)
        timers.set(.probe(service: service), at: self[service].nextProbe ?? now)
    }

    mutating func giveUp(_ service: Service, _ now: Double) {
        guard case .down(let since) = self[service].state, since + rules.outageWait <= now else { return }
        self[service].giveUp()
        actions.append(.report(.gone(service: service, after: now - since)))
        for item in self[service].held.takeAll() where items[item]?.state == .held { abandon(item) }
    }
}
