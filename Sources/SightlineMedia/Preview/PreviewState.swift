import Foundation
import Sightline
import SightlineLocks

/// The state that the threads of a preview server share with its callers.
final class PreviewState: Sendable {
    /// A picture as a part of the stream, and its number.
    typealias Part = (data: Data, number: Int)

    private struct State {
        var image: VisionImage?
        var caption = ""
        /// The number of pictures so far.
        var number = 0
        var viewers = 0
        var isStopped = false
        var connections: Set<Int32> = []
        /// The number of threads that are not done.
        var threads = 0
        /// The tasks that wait for the end of all threads.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let maximumViewers: Int
    private let state = Mutex(State())
    /// Wakes the viewers that wait for a picture.
    private let change = NSCondition()
    /// The newest encoded picture, and the time before which none is encoded. The viewer that encodes holds the lock, because the
    /// others want the same picture.
    private let encoded = Mutex<(part: Part, next: ContinuousClock.Instant)>(((Data(), 0), .now))

    /// Connections for pages and captions, beside those of viewers.
    private static let maximumOtherConnections = 16
    private static let interval = Duration.milliseconds(66)
    private static let maximumWidth = 960
    private static let quality = 75

    init(maximumViewers: Int) { self.maximumViewers = maximumViewers }

    /// The text below the newest picture.
    var caption: String { state.withLock { $0.caption } }
    var viewers: Int { state.withLock { $0.viewers } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    func show(_ image: VisionImage, caption: String) {
        let isWatched = state.withLock { state in
            guard !state.isStopped else { return false }
            (state.image, state.caption) = (image, caption)
            state.number += 1
            return state.viewers > 0
        }
        if isWatched { wakeViewers() }
    }

    private func wakeViewers() {
        change.lock()
        change.broadcast()
        change.unlock()
    }

    // MARK: Pictures for viewers

    /// Waits at most half a second for a picture that is newer than a given one; nil if there is none.
    func part(after number: Int) -> Part? {
        change.lock()
        let isThere = state.withLock { $0.isStopped || $0.number > number }
        if !isThere { _ = change.wait(until: Date(timeIntervalSinceNow: 0.5)) }
        change.unlock()
        return encoded.withLock { encoded in
            if encoded.part.number > number { return encoded.part }
            Thread.sleep(forTimeInterval: max((encoded.next - .now).seconds, 0))
            let newest = state.withLock { ($0.image, $0.number) }
            guard let image = newest.0, newest.1 > number else { return nil }
            encoded.next = .now + Self.interval
            guard let data = Self.part(image) else {
                // A damaged picture is skipped.
                return nil
            }
            encoded.part = (data, newest.1)
            return encoded.part
        }
    }

    private static func part(_ image: VisionImage) -> Data? {
        let width = min(image.size.width, maximumWidth)
        let height = max(Int((Double(image.size.height) * Double(width) / Double(image.size.width)).rounded()), 1)
        guard let picture = try? image.upright(in: PixelSize(width: width, height: height)),
            let jpeg = try? picture.encoded(as: .jpeg, quality: quality)
        else { return nil }
        let head =
            "--\(PreviewConnection.boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n"
        return Data(head.utf8) + jpeg + Data("\r\n".utf8)
    }

    /// Counts a further viewer; false if there is no room for one.
    func addViewer() -> Bool {
        state.withLock { state in
            guard state.viewers < maximumViewers else { return false }
            state.viewers += 1
            return true
        }
    }

    func removeViewer() { state.withLock { $0.viewers -= 1 } }

    // MARK: Connections and threads

    /// Takes over a connection; false if it was closed, because there is no room for it or the server stops.
    func open(_ descriptor: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.connections.count < maximumViewers + Self.maximumOtherConnections else {
                Foundation.close(descriptor)
                return false
            }
            state.connections.insert(descriptor)
            return true
        }
    }

    /// Closes a connection. Its number then belongs to others, so this holds the lock that `stop` takes.
    func close(_ descriptor: Int32) {
        state.withLock { state in
            state.connections.remove(descriptor)
            Foundation.close(descriptor)
        }
    }

    /// Runs a function on a thread of its own, for which `waitForEnd` waits.
    func inThread(named name: String, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.threads += 1 }
        let thread = Thread {
            body()
            let waiting = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.threads -= 1
                guard state.threads == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            waiting.forEach { $0.resume() }
        }
        thread.name = name
        thread.start()
    }

    /// Ends all threads, also those that wait for a browser.
    func stop() {
        state.withLock { state in
            (state.isStopped, state.image) = (true, nil)
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        wakeViewers()
    }

    /// Waits for the end of all threads without blocking a thread.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.threads > 0 { state.waiting.append(continuation) }
                return state.threads == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
