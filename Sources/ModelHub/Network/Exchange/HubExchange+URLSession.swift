#if canImport(Network)
    import Foundation
    import SightlineLocks

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// An exchange with a hub, over `URLSession`: a response whose body has not arrived yet.
    ///
    /// On Apple's systems this means their proxies, App Transport Security and limits on cellular data. The sessions run in the
    /// foreground: a system that suspends the app also suspends its downloads, which then continue where they stopped.
    struct HubExchange: Sendable {
        /// The status of the response.
        let status: Int
        /// The fields of the response.
        let headers: HeaderFields
        private let transfer: SessionTransfer

        /// Sends a request.
        ///
        /// - Parameters:
        ///   - roots: A PEM file of certificates to trust in addition to those of the system.
        ///   - idleTimeout: The longest time without data from the hub.
        ///   - timeout: The longest time until the body ends.
        /// - Throws: ``UnusableSettings``, or the error of the connection.
        static func open(
            _ request: HubRequest,
            trusting roots: URL?,
            idleTimeout: Duration,
            timeout: Duration
        ) async throws -> HubExchange {
            var message = URLRequest(url: request.url, timeoutInterval: idleTimeout / .seconds(1))
            message.httpMethod = request.method.name
            message.httpBody = request.body
            message.allowsCellularAccess = request.allowsMeteredLinks
            // A session would ask for compressed bodies, but ranges and hashes count the bytes of the file.
            message.setValue("identity", forHTTPHeaderField: "accept-encoding")
            for field in request.headers.list { message.addValue(field.value, forHTTPHeaderField: field.name) }
            let transfer = try Sessions.session(trusting: roots).start(message)
            let head = try await transfer.head(until: .now + timeout)
            return HubExchange(status: head.status, headers: head.headers, transfer: transfer)
        }

        /// The pieces of the body, in order, for one reader.
        func pieces() -> Pieces { Pieces(transfer: transfer) }

        /// Reads a body as it arrives.
        struct Pieces {
            fileprivate let transfer: SessionTransfer

            /// The next bytes; nil at the end.
            mutating func next(isolation: isolated (any Actor)? = #isolation) async throws -> HubPiece? {
                try await transfer.next(isolation: isolation).map(HubPiece.init)
            }
        }
    }

    /// Some bytes of a body.
    struct HubPiece: Sendable {
        fileprivate let data: Data

        func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            data.withUnsafeBytes(body)
        }
    }

    /// The sessions of this process: one for each file of trusted roots, kept until the process ends.
    private enum Sessions {
        private static let sessions = Mutex<[String: HubSession]>([:])

        static func session(trusting roots: URL?) throws -> HubSession {
            try sessions.withLock { sessions in
                let key = roots?.path ?? ""
                if let session = sessions[key] { return session }
                let session = try HubSession(trusting: roots)
                sessions[key] = session
                return session
            }
        }
    }
#endif
