import Pledge
import PledgeHTTP

// Waiting for the rate limits of tokens.
extension Schedule {
    mutating func waitForToken(_ job: Job, _ now: Double) {
        guard let entry = jobs[job], let ahead = tokens[entry.owner.token]?.waiting.count,
            let opening = tokens[entry.owner.token]?.window.opening(after: ahead, now: now)
        else { return }
        guard entry.waited + opening - now <= rules.longestWait else { return refuse(job, seconds: opening - now) }
        guard park(job, .waitingForToken, now) else { return }
        jobs[job]?.waitsSince = now
        tokens[entry.owner.token]?.waiting.append(job)
        if ahead == 0 { setAlarm(entry.owner.token, at: opening) }
    }

    mutating func close(_ token: HashKey, for seconds: Double, _ now: Double) {
        guard tokens[token]?.window.close(for: seconds, now: now) == true,
            let waiting = tokens[token]?.waiting.takeAll(), !waiting.isEmpty
        else { return }
        // An account that cannot wait that long does not start to wait.
        for job in waiting {
            guard let entry = jobs[job], entry.state == .waitingForToken else { continue }
            jobs[job]?.waited += now - entry.waitsSince
            waitForToken(job, now)
        }
    }

    mutating func release(_ token: HashKey, _ now: Double) {
        while tokens[token]?.window.hasRoom(now: now) == true, let job = tokens[token]?.waiting.popFirst() {
            guard let entry = jobs[job], entry.state == .waitingForToken else { continue }
            jobs[job]?.waited += now - entry.waitsSince
            if self[entry.owner.service].isUp { makeReady(job) } else { admit(job, now) }
        }
        guard tokens[token]?.waiting.isEmpty == false, let next = tokens[token]?.window.opening(after: 0, now: now)
        else {
            return
        }
        setAlarm(token, at: max(next, now + 0.001))
    }

    /// Remembers what a token that is no longer used has left, for as long as that matters.
    mutating func remember(_ window: SlidingWindow, of token: HashKey, _ now: Double) {
        unused[token] = window.remembered(now: now)
        guard unused.count > mostUnused else { return }
        unused = unused.filter { $0.value.end > now }
        mostUnused = max(Self.fewUnused, 2 * unused.count)
    }

    mutating func setAlarm(_ token: HashKey, at time: Double) {
        tokens[token]?.alarm = time
        agenda.set(.token(token, at: time), at: time)
    }

    /// A permitted request will not be sent, so another one may be.
    mutating func takeBack(_ token: HashKey) {
        tokens[token]?.window.takeBack()
        if tokens[token]?.waiting.isEmpty == false { setAlarm(token, at: 0) }
    }
}
