import Foundation
import SightlineTestSupport

/// A camera on this machine that sends pictures as Motion JPEG over HTTP, as long as it exists.
///
/// The fixture detector finds a red and a blue object in every picture. The size of the pictures changes every second, at which all objects
/// are lost and others appear, unless the test wants a scene in which nothing happens.
final class FixtureCamera: Sendable {
    let address: String
    private let listener: Int32

    init(isStill: Bool = false) throws {
        let (listener, port) = try Loopback.listener()
        self.listener = listener
        address = "http://127.0.0.1:\(port)/"
        let sizes = isStill ? [40] : [40, 64]
        let pictures = try sizes.map { try Pictures.jpeg(width: $0, height: $0 / 2) }
        Loopback.accept(at: listener) { [weak self] connection in
            Thread.detachNewThread { [weak self] in
                Self.send(pictures, to: connection) { self != nil }
                close(connection)
            }
        }
    }

    deinit { Loopback.stop(listener) }

    private static func send(_ pictures: [Data], to connection: Int32, while isSending: () -> Bool) {
        guard isSending() else { return }
        Loopback.send(
            Data("HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n".utf8),
            to: connection
        )
        var count = 0
        var byte: UInt8 = 0
        while isSending() {
            let picture = pictures[count / 20 % pictures.count]
            let head = "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n"
            Loopback.send(Data(head.utf8) + picture + Data("\r\n".utf8), to: connection)
            // The other side has said all that it says, or is gone.
            Loopback.setReadTimeout(.milliseconds(50), of: connection)
            if count > 0, recv(connection, &byte, 1, 0) == 0 { return }
            count += 1
        }
    }
}
