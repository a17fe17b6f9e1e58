#if canImport(Glibc) || canImport(Musl)
    #if canImport(Glibc)
        import Glibc

        private let streamSocket = Int32(SOCK_STREAM.rawValue)
    #else
        import Musl

        private let streamSocket = SOCK_STREAM
    #endif

    extension SystemSocket {
        static func makeStreamSocket(_ family: Int32 = AF_INET) -> Int32 {
            socket(family, streamSocket, 0)
        }

        /// Not necessary: on Linux, each `send` has this flag.
        static func silenceBrokenPipe(_ descriptor: Int32) {}

        static func sendQuietly(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
            Int(send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
        }
    }
#endif
