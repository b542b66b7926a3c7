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

    private let confidence: DoubtfulConfidence
    private let path: String
    private let rows = Mutex<[Row]>([])

    /// The largest number of places of a picture on the sheet.
    private static let mostPlaces = 10

    /// Places below this confidence are not on the sheet.
    var leastConfidence: Float { confidence.least }

    /// - Parameters:
    ///   - path: the file of the sheet.
    ///   - threshold: the confidence from which an object is hidden.
    init(path: String, threshold: Float) {
        (self.path, confidence) = (path, DoubtfulConfidence(threshold: threshold))
    }

    /// The result with the objects that are confident enough. Notes the others, and those that hardly are.
    ///
    /// - Parameters:
    ///   - path: the file with the hidden objects; nil if there is none, so that there is nothing to show.
    ///   - name: the name of the picture in results.
    func reported(_ result: DetectionResult, in path: String?, named name: String) -> DetectionResult {
        let sure = result.objects.filter { $0.objectConfidence >= confidence.threshold }
        // Visible places come first, the most likely object before others.
        let visible = result.objects.filter { object in
            object.objectConfidence < confidence.threshold && !sure.contains { $0.frame.covers(object.frame) }
        }
        let places = visible + sure.filter { $0.objectConfidence < confidence.highest }.reversed()
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
        guard !rows.isEmpty else { return confidence.reportNothing() }
        let sheet = ContactSheet(
            rows: rows.map { row in
                [ContactSheet.Cell(source: .file(row.path), caption: row.name, color: .black)]
                    + row.places.prefix(Self.mostPlaces).map { place in
                        ContactSheet.Cell(
                            place.frame,
                            of: .file(row.path),
                            isHidden: place.objectConfidence >= confidence.threshold,
                            confidence: place.objectConfidence
                        )
                    }
            }
        )
        try await sheet.write(to: path)
        let visible = rows.flatMap(\.places).count { $0.objectConfidence < confidence.threshold }
        let hidden = rows.flatMap(\.places).count - visible
        DoubtfulConfidence.report(path, NumberText.count(rows.count, "picture"), visible: visible, hidden: hidden)
    }
}
