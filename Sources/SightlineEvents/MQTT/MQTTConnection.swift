import Foundation
import SightlineLocks
import WebTransfer

/// A connection to a broker, from its beginning to its end. A lost connection is not restored; another one takes its place.
///
/// A separate thread sends and receives, so that nothing here blocks a caller.
final class MQTTConnection: Sendable {
    /// A caller that waits for a broker.
    private struct Waiting {
        /// The numbers of messages without an acknowledgment; nil for the answer to the connection.
        var messages: Set<UInt16>?
        var refusal: String?
        let continuation: CheckedContinuation<Result<Void, MQTTFailure>, Never>
    }

    private struct State {
        /// Nil before the connection begins.
        var session: MQTTSession?
        /// Nil before there is a connection, and after its end.
        var stream: NetworkStream?
        /// The reason for which the connection has ended.
        var end: String?
        var waiting: [Int: Waiting] = [:]
        var nextKey = 0
        /// The acknowledgments that came before their caller waited, by the number of the message, each with the text of a refusal.
        var early: [UInt16: String?] = [:]
        var isStopping = false

        /// The caller that waits for nothing more after an answer.
        mutating func answered(_ event: MQTTSession.Event) -> Waiting? {
            switch event {
            case .opened:
                let key = waiting.first { $0.value.messages == nil }?.key
                return key.flatMap { waiting.removeValue(forKey: $0) }
            case .acknowledged(let number, let refusal):
                guard let key = waiting.first(where: { $0.value.messages?.contains(number) == true })?.key else {
                    early[number] = .some(refusal)
                    return nil
                }
                waiting[key]?.messages?.remove(number)
                if let refusal { waiting[key]?.refusal = refusal }
                return waiting[key]?.messages?.isEmpty == true ? waiting.removeValue(forKey: key) : nil
            }
        }
    }

    private let state = Mutex(State())
    private let address: MQTTAddress
    private let options: MQTTTransport.Options
    private let will: MQTTMessage

    /// The interval in which the thread checks whether it should stop.
    private static let turn = Duration.milliseconds(500)
    /// The most bytes that are received at a time.
    private static let pieceBytes = 16_384

    /// - Parameter will: the message that the broker publishes if the connection breaks.
    init(_ address: MQTTAddress, _ options: MQTTTransport.Options, will: MQTTMessage) {
        (self.address, self.options, self.will) = (address, options, will)
    }

    /// Whether messages can be published.
    var isOpen: Bool { state.withLock { $0.session?.isOpen == true && $0.end == nil && !$0.isStopping } }

    /// Connects, and waits until the broker has accepted the connection.
    func open(within limit: Duration) async throws(MQTTFailure) {
        let introduction = MQTTSession.Introduction(
            identifier: "sightline-" + String(UInt64.random(in: .min ... .max), radix: 16).prefix(12),
            user: address.user,
            password: options.password,
            will: will
        )
        let session = try MQTTSession(address.version, introduction, at: .now)
        state.withLock { $0.session = session }
        Thread.detachNewThread { [self] in run() }
        do throws(MQTTFailure) {
            try await wait(for: nil, within: limit)
        } catch {
            stop()
            throw error
        }
    }

    /// Publishes messages in their order, each at least once, and waits until the broker has acknowledged all of them. A message
    /// that is refused does not stop the others.
    func publish(_ messages: [MQTTMessage], within limit: Duration) async throws(MQTTFailure) {
        do throws(MQTTFailure) {
            var numbers: [UInt16] = []
            var refusal: MQTTFailure?
            for message in messages {
                do throws(MQTTFailure) {
                    numbers.append(try change { session throws(MQTTFailure) in try session.publish(message) })
                } catch {
                    guard case .refused = error else { throw error }
                    refusal = refusal ?? error
                }
            }
            if !numbers.isEmpty { try await wait(for: numbers, within: limit) }
            if let refusal { throw refusal }
        } catch {
            // A connection on which the broker is silent, or that brings unexpected acknowledgments, is of no use.
            if case .away = error { stop() }
            throw error
        }
    }

    /// Asks for the messages that the broker has retained at topics, which ``retained`` has from then on.
    ///
    /// - Parameter topics: a topic with wildcards.
    func subscribe(to topics: String) {
        // Without a connection, there is nobody to ask.
        try? change { session throws(MQTTFailure) in try session.subscribe(to: topics) }
    }

    /// The topics at which the broker has retained messages, as far as they have arrived.
    var retained: Set<String> { state.withLock { $0.session?.retained ?? [] } }

    /// Forgets retained messages that were taken back.
    func forgetRetained(_ topics: some Sequence<String>) {
        let topics = Set(topics)
        state.withLock { $0.session?.forgetRetained(topics) }
    }

    /// Ends the connection; the broker publishes no last will.
    func disconnect() {
        state.withLock {
            $0.session?.disconnect()
            $0.isStopping = true
            $0.stream?.wake()
        }
    }

    // MARK: - Callers

    /// Lets the session say something to the broker, and wakes the thread that sends it.
    private func change<Value: Sendable>(
        _ body: (inout MQTTSession) throws(MQTTFailure) -> Value
    ) throws(MQTTFailure) -> Value {
        let result: Result<Value, MQTTFailure> = state.withLock { state in
            // Taken out, so that nothing is copied.
            guard state.end == nil, var session = state.session.take() else {
                return .failure(.away(reason: state.end ?? "the connection is closed"))
            }
            defer {
                state.session = session
                state.stream?.wake()
            }
            do throws(MQTTFailure) { return .success(try body(&session)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Waits for the acknowledgments of messages, or for the answer to the connection.
    private func wait(for numbers: [UInt16]?, within limit: Duration) async throws(MQTTFailure) {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        let alarm = Task { [self] in
            try await Task.sleep(for: limit)
            finish(key, .failure(.away(reason: "the broker did not answer within \(limit.components.seconds) seconds")))
        }
        defer { alarm.cancel() }
        let result = await withCheckedContinuation { continuation in
            let early: Result<Void, MQTTFailure>? = state.withLock { state in
                if let end = state.end { return .failure(.away(reason: end)) }
                if numbers == nil, state.session?.isOpen == true { return .success(()) }
                var waiting = Waiting(messages: numbers.map { Set($0) }, continuation: continuation)
                for number in numbers ?? [] {
                    guard let refusal = state.early.removeValue(forKey: number) else { continue }
                    waiting.messages?.remove(number)
                    waiting.refusal = waiting.refusal ?? refusal
                }
                if waiting.messages?.isEmpty == true { return Self.result(waiting) }
                state.waiting[key] = waiting
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
        try result.get()
    }

    private static func result(_ waiting: Waiting) -> Result<Void, MQTTFailure> {
        waiting.refusal.map { .failure(.refused(reason: $0)) } ?? .success(())
    }

    private func finish(_ key: Int, _ result: Result<Void, MQTTFailure>) {
        state.withLock { $0.waiting.removeValue(forKey: key) }?.continuation.resume(returning: result)
    }

    private func stop() {
        state.withLock {
            $0.isStopping = true
            $0.stream?.wake()
        }
    }

    // MARK: - The thread

    private func run() {
        // A connection that is lost while something is sent must not end the program.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        do throws(NetworkStream.Failure) {
            let stream = try NetworkStream(
                host: address.host,
                port: address.port,
                isSecure: address.isSecure,
                authorities: options.authorities,
                timeout: options.timeout
            )
            state.withLock { $0.stream = stream }
            end(exchange(over: stream))
        } catch {
            let hint = "for example because no known authority signed the broker's certificate"
            end(error.isUntrusted ? "\(error.reason), \(hint)" : error.reason)
        }
    }

    /// Sends and receives until the connection ends, and returns the reason.
    private func exchange(over stream: NetworkStream) -> String {
        var unsent: ArraySlice<UInt8> = []
        var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
        var stopping: ContinuousClock.Instant?
        do throws(NetworkStream.Failure) {
            while true {
                let now = ContinuousClock.now
                let (isStopping, isEnding) = state.withLock { state in
                    if unsent.isEmpty { unsent = state.session?.takeOutput(at: now)[...] ?? [] }
                    return (state.isStopping, state.session?.isEnding == true)
                }
                unsent.removeFirst(try stream.send(unsent))
                if isStopping {
                    // To close a connection with unread bytes could take the last ones from the broker, so that it closes it first.
                    let isDone = unsent.isEmpty && !isEnding
                    if isDone || now - (stopping ?? now) >= Self.turn { return "the connection is closed" }
                    stopping = stopping ?? now
                }
                let count = try stream.receive(&buffer)
                if let failure = read(buffer[..<count], at: now) { return failure.reason }
                if count == 0 { stream.wait(toSend: !unsent.isEmpty, atMost: Self.turn) }
            }
        } catch {
            return error.reason
        }
    }

    /// Passes bytes of the broker to the session, and passes the broker's answers to the callers that wait for them.
    ///
    /// - Returns: the reason for which the connection cannot be used any longer; nil if it can.
    private func read(_ bytes: ArraySlice<UInt8>, at now: ContinuousClock.Instant) -> MQTTSession.Failure? {
        let (done, failure) = state.withLock { state -> ([Waiting], MQTTSession.Failure?) in
            var events: [MQTTSession.Event] = []
            var failure: MQTTSession.Failure?
            do throws(MQTTSession.Failure) {
                if !bytes.isEmpty { try state.session?.receive(bytes, events: &events) }
                try state.session?.checkSilence(at: now)
            } catch {
                failure = error
            }
            return (events.compactMap { state.answered($0) }, failure)
        }
        for waiting in done { waiting.continuation.resume(returning: Self.result(waiting)) }
        return failure
    }

    /// Ends the connection for all callers. The first reason counts.
    private func end(_ reason: String) {
        let (waiting, reason) = state.withLock { state in
            let first = state.end ?? reason
            (state.end, state.stream) = (first, nil)
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), first)
        }
        for waiting in waiting { waiting.continuation.resume(returning: .failure(.away(reason: reason))) }
    }
}
