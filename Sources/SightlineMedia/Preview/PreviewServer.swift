import Foundation
import Sightline
import SightlineLocks

/// Shows the newest picture in browsers, for machines without a screen. The server has a page at `/`, a motion JPEG
/// (`multipart/x-mixed-replace`) at `/stream` and the text below the picture at `/caption`, and listens only on 127.0.0.1.
///
/// ```swift
/// let preview = try PreviewServer(port: 8080)
/// for try await frame in video.frames() { preview.show(frame.image, caption: "frame \(frame.index)") }
/// await preview.stop()
/// ```
///
/// Viewers do not slow down the caller: `show` keeps the newest picture and returns. A thread of the server encodes it as a JPEG of at
/// most 960 pixels width, at most 15 times a second, and only while a browser is connected. A slow viewer gets fewer pictures, and a
/// viewer that accepts no data for half a minute is disconnected.
///
/// From another machine: `ssh -L 8080:127.0.0.1:8080 host`.
public final class PreviewServer: Sendable {
    /// The port of the server.
    public let port: Int
    private let shared: PreviewState

    /// The address of the page.
    public var address: String { "http://127.0.0.1:\(port)/" }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - port: 1…65,535, or 0 for any free port.
    ///   - title: the title of the page, such as the name of the video.
    ///   - maximumViewers: the largest number of viewers. Further viewers are refused.
    /// - Throws: `MediaError.previewUnavailable`, for example if another program uses the port.
    public convenience init(
        port: Int = 0,
        title: String = "Preview",
        maximumViewers: Int = 8
    ) throws(MediaError) {
        let shared = try PreviewState(port: port)
        let site = PreviewSite(title: title, shared: shared)
        try self.init(port: port, shared: shared, site: site, maximumViewers: maximumViewers)
    }

    /// Starts a server with other pages.
    ///
    /// - Parameters:
    ///   - port: 1…65,535, or 0 for any free port.
    ///   - site: the pages, without a stream.
    /// - Throws: `MediaError.previewUnavailable`, for example if another program uses the port.
    package convenience init(port: Int, site: some LoopbackSite) throws(MediaError) {
        try self.init(port: port, shared: PreviewState(port: port), site: site, maximumViewers: 0)
    }

    private init(
        port: Int,
        shared: PreviewState,
        site: any LoopbackSite,
        maximumViewers: Int
    ) throws(MediaError) {
        let listener = try LoopbackListener(port: port)
        self.port = listener.port
        self.shared = shared
        let thread = Thread {
            let loop = PreviewLoop(listener: listener, shared: shared, site: site, maximumViewers: maximumViewers)
            loop.run()
            shared.end()
        }
        thread.name = "sightline.preview"
        thread.start()
    }

    deinit { shared.stop() }

    /// The number of viewers that receive pictures.
    public var viewers: Int { shared.viewers }

    /// Shows a picture. The server keeps it until the next picture.
    ///
    /// - Parameters:
    ///   - image: the picture.
    ///   - caption: a line of text below it.
    public func show(_ image: VisionImage, caption: String = "") { shared.show(image, caption: caption) }

    /// Closes all connections and the port, and waits for that. A second call does nothing.
    public func stop() async {
        shared.stop()
        await shared.waitForEnd()
    }
}

/// The state that the server's thread shares with callers.
final class PreviewState: Sendable {
    private struct State {
        var image: VisionImage?
        var caption = ""
        /// The number of pictures so far.
        var number = 0
        var viewers = 0
        var isStopped = false
        /// Whether the server's thread is done.
        var isOver = false
        /// The tasks that wait for the end of the thread.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// A byte in this pipe wakes the thread.
    let wakeUp: FileDescriptorPair

    init(port: Int) throws(MediaError) { wakeUp = try FileDescriptorPair(port: port) }

    /// The text below the newest picture.
    var caption: String { state.withLock { $0.caption } }
    var viewers: Int { state.withLock { $0.viewers } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The newest picture, if it is newer than a given picture.
    func newest(after number: Int) -> (image: VisionImage, number: Int)? {
        state.withLock { state in
            guard let image = state.image, state.number > number else { return nil }
            return (image, state.number)
        }
    }

    var number: Int { state.withLock { $0.number } }

    func setViewers(_ count: Int) { state.withLock { $0.viewers = count } }

    func show(_ image: VisionImage, caption: String) {
        let isWatched = state.withLock { state in
            guard !state.isStopped else { return false }
            state.image = image
            state.caption = caption
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

    /// Waits for the end of the server's thread without blocking a thread.
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
