import Pledge
import PledgeHTTP

// Waiting for a service, and for retries.
extension Schedule {
    mutating func retry(garbled job: Job, _ now: Double) -> Bool {
        guard let entry = jobs[job], entry.garbled == 0 else { return false }
        jobs[job]?.garbled += 1
        if park(job, .waitingForTime, now) { agenda.set(.retry(job), at: now + 1) }
        return true
    }

    /// - Returns: Whether the request is sent again.
    mutating func meet(
        _ trouble: Attempt.Trouble, _ job: Job, asked: Double?, mayRepeat: Bool, _ now: Double
    ) -> Bool {
        // What has not reached the service is no repetition.
        let mayRepeat = mayRepeat || trouble == .noConnection
        guard let entry = jobs[job] else { return false }
        let service = entry.owner.service
        guard self[service].isUp else {
            if self[service].probing == job { endProbe(service, now) }
            guard mayRepeat else { return false }
            admit(job, now)
            return true
        }
        jobs[job]?.troubled += 1
        let isLast = entry.troubled + 1 >= rules.attempts
        // No account can cause that nothing is reachable, however few there are.
        if self[service].suspect(job) >= rules.suspects || isLast && trouble == .noConnection {
            self[service].goDown(now: now)
            actions.append(.note(.down(service: service)))
            agenda.set(.giveUp(service: service), at: now + rules.outageWait)
            agenda.set(.probe(service: service), at: self[service].nextProbe ?? now)
            guard mayRepeat else { return false }
            hold(job, now)
            return true
        }
        guard mayRepeat, !isLast, entry.waited + (asked ?? 0) <= rules.longestWait else { return false }
        guard park(job, .waitingForTime, now) else { return true }
        jobs[job]?.waited += asked ?? 0
        let pause = Double.random(in: 0...RetryRule().longestPause(after: entry.troubled + 1), using: &dice)
        agenda.set(.retry(job), at: now + (asked ?? pause))
        return true
    }

    mutating func hold(_ job: Job, _ now: Double) {
        guard let entry = jobs[job], park(job, .held, now) else { return }
        let service = entry.owner.service
        self[service].held.append(job)
        guard self[service].probing == nil, self[service].nextProbe == nil else { return }
        self[service].probeSoon(now: now)
        agenda.set(.probe(service: service), at: now)
    }

    mutating func noteLife(_ service: Service, _ now: Double) {
        let state = self[service].state
        guard self[service].noteLife(), case .down(let since) = state else { return }
        actions.append(.note(.up(service: service, after: now - since)))
        for job in self[service].held.takeAll() where jobs[job]?.place == .held { admit(job, now) }
    }

    /// Sends one request to find out whether the service is back.
    mutating func probe(_ service: Service, _ now: Double) {
        guard case .down = self[service].state, let due = self[service].nextProbe, due <= now else { return }
        self[service].beginProbe(nil)
        var passed: [Job] = []
        while let job = self[service].held.popFirst() {
            guard let token = jobs[job]?.owner.token, jobs[job]?.place == .held else { continue }
            guard tokens[token]?.hasRoom(now: now) == true else {
                passed.append(job)
                continue
            }
            self[service].beginProbe(job)
            actions.append(.note(.probe(service: service)))
            makeReady(job, asProbe: true)
            break
        }
        passed.forEach { self[service].held.append($0) }
        if self[service].probing == nil, !passed.isEmpty { endProbe(service, now) }
    }

    mutating func endProbe(_ service: Service, _ now: Double) {
        guard case .down = self[service].state else { return }
        self[service].endProbe(now: now)
        agenda.set(.probe(service: service), at: self[service].nextProbe ?? now)
    }

    mutating func giveUp(_ service: Service, _ now: Double) {
        guard case .down(let since) = self[service].state, since + rules.outageWait <= now else { return }
        self[service].giveUp()
        actions.append(.note(.gone(service: service, after: now - since)))
        for job in self[service].held.takeAll() where jobs[job]?.place == .held { abandon(job) }
    }
}
