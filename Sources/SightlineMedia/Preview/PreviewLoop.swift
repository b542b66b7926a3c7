import Foundation
import Sightline

/// The work of a preview server's thread: one loop over all connections, which never blocks on a single connection.
final class PreviewLoop {
    private let listener: LoopbackListener
    private let shared: PreviewState
    private let site: any LoopbackSite
    private let maximumViewers: Int
    private var connections: [PreviewConnection] = []
    /// The newest encoded picture.
    private var part = Data()
    private var partNumber = 0
    private var nextEncoding = ContinuousClock.now

    /// Connections for pages and captions, beside those of viewers.
    private static let maximumOtherConnections = 16
    private static let interval = Duration.milliseconds(66)
    private static let maximumWidth = 960
    private static let quality = 75

    init(listener: LoopbackListener, shared: PreviewState, site: any LoopbackSite, maximumViewers: Int) {
        self.listener = listener
        self.shared = shared
        self.site = site
        self.maximumViewers = maximumViewers
    }

    /// Serves until the server stops, then closes everything.
    func run() {
        while !shared.isStopped {
            wait()
            shared.wakeUp.drain()
            acceptAll()
            encodeIfWanted()
            for connection in connections {
                connection.work(part: part, number: partNumber, hasRoom: viewers < maximumViewers)
            }
            connections.removeAll { $0.isClosed }
            shared.setViewers(viewers)
        }
        connections = []
        shared.setViewers(0)
        listener.close()
    }

    private var viewers: Int { connections.count { $0.isViewer } }

    /// Waits for an event.
    private func wait() {
        var entries = [
            pollfd(fd: shared.wakeUp.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for connection in connections {
            let events = Int16(POLLIN) | (connection.wantsToSend ? Int16(POLLOUT) : 0)
            entries.append(pollfd(fd: connection.descriptor, events: events, revents: 0))
        }
        // Without connections, there are no deadlines.
        var timeout: Int32 = connections.isEmpty ? -1 : 500
        if isWanted { timeout = Int32(clamping: Int(max((nextEncoding - .now) / .milliseconds(1), 0).rounded(.up))) }
        poll(&entries, nfds_t(entries.count), timeout)
    }

    private func acceptAll() {
        while let descriptor = listener.accept() {
            guard connections.count < maximumViewers + Self.maximumOtherConnections else {
                close(descriptor)
                continue
            }
            connections.append(PreviewConnection(descriptor, site: site, port: listener.port))
        }
    }

    /// Whether there is a newer picture and a viewer that is ready for it.
    private var isWanted: Bool {
        connections.contains { $0.isIdleViewer(since: partNumber) } && shared.number > partNumber
    }

    private func encodeIfWanted() {
        guard isWanted, ContinuousClock.now >= nextEncoding, let newest = shared.newest(after: partNumber) else {
            return
        }
        nextEncoding = .now + Self.interval
        partNumber = newest.number
        let size = newest.image.size
        let width = min(size.width, Self.maximumWidth)
        let height = max(Int((Double(size.height) * Double(width) / Double(size.width)).rounded()), 1)
        guard let picture = try? newest.image.upright(in: PixelSize(width: width, height: height)),
            let jpeg = try? picture.encoded(as: .jpeg, quality: Self.quality)
        else {
            // A damaged picture is skipped.
            return
        }
        let head =
            "--\(PreviewConnection.boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n"
        part = Data(head.utf8) + jpeg + Data("\r\n".utf8)
    }
}
