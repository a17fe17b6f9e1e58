import Foundation
import Pledge
import PledgeSandbox

/// `pledge sandbox`: serves both services until it is interrupted.
struct SandboxCommand {
    var options: SandboxOptions

    static let help = """
        pledge sandbox: Exist and MyDataHelps on 127.0.0.1, for other programs to be tried against

        USAGE
          pledge sandbox [options]    serves until it is interrupted, or until its standard input ends if that is a pipe

        When it is ready it says where, in one line of JSON on standard output:
          {"accounts":2,"exist":"http://127.0.0.1:4711/","mydatahelps":"http://127.0.0.1:4711/","tokens":{…}}
        All accounts share one person's data; account N has the tokens exist-N and participant-N, from 1 on.

        OPTIONS
          --port N             where to listen (default: the system chooses)
          --accounts N         how many accounts there are of each service (default 1)
          --accounts-file FILE writes them for “pledge export”: the odd ones of Exist, the even ones of MyDataHelps.
                               A new FILE is for you alone (mode 600)
          --latency MS         milliseconds before each reply (default 0)
          --limit N            requests an hour for each token (default: Exist any number, MyDataHelps 500)
          --faults SHARES      what goes wrong, by share of the requests: 503=0.02,drop=0.01; all=0.05 for every kind:
                               401 403 404 409 429 429-bare 500 502 503 html empty cut other redirect circle drop
          --seed N             another order of the same faults (default 1)

        """

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let (exist, participants) = (ExistSandbox(), MyDataHelpsSandbox())
        for number in 1...options.accounts {
            exist.addToken("exist-\(number)", username: "user-\(number)")
            participants.addToken("participant-\(number)")
        }
        if let limit = options.limit {
            exist.rateLimit = limit
            participants.rateLimit = limit
        }
        let server = SandboxServer(services: [exist, participants], port: options.port, logLimit: 0)
        server.script.latency = options.latency
        if let faults = options.faults {
            let dice = Locked(Dice(state: options.seed))
            server.script.next(.max) { request in
                faults.fault(at: dice.withLock { Double.random(in: 0..<1, using: &$0) })?.response(to: request)
            }
        }
        let over = DispatchSemaphore(value: 0)
        let interrupts = Interrupts { _ in over.signal() }
        do {
            try server.start()
        } catch {
            throw Failure("\(error)")
        }
        if let file = options.accountsFile { try writeAccounts(to: file) }
        let address = server.baseURL.absoluteString
        try Terminal.write(
            #"{"accounts":\#(options.accounts),"exist":"\#(address)","mydatahelps":"\#(address)","#
                + #""tokens":{"exist":"exist-N","mydatahelps":"participant-N"}}"# + "\n")
        if Self.isPipe(STDIN_FILENO) {
            // Whoever started it may be gone without having said so.
            Thread.detachNewThread {
                while readLine() != nil {}
                over.signal()
            }
        }
        withExtendedLifetime(interrupts) { over.wait() }
        server.stop()
    }

    private func writeAccounts(to file: String) throws {
        var lines = ""
        for number in 1...options.accounts {
            let (service, token) = number.isMultiple(of: 2) ? ("mydatahelps", "participant") : ("exist", "exist")
            lines += #"{"service":"\#(service)","account":"a\#(number)","token":"\#(token)-\#(number)"}"# + "\n"
        }
        try WholeFile(file).write(lines)
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}

/// SplitMix64: the same throws for the same seed.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
