# Name, what stands once in the module, what stands there instead, and the tests that should notice.
edits = [
    ("a shared renewal is not kept alive", "            promise.pipe { _ in }\n", "", "SingleFlightTests"),
    ("everybody who waits begins the work", "if let latest, latest.isPending { return (latest, nil) }", "",
     "SingleFlightTests"),
    ("a shared promise is handed to all", "return Promise(outcome)", "return outcome", "SingleFlightTests"),
    ("a 401 is renewed for again and again", " && !state.hasRenewed", "", "FaultTableTests"),
    ("what may not be repeated is repeated after a fault", "if mayRepeat || attempt.isUnsent {",
     "if true {", "AttemptTests|FaultTableTests"),
    ("what may not be repeated is repeated after a web page", "if mayRepeat, count.garbled == 1", "if count.garbled == 1",
     "FaultTableTests"),
    ("a web page is asked for again and again", "if mayRepeat, count.garbled == 1", "if mayRepeat", "FaultTableTests"),
    ("a service that asks for no wait is taken literally", "max(asked ?? limitDelay ?? Self.bareWait, shortest)",
     "asked ?? limitDelay ?? Self.bareWait", "RateTests|RateWindowTests"),
    ("a call makes one attempt too many", "guard counted < attempts", "guard counted <= attempts",
     "AttemptTests|FaultTableTests"),
    ("an untrusted host is asked again", ".timedOut, .stalled: true\n        case .untrusted, ",
     ".timedOut, .stalled, .untrusted: true\n        case ", "CertificateTests"),
    ("a redirect leads to another origin", "origin == Origin(state.url), ", "",
     "OriginTests|FaultTableTests|FileTransferTests"),
    ("a write is led on", "guard method == .get, let origin", "guard let origin",
     "OriginTests|FaultTableTests|FileTransferTests"),
    ("redirects go round for ever", "state.redirects < mostRedirects", "true",
     "OriginTests|FaultTableTests|FileTransferTests"),
    ("a port is taken for another", 'self.port = port == ["http": 80, "https": 443][self.scheme] ? nil : port',
     "self.port = nil", "OriginTests"),
    ("a port that is none is let through", "if port == nil, !digits.isEmpty { return nil }", "", "OriginTests"),
    ("any host that begins with 127 is this machine", 'parts.count == 4 && parts[0] == "127"', 'parts[0] == "127"',
     "OriginTests"),
    ("a base address may name a user",
     'guard !origin.namesUser else { throw unsendable("the URL contains a user name") }', "", "OriginTests"),
    ("a token goes over plain http", "guard origin.mayCarrySecrets else {", "guard true else {", "OriginTests"),
    ("a token that no header can carry is sent",
     "guard !token.isEmpty, token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {", "guard true else {",
     "TokenTests|EndpointClientTests"),
    ("the echo of a token is shown in an error", "hiding: request.map { Secrets($0) } ?? .none)", "hiding: .none)",
     "EchoTests"),
    ("a token source that is gone is asked", "let strong = self == .strong ? object : nil",
     "let strong: Object? = object", "TokenTests"),
    ("the limiter lets one more go", "sent.count + reserved < limit", "sent.count + reserved <= limit", "RateLimiterTests"),
    ("the limiter forgets that nothing is left", "announced?.remaining == 0 ?", "announced?.remaining == -1 ?",
     "RateLimiterTests"),
    ("the limiter forgets a 429", "            verdict.closing = max(verdict.closing ?? 0, closing)\n", "", "RateLimiterTests"),
    ("a late response shortens a closing", "guard seconds > 0, time > closedUntil else", "guard seconds > 0 else",
     "RateLimiterTests"),
    ("all go at once after a closing", "if needsTrial { (needsTrial, trialUntil) = (false, now + Self.trial) }",
     "needsTrial = false", "RateLimiterTests"),
    ("a request that was not refused is waited for", "        defer { trialUntil = -.infinity }\n", "",
     "RateLimiterTests|RateWindowTests"),
    ("a closing lasts as long as a service claims", "now + min(seconds, longestClosing)", "now + seconds", "RateLimiterTests"),
    ("a call that waits is held back longer than it will wait",
     "guard since + call.longest < end else { continue }", "guard false else { continue }", "RateLimiterTests"),
    ("a token that was closed is forgotten", "let end = max(count > 0 ? last + period : -.infinity, closedUntil)",
     "let end = count > 0 ? last + period : -.infinity", "RateWindowTests"),
    ("others are sent while the first after a closing has yet to be", "!(needsTrial && reserved > 0)", "true",
     "RateWindowTests"),
    ("those behind the first after a closing are woken at once", "needsTrial && reserved > 0 ? now + Self.trial : now",
     "now", "RateWindowTests"),
    ("the rounds before a request are no time", " + period * Double(rounds)", "", "RateWindowTests"),
    ("a limit of none divides by zero", "limit.map { max(1, $0) }", "limit", "RateWindowTests"),
    ("calls behind one that is sent are not woken", "if let set = alarm.plan(opening,",
     "if effects.isEmpty, let set = alarm.plan(opening,", "RateLimiterTests"),
    ("a call that was canceled uses up a request of the limiter", "            state.waiting[number] = nil\n            return []\n",
     "            return []\n", "RateLimiterTests"),
    ("the wait for what a service announced is not counted", "self.state.withLock { $0.waited += waited }",
     "_ = waited", "RateLimiterTests"),
    ("the spacing of a limiter counts as a wait for the service", "heldSince: closed > 0 ? now : nil",
     "heldSince: now", "RateLimiterTests"),
    ("the pauses between retries are not added up",
     "(state.waited, state.pause) = (state.waited + state.pause, 0)", "state.pause = 0", "RateTests"),
    ("an alarm goes off at a time that was given up", "                former?()\n", "", "AlarmTests"),
    ("an alarm cannot be set again for the time at which it went off", "                state = State()\n", "",
     "AlarmTests"),
    ("an alarm that was overtaken stays set", "        if isLate { callOff() }\n", "", "AlarmTests"),
    ("a permit that no promise waits for is lost", "            state.free += 1\n            return nil",
     "            return nil", "SemaphoreTests"),
    ("a retry is free of the budget", "try call.meter?.takeRequest()",
     "if state.attempt == 1 { try call.meter?.takeRequest() }", "PageSequenceTests"),
    ("a token is asked for before the permit", """        let permit = call.gate.permit()
        // One that has to wait comes from a timer or another call, whose thread is not for files or others' closures.
        let queue = permit.isPending ? Self.replies : nil
        return permit.mapError(on: nil) { error in
            if error.isCancelled { return error }
            return failure(call, (error as? GateClosed).map { .limited(seconds: $0.seconds) } ?? .other(error))
        }.then(on: queue) { _ -> Promise<Exchanged> in
            do throws(BudgetExceeded) {
                try call.meter?.takeRequest()
            } catch {
                throw failure(call, .overBudget(error))
            }
            return exchange(call, state, replacing: refused)
""", """        let early = credential(call, replacing: refused)
        let permit = call.gate.permit()
        let queue = permit.isPending ? Self.replies : nil
        return permit.mapError(on: nil) { error in
            if error.isCancelled { return error }
            return failure(call, (error as? GateClosed).map { .limited(seconds: $0.seconds) } ?? .other(error))
        }.then(on: queue) { _ -> Promise<Exchanged> in
            do throws(BudgetExceeded) {
                try call.meter?.takeRequest()
            } catch {
                throw failure(call, .overBudget(error))
            }
            return early.then(on: nil) { token in try exchange(call, state, token) }
""", "RateTests"),
    ("pages in a circle have no end", ".inserted else { return isCircle = true }",
     ".inserted || true else { return isCircle = true }", "PageSequenceTests"),
    ("a name's percent-encoding hides that it is a secret's",
     "? name.removingPercentEncoding ?? String(name) : String(name)", "? String(name) : String(name)", "SecretsTests"),
    ("any name with a code in it is a secret's", "wholes.contains(plain) ||",
     "wholes.contains { plain.contains($0) } ||", "SecretsTests"),
    ("a secret's value that is an object is shown", "isSecret: isSecret || SecretName.matches(name)",
     "isSecret: SecretName.matches(name)", "SecretsTests"),
    ("the beginning of a secret is shown", "patternLength = 16", "patternLength = 17", "SecretsTests"),
    ("a secret that was encoded twice is shown", "nesting: Int = 2", "nesting: Int = 1", "SecretsTests"),
    ("a secret with a space is shown as a form encodes it", '[$0, $0.replacingOccurrences(of: " ", with: "+")]', "[$0]",
     "SecretsTests"),
    ("the name and password of Basic authorization are shown",
     'return [words[1], pair] + [rest(of: pair, after: ":")].compactMap { $0 }', "return [words[1], pair]",
     "SecretsTests"),
    ("only the first cookie is a secret", 'value.split(separator: ";").compactMap',
     'value.split(separator: ";").prefix(1).compactMap', "SecretsTests"),
    ("a password in a URL is shown", "found += [parts?.password].compactMap { $0 } +", "found +=", "SecretsTests"),
    ("the last secret of a multipart form is shown", "while let end = rest.range(of: gap) {",
     "while let end = rest.range(of: gap), rest[end.upperBound...].range(of: gap) != nil {", "SecretsTests|BodyTests"),
    ("the text after a colon is always a value", 'bytes[mark] == UInt8(ascii: "=") || isQuoted,', "true || isQuoted,",
     "SecretsTests"),
    ("an error shows a secret of its request", 'occur(in: "\\(error)") ? RedactedError() : error', "error",
     "EchoTests|TokenTests"),
    ("a proxy's reply may never end", "guard steps <= 0x10000 else {", "guard steps >= 0 else {", "EndlessSetupTests"),
    ("a greeting may never end", "for socket in state.sockets.keys { shutdown(socket, CInt(SHUT_RDWR)) }", "",
     "EndlessSetupTests"),
    ("a connection in use is taken for one that is being set up", "            watch.release(self)\n            return exchange?.may",
     "            return exchange?.may", "EndlessSetupTests"),
]
