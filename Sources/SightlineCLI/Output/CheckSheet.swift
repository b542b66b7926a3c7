import CommandLineSupport
import Sightline
import SightlineMedia
import Synchronization
import TextFormatting

/// The places in pictures that a person should look at before the pictures are published: objects that were hidden with little confidence, and
/// places that may hold an object and are visible.
final class CheckSheet: Sendable {
    /// The places in a picture.
    private struct Row {
        /// The name of the picture in results.
        let name: String
        /// The file with the hidden objects.
        let path: String
        let places: [DetectedObject]
    }

    /// Objects from this confidence on are hidden.
    private let threshold: Float
    private let path: String
    private let rows = Mutex<[Row]>([])

    /// Hidden objects below this confidence are on the sheet.
    private static let usualHighest: Float = 0.5
    private var highest: Float { max(Self.usualHighest, threshold) }
    /// The largest number of places of a picture on the sheet.
    private static let mostPlaces = 10

    /// Places below this confidence are not on the sheet.
    var leastConfidence: Float { threshold * 0.75 }

    /// - Parameters:
    ///   - path: the file of the sheet.
    ///   - threshold: the confidence from which an object is hidden; nil for that of `ObjectDetectorOptions.faces(_:)`.
    init(path: String, threshold: Float?) {
        (self.path, self.threshold) = (path, threshold ?? ObjectDetectorOptions.faceThreshold)
    }

    /// The result with the objects that are confident enough. Notes the others, and those that hardly are.
    ///
    /// - Parameters:
    ///   - path: the file with the hidden objects; nil if there is none, so that there is nothing to show.
    ///   - name: the name of the picture in results.
    func reported(_ result: DetectionResult, in path: String?, named name: String) -> DetectionResult {
        let sure = result.objects.filter { $0.objectConfidence >= threshold }
        // Visible places come first, the most likely object before others.
        let visible = result.objects.filter { object in
            object.objectConfidence < threshold && !sure.contains { $0.frame.covers(object.frame) }
        }
        let places = visible + sure.filter { $0.objectConfidence < highest }.reversed()
        if let path, !places.isEmpty { rows.withLock { $0.append(Row(name: name, path: path, places: places)) } }
        var result = result
        result.objects = sure
        return result
    }

    /// Draws the sheet, writes it, and reports its contents. Without places, no sheet is written.
    ///
    /// - Throws: an exit code after a message.
    func write() async throws {
        let rows = rows.withLock(\.self).sorted { $0.name < $1.name }
        guard !rows.isEmpty else {
            StandardError.report("There is nothing to check: no face was found with a confidence below \(highest).")
            return
        }
        let sheet = ContactSheet(
            rows: rows.map { row in
                [ContactSheet.Cell(path: row.path, caption: row.name, color: .black)]
                    + row.places.prefix(Self.mostPlaces).map { place in
                        let isHidden = place.objectConfidence >= threshold
                        return ContactSheet.Cell(
                            path: row.path,
                            caption:
                                "\(isHidden ? "hidden" : "visible") \(Int((place.objectConfidence * 100).rounded()))%",
                            color: isHidden ? .hidden : .visible,
                            place: place.frame
                        )
                    }
            }
        )
        try await sheet.write(to: path)
        let visible = rows.flatMap(\.places).count { $0.objectConfidence < threshold }
        let hidden = rows.flatMap(\.places).count - visible
        StandardError.report(
            "\(path) shows \(NumberText.count(rows.count, "picture")) to look at: \(NumberText.count(visible, "place")) that may be a face and "
                + "\(visible == 1 ? "is" : "are") visible, and \(hidden) that \(hidden == 1 ? "is" : "are") hidden and may be none."
        )
    }
}

extension PixelRect {
    /// The share of a place that a hidden object has to cover so that nothing of it can be recognized.
    private static let coveredShare = 0.7

    /// Whether most of a place lies inside the rectangle.
    fileprivate func covers(_ place: PixelRect) -> Bool {
        (intersection(place)?.area ?? 0) >= Self.coveredShare * place.area
    }
}

extension AnnotationColor {
    /// The color of places that are hidden.
    fileprivate static let hidden = AnnotationColor(red: 0x1B, green: 0x7F, blue: 0x4B)
    /// The color of places that are visible.
    fileprivate static let visible = AnnotationColor(red: 0xC6, green: 0x28, blue: 0x28)
}
