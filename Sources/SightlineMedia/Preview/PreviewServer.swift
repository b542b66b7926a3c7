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
        let shared = PreviewState(maximumViewers: maximumViewers)
        try self.init(port: port, shared: shared, site: PreviewSite(title: title, shared: shared))
    }

    /// Starts a server with other pages.
    ///
    /// - Parameters:
    ///   - port: 1…65,535, or 0 for any free port.
    ///   - site: the pages, without a stream.
    /// - Throws: `MediaError.previewUnavailable`, for example if another program uses the port.
    package convenience init(port: Int, site: some LoopbackSite) throws(MediaError) {
        try self.init(port: port, shared: PreviewState(maximumViewers: 0), site: site)
    }

    private init(port: Int, shared: PreviewState, site: any LoopbackSite) throws(MediaError) {
        let listener = try LoopbackListener(port: port)
        self.port = listener.port
        self.shared = shared
        shared.inThread(named: "sightline.preview") {
            while !shared.isStopped {
                guard let descriptor = listener.accept() else { continue }
                let connection = PreviewConnection(
                    descriptor: descriptor,
                    port: listener.port,
                    site: site,
                    shared: shared
                )
                guard shared.open(descriptor) else { continue }
                shared.inThread(named: "sightline.preview.browser") {
                    connection.serve()
                    shared.close(descriptor)
                }
            }
            listener.close()
        }
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
