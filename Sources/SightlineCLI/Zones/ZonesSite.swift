import Foundation
import Sightline
import SightlineMedia
import TextFormatting
import ZoneDrawing

/// The page on which people draw lines and zones on a frame. Its files lie in the folder Page.
struct ZonesSite: LoopbackSite {
    private let files: [String: LoopbackAnswer]
    /// Collects moments for states; nil for an input that cannot be read again.
    private let collector: MomentCollector?

    /// - Throws: `ImageError` if the frame cannot be encoded.
    init(_ frame: SampleFrame, _ collector: MomentCollector? = nil) throws {
        self.collector = collector
        let size = frame.picture.size
        // The name is last, because it may contain the tags of the others.
        let page = String(decoding: PackageResources.zones_html, as: UTF8.self)
            .replacing("{{drawing}}", with: String(decoding: ZoneDrawing.template, as: UTF8.self))
            .replacing("{{states}}", with: collector == nil ? "hidden" : "")
            .replacing("{{picture}}", with: "/frame.jpg")
            .replacing("{{width}}", with: "\(size.width)")
            .replacing("{{height}}", with: "\(size.height)")
            .replacing("{{time}}", with: ClockText.text(frame.time))
            .replacing("{{name}}", with: Self.escaped(TerminalText.printable(frame.name)))
        files = [
            "/": .page(page),
            "/zones.css": .content(Data(PackageResources.zones_css), type: "text/css; charset=utf-8"),
            "/states.js": .content(Data(PackageResources.states_js), type: "text/javascript; charset=utf-8"),
            "/drawing.css": .content(Data(ZoneDrawing.style), type: "text/css; charset=utf-8"),
            "/drawing.js": .content(Data(ZoneDrawing.script), type: "text/javascript; charset=utf-8"),
            "/frame.jpg": .content(try frame.picture.encoded(as: .jpeg, quality: 90), type: "image/jpeg"),
        ]
    }

    func answer(to path: String) -> LoopbackAnswer? {
        if let file = files[path] { return file }
        guard let collector else { return nil }
        if path == "/progress" { return .content(collector.progress, type: "application/json") }
        guard let number = path.wholeMatch(of: /\/moments\/(\d{1,6})\.jpg/).flatMap({ Int($0.1) }) else { return nil }
        return collector.picture(number).map { .content($0, type: "image/jpeg") }
    }

    func answer(toPosted json: Data, at path: String) -> LoopbackAnswer? {
        guard let collector else { return nil }
        let decoder = JSONDecoder()
        switch path {
        case "/moments":
            guard let search = try? decoder.decode(MomentCollector.Search.self, from: json) else { return nil }
            collector.search(search)
        case "/train":
            guard let lesson = try? decoder.decode(MomentCollector.Lesson.self, from: json) else { return nil }
            collector.train(lesson)
        default: return nil
        }
        return .content(collector.progress, type: "application/json")
    }
}
