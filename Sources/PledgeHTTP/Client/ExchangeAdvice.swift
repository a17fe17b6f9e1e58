extension ExchangeError.Reason {
    /// Advice on what to do next; nil if the reason already includes it.
    package var advice: String? {
        switch self {
        case .badRequest, .credential, .cancelled, .other: nil
        case .redirected: "Check the base address."
        case .unreadable: "Check the base address; if it is right, the service may have changed."
        case .status(let code, _): Self.advice(for: code)
        case .transport(let error): error.advice
        }
    }

    private static func advice(for status: Int) -> String? {
        switch status {
        case 401: "Check the token."
        case 403: "Check what the token may do."
        case 404: "Check the address, and that what you ask for exists."
        case 429: "Wait before you ask again, and consider a limiter."
        case 500..<600: "Try again later."
        default: nil
        }
    }
}

extension TransportError {
    fileprivate var advice: String {
        switch self {
        case .unreachable: "Check the network and the address."
        case .connectionLost: "Try again; if it was a write, look first whether it was done."
        case .untrusted: "Check the address: somebody else may be answering in the service's name."
        case .timedOut, .stalled: "Try again, or allow more time."
        case .tooLarge: "Ask for less, or allow for more."
        case .badReply: "Check the address."
        case .unsendable: "Correct the request."
        }
    }
}
