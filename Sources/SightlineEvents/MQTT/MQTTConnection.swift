import CMosquitto
import Foundation
import SightlineLocks

/// A connection to a broker, from its beginning to its end. A lost connection is not restored; another one takes its place.
///
/// A separate thread sends and receives, so that nothing here blocks a caller.
///
/// The pointers are used safely: the thread alone frees the client, under the lock under which others publish, and the client calls
/// back on that thread only, which keeps the connection alive.
final class MQTTConnection: Sendable {
    /// A message for subscribers.
    struct Message: Sendable, Hashable {
        var topic: String
        var payload: [UInt8]
        var isRetained = false

        init(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
            (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
        }

        init(_ topic: String, _ text: String, isRetained: Bool = false) {
            self.init(topic, Array(text.utf8), isRetained: isRetained)
        }
    }

    /// The reason for which messages did not arrive.
    enum Failure: Error, Sendable {
        /// There is no connection now.
        case away(reason: String)
        /// The broker refused a message permanently, perhaps because it takes only smaller ones.
        case refused(reason: String, isTooLarge: Bool = false)
    }

    private enum Phase {
        case connecting
        case open
        case ended(reason: String)
    }

    /// A caller that waits for a broker.
    private struct Waiting {
        /// The numbers of messages without an acknowledgment; nil for the answer to the connection.
        var messages: Set<Int32>?
        var refusal: String?
        let continuation: CheckedContinuation<Result<Void, Failure>, Never>
    }

    private struct State {
        var phase = Phase.connecting
        var waiting: [Int: Waiting] = [:]
        var nextKey = 0
        /// The codes of acknowledgments that came before their caller waited, by the number of the message; with the text of a refusal.
        var early: [Int32: String?] = [:]
        /// The topics of ``MQTTConnection/subscribe(to:)`` at which the broker has retained messages.
        var retained: Set<String> = []
        var isStopping = false
    }

    private struct Client: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let state = Mutex(State())
    /// Nil before the thread has made the client, and after it has freed the client.
    private let client = Mutex<Client?>(nil)
    private let address: MQTTAddress
    private let options: MQTTTransport.Options
    private let will: Message

    /// The keep-alive interval, in seconds.
    private static let keepAlive: Int32 = 20
    /// The interval in milliseconds in which the thread checks whether it should stop.
    private static let turn: Int32 = 500

    /// - Parameter will: the message that the broker publishes if the connection breaks.
    init(_ address: MQTTAddress, _ options: MQTTTransport.Options, will: Message) {
        (self.address, self.options, self.will) = (address, options, will)
    }

    /// Whether messages can be published.
    var isOpen: Bool {
        state.withLock { if case .open = $0.phase { !$0.isStopping } else { false } }
    }

    /// Connects, and waits until the broker has accepted the connection.
    func open(within limit: Duration) async throws(Failure) {
        Thread.detachNewThread { [self] in run() }
        do throws(Failure) {
            try await wait(for: nil, within: limit)
        } catch {
            stop()
            throw error
        }
    }

    /// Publishes messages in their order, each at least once, and waits until the broker has acknowledged all of them. A message
    /// that is refused does not stop the others.
    func publish(_ messages: [Message], within limit: Duration) async throws(Failure) {
        do throws(Failure) {
            var numbers: [Int32] = []
            var refusal: Failure?
            for message in messages {
                do throws(Failure) {
                    numbers.append(try send(message))
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
        var message = Self.emptyMessage
        client.withLock { if let client = $0 { _ = cmosquitto_subscribe(client.pointer, topics, &message) } }
    }

    /// The topics at which the broker has retained messages, as far as they have arrived.
    var retained: Set<String> { state.withLock { $0.retained } }

    /// Forgets retained messages that were taken back.
    func forgetRetained(_ topics: some Sequence<String>) { state.withLock { $0.retained.subtract(topics) } }

    /// Ends the connection; the broker publishes no last will.
    func disconnect() {
        client.withLock { if let client = $0 { cmosquitto_disconnect(client.pointer) } }
        state.withLock { $0.isStopping = true }
    }

    // MARK: - Callers

    private func send(_ message: Message) throws(Failure) -> Int32 {
        let result: Result<Int32, Failure> = client.withLock { client in
            guard let client else { return .failure(.away(reason: "the connection is closed")) }
            var number: Int32 = 0
            var text = Self.emptyMessage
            let sent = message.payload.withUnsafeBytes { bytes in
                cmosquitto_publish(
                    client.pointer,
                    message.topic,
                    bytes.baseAddress,
                    bytes.count,
                    message.isRetained,
                    &number,
                    &text
                )
            }
            switch sent {
            case CMOSQUITTO_SENT: return .success(number)
            case CMOSQUITTO_REFUSED:
                let reason = "the broker does not take a message of \(message.payload.count) bytes"
                return .failure(.refused(reason: "\(reason) (\(Self.clause(Self.text(text))))", isTooLarge: true))
            default: return .failure(.away(reason: Self.text(text)))
            }
        }
        return try result.get()
    }

    /// Waits for the acknowledgments of messages, or for the answer to the connection.
    private func wait(for numbers: [Int32]?, within limit: Duration) async throws(Failure) {
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
            let early: Result<Void, Failure>? = state.withLock { state in
                switch state.phase {
                case .ended(let reason): return .failure(.away(reason: reason))
                case .open where numbers == nil: return .success(())
                case .connecting, .open: break
                }
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

    private static func result(_ waiting: Waiting) -> Result<Void, Failure> {
        waiting.refusal.map { .failure(.refused(reason: $0)) } ?? .success(())
    }

    private func finish(_ key: Int, _ result: Result<Void, Failure>) {
        state.withLock { $0.waiting.removeValue(forKey: key) }?.continuation.resume(returning: result)
    }

    private func stop() { state.withLock { $0.isStopping = true } }

    // MARK: - The thread

    private func run() {
        var message = Self.emptyMessage
        guard let made = make(&message) else { return end(Self.text(message)) }
        client.withLock { $0 = made }
        var isConnected = cmosquitto_connect(made.pointer, address.host, Int32(address.port), Self.keepAlive, &message)
        while isConnected, !state.withLock({ $0.isStopping }) {
            isConnected = cmosquitto_loop(made.pointer, Self.turn, &message)
        }
        // Sends the end of the connection, if there is one.
        if isConnected { _ = cmosquitto_loop(made.pointer, Self.turn, &message) }
        client.withLock { client in
            client = nil
            cmosquitto_free(made.pointer)
        }
        end(Self.text(message))
    }

    private func make(_ message: inout [CChar]) -> Client? {
        let identifier = "sightline-" + String(UInt64.random(in: .min ... .max), radix: 16).prefix(12)
        var settings = CMosquittoSettings()
        settings.version = address.version == .v5 ? 5 : 4
        settings.isSecure = address.isSecure
        settings.context = Unmanaged.passUnretained(self).toOpaque()
        settings.onConnect = { context, code, reason in
            MQTTConnection.of(context)?.didConnect(code, reason.map { String(cString: $0) } ?? "")
        }
        settings.onPublish = { context, number, code, reason in
            let refusal = code < 128 ? nil : reason.map { String(cString: $0) } ?? ""
            MQTTConnection.of(context)?.didPublish(number, refusal)
        }
        settings.onRetained = { context, topic in
            guard let topic else { return }
            let text = String(cString: topic)
            MQTTConnection.of(context)?.state.withLock { _ = $0.retained.insert(text) }
        }
        // The library copies the texts.
        let texts = [
            identifier, will.topic, String(decoding: will.payload, as: UTF8.self), address.user, options.password,
            options.authorities?.path(percentEncoded: false),
        ].map { text in text.flatMap { strdup($0) } }
        defer { texts.forEach { free($0) } }
        let pointers = texts.map { $0.map { UnsafePointer($0) } }
        (settings.identifier, settings.willTopic, settings.will) = (pointers[0], pointers[1], pointers[2])
        // A broker may know a password without a user only in version 5; libmosquitto sends none without a user.
        (settings.user, settings.password, settings.authorities) = (pointers[3], pointers[4], pointers[5])
        return cmosquitto_new(&settings, &message).map { Client(pointer: $0) }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
        context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func didConnect(_ code: Int32, _ reason: String) {
        guard code == 0 else {
            stop()
            return end("the broker refused the connection (\(Self.clause(reason)))")
        }
        let opened = state.withLock { state in
            guard case .connecting = state.phase else { return [Waiting]() }
            state.phase = .open
            let keys = state.waiting.filter { $0.value.messages == nil }.keys
            return keys.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for waiting in opened { waiting.continuation.resume(returning: .success(())) }
    }

    private func didPublish(_ number: Int32, _ refusal: String?) {
        let refusal = refusal.map { "the broker refused a message (\(Self.clause($0)))" }
        let done = state.withLock { state -> Waiting? in
            guard let key = state.waiting.first(where: { $0.value.messages?.contains(number) == true })?.key else {
                state.early[number] = .some(refusal)
                return nil
            }
            state.waiting[key]?.messages?.remove(number)
            if let refusal { state.waiting[key]?.refusal = refusal }
            guard state.waiting[key]?.messages?.isEmpty == true else { return nil }
            return state.waiting.removeValue(forKey: key)
        }
        if let done { done.continuation.resume(returning: Self.result(done)) }
    }

    /// Ends the connection for all callers. The first reason counts.
    private func end(_ reason: String) {
        let (waiting, reason) = state.withLock { state in
            var first = reason
            if case .ended(let earlier) = state.phase { first = earlier }
            state.phase = .ended(reason: first)
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), first)
        }
        for waiting in waiting { waiting.continuation.resume(returning: .failure(.away(reason: reason))) }
    }

    // MARK: - Texts

    private static let emptyMessage = [CChar](repeating: 0, count: Int(CMOSQUITTO_MESSAGE_SIZE))

    private static func text(_ message: [CChar]) -> String {
        let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !text.isEmpty else { return "the connection is closed" }
        guard text.contains("TLS") else { return text }
        return text + ", for example because no known authority signed the broker's certificate"
    }

    /// A sentence of the library as a clause, for example `bad user name or password`.
    private static func clause(_ sentence: String) -> String {
        let text = (sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]).lowercased()
        let beginning = "connection refused: "
        return text.hasPrefix(beginning) ? String(text.dropFirst(beginning.count)) : text
    }
}
