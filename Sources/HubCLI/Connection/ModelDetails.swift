import ModelHubProtocol
import ModelHubServer
import Sightline
import TextFormatting

/// A model with its versions, as `show` prints it.
typealias ModelDetails = ModelDetailsResource<ModelInspection?>

extension ModelDetails {
    /// The description for people.
    var text: String {
        var list = FactList(indent: 18)
        list.add("Name", model.displayName)
        list.add("Id", [model.id])
        list.add("Published", [model.state?.published == true ? "yes" : "no"])
        list.add("Problem", model.state?.validationError?.message)
        list.add("Warning", model.state?.warning)
        list.add("Clients", format(of: servedVersion)?.clientNote)
        list.add("Description", Self.lines(card?.description))
        list.add("License", Self.lines(card?.license))
        list.add("Author", Self.lines(card?.author))
        list.add("Tags", model.tags ?? [])
        list.add("Threshold", confidenceThreshold.map { "\($0)" })
        list.add(
            "Aliases",
            aliases.filter { $0.key != .production }.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { "\($0.key): version \($0.value)" }
        )
        list.add("Updated", [model.updateTime])
        list.add(
            "Versions",
            versions.map { version in
                let notes = version.notes.map { ": \(Self.lines($0).joined(separator: " "))" } ?? ""
                let size = NumberText.bytes(Int(version.sizeBytes))
                var marks: [String] = []
                if let format = format(of: version.version), format != .tensorFlowLite { marks.append(format.title) }
                if version.version == servedVersion { marks.append("served") }
                if version.version == aliases[.staging] { marks.append("staged") }
                if let threshold = version.confidenceThreshold { marks.append("threshold \(threshold)") }
                return
                    ([
                        "\(version.version): \(size)", "\(version.createTime.prefix(10))",
                        "SHA-256 \(version.modelHash)",
                    ]
                    + marks).joined(separator: ", ") + notes
            } + (nextPageToken == nil ? [] : ["and older ones"])
        )
        if let inspection = (versions.first { $0.version == servedVersion } ?? versions.first)?.inspection {
            list.add("Runtime", inspection.runtime)
            list.add("Operators", inspection.operatorText)
            list.add("Wants", inspection.inputs.map { "\($0.name): \($0.typeText)" })
            list.add("Gives", inspection.outputs.map { "\($0.name): \($0.typeText)" })
            if let labels = inspection.labels {
                let first = labels.first.prefix(5)
                let more = labels.count > first.count ? ", …" : ""
                list.add("Labels", ["\(labels.count): \(first.joined(separator: ", "))\(more)"])
            }
            list.add("Use", [inspection.task?.rawValue, inspection.head].compactMap(\.self))
            list.add("Assumed", inspection.assumptions)
            list.add("Not for pictures", inspection.problem)
        }
        return list.text
    }

    /// The format of a version; nil if it is not known.
    func format(of number: Int?) -> HostedFormat? {
        versions.first { $0.version == number }?.modelFormat.flatMap { HostedFormat(rawValue: $0) }
    }

    /// A sentence about the labels that are removed and added between two versions; nil if there is nothing to say.
    func labelChange(from old: Int, to new: Int) -> String? {
        func inspection(_ number: Int) -> ModelInspection? {
            versions.first { $0.version == number }.flatMap(\.inspection)
        }
        return ModelInspection.labelChange(from: inspection(old), to: inspection(new))
    }

    /// The labels that are added, removed and renamed between two versions, one by one; nil if they are equal, or not all known.
    func labelDifference(from old: Int, to new: Int) -> LabelDifference? {
        func inspection(_ number: Int) -> ModelInspection? {
            versions.first { $0.version == number }.flatMap(\.inspection)
        }
        return LabelDifference(from: inspection(old), to: inspection(new))
    }

    private static func lines(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isNewline).map(String.init)
    }
}
