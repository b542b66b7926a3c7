import CommandOutput
import Sightline

/// A model with its versions, as `show` prints it.
struct ModelDetails: Decodable {
    struct Version: Decodable {
        var version: Int
        var modelHash: String
        var sizeBytes: String
        var createTime: String
        var gcsTfliteUri: String
        var inspection: ModelInspection?
    }

    var model: HubModel
    var servedVersion: Int?
    var confidenceThreshold: Double?
    /// The newest first.
    var versions: [Version]
    /// Set if there are older ones.
    var nextPageToken: String?

    /// Headings at the left, what belongs to them beside them.
    var text: String {
        var text = Self.lines("Name", [model.displayName])
        text += Self.lines("Id", [model.id])
        text += Self.lines("Published", [model.state?.published == true ? "yes" : "no"])
        text += Self.lines("Problem", [model.state?.validationError?.message].compactMap(\.self))
        text += Self.lines("Warning", [model.state?.warning].compactMap(\.self))
        text += Self.lines("Tags", model.tags ?? [])
        text += Self.lines("Threshold", [confidenceThreshold.map { "\($0)" }].compactMap(\.self))
        text += Self.lines("Updated", [model.updateTime])
        text += Self.lines(
            "Versions",
            versions.map { version in
                let size = ByteCount.text(Int(version.sizeBytes))
                let mark = version.version == servedVersion ? ", served" : ""
                return
                    "\(version.version): \(size), \(version.createTime.prefix(10)), SHA-256 \(version.modelHash)\(mark)"
            } + (nextPageToken == nil ? [] : ["and older ones"])
        )
        if let inspection = versions.first(where: { $0.version == servedVersion })?.inspection {
            text += Self.lines("Wants", inspection.inputs.map(Self.summary))
            text += Self.lines("Gives", inspection.outputs.map(Self.summary))
            if let labels = inspection.labels {
                let more = labels.count > labels.first.count ? ", …" : ""
                text += Self.lines("Labels", ["\(labels.count): \(labels.first.joined(separator: ", "))\(more)"])
            }
            text += Self.lines("Use", [inspection.task?.rawValue, inspection.head].compactMap(\.self))
            text += Self.lines("Assumed", inspection.assumptions)
            text += Self.lines("Not for pictures", [inspection.problem].compactMap(\.self))
        }
        return text
    }

    private static func lines(_ heading: String, _ lines: [String]) -> String {
        lines.enumerated().map { number, line in
            let start = number == 0 ? heading : ""
            return start + String(repeating: " ", count: max(18 - start.count, 1)) + TerminalText.printable(line) + "\n"
        }.joined()
    }

    private static func summary(_ tensor: ModelInspection.TensorSummary) -> String {
        "\(tensor.name): \(tensor.shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: " × ")) \(tensor.dataType)"
    }
}
