import Foundation
import Sightline
import SightlineMedia
import TextFormatting
import ZoneDrawing

/// The page on which people draw lines and zones on a frame. Its files lie in the folder Page.
struct ZonesSite: LoopbackSite {
    private let files: [String: LoopbackAnswer]

    /// - Throws: `ImageError` if the frame cannot be encoded.
    init(_ frame: SampleFrame) throws {
        let size = frame.picture.size
        // The name is last, because it may contain the tags of the others.
        let page = String(decoding: PackageResources.zones_html, as: UTF8.self)
            .replacing("{{drawing}}", with: String(decoding: ZoneDrawing.template, as: UTF8.self))
            .replacing("{{picture}}", with: "/frame.jpg")
            .replacing("{{width}}", with: "\(size.width)")
            .replacing("{{height}}", with: "\(size.height)")
            .replacing("{{time}}", with: ClockText.text(frame.time))
            .replacing("{{name}}", with: Self.escaped(TerminalText.printable(frame.name)))
        files = [
            "/": .page(page),
            "/zones.css": .content(Data(PackageResources.zones_css), type: "text/css; charset=utf-8"),
            "/drawing.css": .content(Data(ZoneDrawing.style), type: "text/css; charset=utf-8"),
            "/drawing.js": .content(Data(ZoneDrawing.script), type: "text/javascript; charset=utf-8"),
            "/frame.jpg": .content(try frame.picture.encoded(as: .jpeg, quality: 90), type: "image/jpeg"),
        ]
    }

    func answer(to path: String) -> LoopbackAnswer? { files[path] }
}
