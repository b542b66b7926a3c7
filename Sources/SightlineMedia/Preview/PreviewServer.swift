import Foundation
import Sightline
import Synchronization

/// Shows the newest picture in browsers on this machine, so that what a machine without a screen sees can be watched:
/// a page at `/` and a motion JPEG (`multipart/x-mixed-replace`) at `/stream`, on 127.0.0.1 alone.
///
/// ```swift
/// let preview = try PreviewServer(port: 8080)
/// for try await frame in video.frames() { preview.show(frame.image) }
/// await preview.stop()
/// ```
///
/// Viewers never slow down who shows pictures: `show` keeps the newest picture and returns. A thread of the server's own
/// makes a JPEG of it, no wider than 960 pixels and at most 15 times a second, and only while somebody watches; a viewer
/// that is slow gets fewer pictures, and one that takes nothing for half a minute is dropped.
///
/// From another machine: `ssh -L 8080:127.0.0.1:8080 host`.
public final class PreviewServer: Sendable {
    /// The port that it listens at.
    public let port: Int
    private let shared: PreviewState

    /// The address of the page.
    public var address: String { "http://127.0.0.1:\(port)/" }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - port: 1…65,535, or 0 for any that is free.
    ///   - maximumViewers: connections at a time; more are refused.
    /// - Throws: `MediaError.previewUnavailable`, for example if another program uses the port.
    public init(port: Int = 0, maximumViewers: Int = 8) throws(MediaError) {
        let listener = try LoopbackListener(port: port)
        let shared = try PreviewState(port: port)
        self.port = listener.port
        self.shared = shared
        let thread = Thread { [port = listener.port] in
            let loop = PreviewLoop(listener: listener, shared: shared, port: port, maximumViewers: maximumViewers)
            loop.run()
            shared.end()
        }
        thread.name = "sightline.preview"
        thread.start()
    }

    deinit { shared.stop() }

    /// Viewers that get pictures at present.
    public var viewers: Int { shared.viewers }

    /// Makes a picture the newest. It is kept until the next one is shown.
    public func show(_ image: VisionImage) { shared.show(image) }

    /// Closes all connections and the port; returns when that is done. May be called again.
    public func stop() async {
        shared.stop()
        await shared.waitForEnd()
    }
}

/// What the server's thread shares with who shows pictures.
final class PreviewState: Sendable {
    private struct State {
        var image: VisionImage?
        /// Counts pictures.
        var number = 0
        var viewers = 0
        var isStopped = false
        /// Whether the server's thread is done.
        var isOver = false
        /// Tasks that wait for that.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// A byte in this pipe wakes the thread.
    let wakeUp: FileDescriptorPair

    init(port: Int) throws(MediaError) { wakeUp = try FileDescriptorPair(port: port) }

    var viewers: Int { state.withLock { $0.viewers } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The newest picture, if it came after a certain one.
    func newest(after number: Int) -> (image: VisionImage, number: Int)? {
        state.withLock { state in
            guard let image = state.image, state.number > number else { return nil }
            return (image, state.number)
        }
    }

    var number: Int { state.withLock { $0.number } }

    func setViewers(_ count: Int) { state.withLock { $0.viewers = count } }

    func show(_ image: VisionImage) {
        let isWatched = state.withLock { state in
            guard !state.isStopped else { return false }
            state.image = image
            state.number += 1
            return state.viewers > 0
        }
        if isWatched { wakeUp.signal() }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.image = nil
        }
        wakeUp.signal()
    }

    /// Called by the server's thread when it is done.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOver = true
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }

    /// Returns when the server's thread is done; no thread is blocked meanwhile.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}
