#if canImport(Darwin)
    import Darwin

    extension SystemSocket {
        static func makeStreamSocket(_ family: Int32 = AF_INET) -> Int32 {
            socket(family, SOCK_STREAM, 0)
        }

        /// Prevents writing to a closed connection from terminating the process.
        static func silenceBrokenPipe(_ descriptor: Int32) {
            set(SO_NOSIGPIPE, to: Int32(1), of: descriptor)
        }

        static func sendQuietly(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
            send(descriptor, bytes.baseAddress, bytes.count, 0)
        }
    }
#endif
