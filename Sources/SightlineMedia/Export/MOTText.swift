import Sightline
import TextFormatting

/// Lines of ``ExportFormat/mot``.
enum MOTText {
    /// A line for each object of a frame.
    static func rows(_ result: StreamResult) -> String {
        result.objects.map { object in
            let frame = [object.frame.x, object.frame.y, object.frame.width, object.frame.height]
                .map(CSVText.thousandths).joined(separator: ",")
            return "\(result.index + 1),\(object.id ?? -1),\(frame),\(object.confidence),-1,-1,-1\n"
        }.joined()
    }
}
