extension ExchangeError.Reason {
    /// Advice on what to do next; nil if the reason already includes it.
    package var advice: String? {
        switch self {
        case .badRequest, .credential, .cancelled, .other: nil
        case .limited: "Try again then, or allow a longer wait in the retry rule."
        case .overBudget(let error):
            "Request less, or raise “\(error.limit.rawValue)” in the budget of the client's options."
        case .redirected: "Check the base URL."
        case .unreadable: "Check the base URL; if it is right, the service may have changed."
        case .status(let code, _): Self.advice(for: code)
        case .transport(let error): error.advice
        }
    }

    private static func advice(for status: Int) -> String? {
        switch status {
        case 200..<300: "A file is replaced only by a whole one (200), or by the part that was asked for (206)."
        case 401: "Check the token."
        case 403: "Check the token's permissions."
        case 404: "Check the URL, and that the item exists."
        case 429: "Wait before the next request, and consider a rate limiter."
        case 500..<600: "Try again later."
        default: nil
        }
    }
}

extension TransportError {
    fileprivate var advice: String {
        switch self {
        case .unreachable: "Check the network and the URL."
        case .connectionLost: "Try again; for a write, first check whether it was done."
        case .untrusted: "Check the URL: another server may be posing as the service."
        case .timedOut, .stalled: "Try again, or allow more time."
        case .tooLarge: "Request less data, or raise the limit."
        case .unwritable: "Check the folder, and how much room there is."
        case .badReply: "Check the URL."
        case .unsendable: "Correct the request."
        }
    }
}
