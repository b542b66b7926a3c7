#if canImport(Network)
    import Foundation
    import SightlineLocks

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// The response to one request: its head, then its body in pieces, for one reader.
    ///
    /// Bytes wait in memory where the reader, which writes them to disk, is slower than the network: at most the whole file. A task is
    /// not suspended meanwhile, because swift-corelibs-foundation, with which this code is tested on Linux, delivers bytes twice after
    /// a suspension.
    final class SessionTransfer: Sendable {
        typealias Head = (status: Int, headers: HeaderFields)

        private struct State {
            var head: Head?
            var pieces: [Data] = []
            /// The number of pieces at the front that the reader has taken, whose bytes are freed.
            var readCount = 0
            /// The end of the body; nil before.
            var end: Result<Void, any Error>?
            /// The number of changes so far.
            var version = 0
            /// The reader that waits for a change.
            var reader: CheckedContinuation<Void, Never>?
            var deadline: Task<Void, Never>?
        }

        private let task: URLSessionTask
        private let state = Mutex(State())

        init(_ task: URLSessionTask) { self.task = task }

        deinit {
            // No reader is left for the rest.
            task.cancel()
            state.withLock { $0.deadline }?.cancel()
        }

        // MARK: - What the session reports

        func begin(_ response: URLResponse) {
            let fields = (response as? HTTPURLResponse)?.allHeaderFields ?? [:]
            let headers = HeaderFields(fields.map { (name: "\($0.key)", value: "\($0.value)") })
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            change { $0.head = (status, headers) }
        }

        func receive(_ data: Data) {
            change { $0.pieces.append(data) }
        }

        func end(_ error: (any Error)?) {
            change { $0.end = error.map { .failure($0) } ?? .success(()) }
            state.withLock { $0.deadline }?.cancel()
        }

        private func change(_ body: (inout State) -> Void) {
            let reader: CheckedContinuation<Void, Never>? = state.withLock { state in
                body(&state)
                state.version += 1
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume()
        }

        // MARK: - What the reader asks

        /// Waits for the head of the response.
        ///
        /// - Parameter deadline: When the exchange fails if the body has not ended.
        func head(until deadline: ContinuousClock.Instant) async throws -> Head {
            let watch = Task { [weak self] in
                try? await Task.sleep(until: deadline, clock: .continuous)
                if !Task.isCancelled { self?.expire() }
            }
            state.withLock { $0.deadline = watch }
            return try await value(isolation: nil) { state in
                if let head = state.head { return .success(head) }
                return state.end.map { end in end.flatMap { .failure(URLError(.badServerResponse)) } }
            }
        }

        private func expire() {
            task.cancel()
            change { $0.end = $0.end ?? .failure(URLError(.timedOut)) }
        }

        /// Waits for the next bytes of the body; nil at its end.
        func next(isolation: isolated (any Actor)? = #isolation) async throws -> Data? {
            try await value(isolation: isolation) { state in
                guard state.readCount < state.pieces.count else {
                    state.pieces = []
                    state.readCount = 0
                    return state.end.map { end in end.map { nil } }
                }
                defer { state.readCount += 1 }
                let piece = state.pieces[state.readCount]
                state.pieces[state.readCount] = Data()
                return .success(piece)
            }
        }

        /// Waits until `body` finds a value. A canceled task ends the exchange.
        private func value<Value: Sendable>(
            isolation: isolated (any Actor)?,
            _ body: @Sendable (inout State) -> Result<Value, any Error>?
        ) async throws -> Value {
            while true {
                try Task.checkCancellation()
                let (found, version) = state.withLock { (body(&$0), $0.version) }
                if let found { return try found.get() }
                await withTaskCancellationHandler {
                    await withCheckedContinuation(isolation: isolation) { continuation in
                        let waits: Bool = state.withLock { state in
                            // A change in between must not wait for the next change.
                            guard state.version == version else { return false }
                            state.reader = continuation
                            return true
                        }
                        if !waits { continuation.resume() }
                    }
                } onCancel: {
                    task.cancel()
                    change { _ in }
                }
            }
        }
    }
#endif
