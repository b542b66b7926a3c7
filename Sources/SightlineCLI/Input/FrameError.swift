import Foundation
import TextFormatting

/// The reason why no further frame can be read. Frames are counted from 1 and bytes from 0.
enum FrameError: Error, Equatable {
    /// A frame begins with something else than a header.
    case noHeader(frame: Int, byte: Int, found: [UInt8])
    /// The input ends in a header.
    case cutHeader(frame: Int, byte: Int)
    /// The input ends before the last byte of a picture.
    case cutPicture(frame: Int, byte: Int, found: Int, size: Int)
    /// The system cannot read the input.
    case unreadable(frame: Int, byte: Int, code: Int32)
}

extension FrameError: CustomStringConvertible {
    /// The number of bytes of a wrong header that a message shows.
    private static let shownLength = 24

    /// One sentence: the place, the problem, and the next step.
    var description: String {
        switch self {
        case .noHeader(let frame, let byte, let found):
            let start = TerminalText.printable(FileName.printed(FileName.text(found.prefix(Self.shownLength))))
            let quoted = "\"\(start)\(found.count > Self.shownLength ? "…" : "")\""
            return
                "\(Self.place(frame, byte)) begins with \(quoted), but a frame begins with the number of its bytes, a space, "
                + "a name and a line feed; check that each frame before it has the size in its header."
        case .cutHeader(let frame, let byte):
            return "\(Self.place(frame, byte)) is cut off in its header; send complete frames."
        case .cutPicture(let frame, let byte, let found, let size):
            return
                "\(Self.place(frame, byte)) is cut off: standard input ends after \(found) of the picture's \(size) bytes; "
                + "send complete frames."
        case .unreadable(let frame, let byte, let code):
            let reason = String(cString: strerror(code))
            return
                "\(Self.place(frame, byte)) cannot be read from standard input (\(reason)); check the program that sends it."
        }
    }

    private static func place(_ frame: Int, _ byte: Int) -> String { "frame \(frame), at byte \(byte)," }
}
