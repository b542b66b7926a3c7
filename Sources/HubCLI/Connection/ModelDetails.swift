import Sightline
import TextFormatting

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
    /// Set if there are older versions.
    var nextPageToken: String?

    /// The description for people.
    var text: String {
        var list = FactList(indent: 18)
        list.add("Name", model.displayName)
        list.add("Id", [model.id])
        list.add("Published", [model.state?.published == true ? "yes" : "no"])
        list.add("Problem", model.state?.validationError?.message)
        list.add("Warning", model.state?.warning)
        list.add("Tags", model.tags ?? [])
        list.add("Threshold", confidenceThreshold.map { "\($0)" })
        list.add("Updated", [model.updateTime])
        list.add(
            "Versions",
            versions.map { version in
                let size = NumberText.bytes(Int(version.sizeBytes))
                let mark = version.version == servedVersion ? ", served" : ""
                return
                    "\(version.version): \(size), \(version.createTime.prefix(10)), SHA-256 \(version.modelHash)\(mark)"
            } + (nextPageToken == nil ? [] : ["and older ones"])
        )
        if let inspection = versions.first(where: { $0.version == servedVersion })?.inspection {
            list.add("Wants", inspection.inputs.map(Self.summary))
            list.add("Gives", inspection.outputs.map(Self.summary))
            if let labels = inspection.labels {
                let more = labels.count > labels.first.count ? ", …" : ""
                list.add("Labels", ["\(labels.count): \(labels.first.joined(separator: ", "))\(more)"])
            }
            list.add("Use", [inspection.task?.rawValue, inspection.head].compactMap(\.self))
            list.add("Assumed", inspection.assumptions)
            list.add("Not for pictures", inspection.problem)
        }
        return list.text
    }

    private static func summary(_ tensor: ModelInspection.TensorSummary) -> String {
        "\(tensor.name): \(tensor.shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: " × ")) \(tensor.dataType)"
    }
}
