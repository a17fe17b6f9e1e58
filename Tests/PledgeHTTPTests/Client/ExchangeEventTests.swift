import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("The progress of a transfer")
struct TransferProgressTests {
    @Test("A slow progress handler gets only the latest state, not every state in between")
    func latest() {
        #expect(TransferProgress() == TransferProgress(bytesSent: 0, bytesToSend: 0, bytesReceived: 0))
        let states = Recorder<TransferProgress>()
        let reporter = TransferReporter(bytesToSend: 7) { states.append($0) }
        for round in 1...2 {
            reporter.queue.suspend()
            for _ in 0..<1_000 { reporter.update { $0.bytesReceived += 1 } }
            reporter.queue.resume()
            reporter.queue.sync {}
            #expect(states.count == round)
            #expect(states.all.last == TransferProgress(bytesToSend: 7, bytesReceived: 1_000 * round))
        }
    }

    @Test("A response's expected size is known if Content-Length announces it and the body isn't compressed")
    func size() {
        let headers: [(HeaderFields, Int?)] = [
            (["Content-Length": "12"], 12), (["Content-Length": "12", "Content-Encoding": "gzip"], nil), ([:], nil),
        ]
        for (headers, size) in headers {
            let states = Recorder<TransferProgress>()
            let reporter = TransferReporter(bytesToSend: 0) { states.append($0) }
            reporter.begin(headers)
            reporter.queue.sync {}
            #expect(states.all.last?.bytesToReceive == size)
        }
    }
}
