import ModelHubProtocol
import TextFormatting

/// A version in the list on a model's page.
struct ModelVersionView: Sendable {
    /// A version in a form's menu.
    struct Choice: Sendable {
        var number: String
        var title: String
        var isChosen: Bool
    }

    /// The last evaluation of the version.
    struct Evaluation: Sendable {
        var path: String
        var text: String
        /// The comparison with the version that was served then; nil if there is none.
        var comparison: String?
    }

    /// The signature of the version for an alias.
    struct Signature: Sendable {
        var text: String
        /// A class of the style sheet.
        var kind: String
        /// The whole id of the key.
        var key: String
    }

    var number: String
    var isServed: Bool
    var isStaged: Bool
    /// The aliases except `production` and `staging`.
    var aliases: [String]
    var canBeServed: Bool
    var canBeStaged: Bool
    var hash: String
    var shortHash: String
    var size: String
    /// The name of a format that not all clients read; nil for TensorFlow Lite.
    var format: String?
    var created: ConsoleTime
    /// The name of the caller who added it.
    var actor: String
    /// Notes that fit into a row.
    var notes: String
    /// Longer notes, which a click shows.
    var longNotes: String
    var notesPath: String
    /// The name of the uploaded file.
    var fileName: String
    var filePath: String
    var threshold: String
    var evaluation: Evaluation?
    /// A threshold that rests on no evaluation of this hub, as that of `sightline hub evaluate --store-threshold`; nil otherwise.
    var storedThreshold: String?
    var downloads: String
    /// Empty if the project has no signing keys, or clients cannot ask for the version.
    var signatures: [Signature]
}

extension ModelVersionView {
    /// The number of characters that a row shows at once.
    private static let longestNotes = 200

    /// The rows of some versions of a model.
    ///
    /// - Parameters:
    ///   - versions: The versions, newest first.
    ///   - evaluations: The model's evaluations, newest first.
    ///   - manifests: The state of the manifests of the model's aliases.
    static func rows(
        of model: ModelRecord,
        _ versions: some Collection<ModelVersion>,
        _ evaluations: [EvaluationRecord],
        _ manifests: [ManifestStatus],
        _ hub: Hub,
        by caller: Caller
    ) async throws -> [ModelVersionView] {
        let downloads = try await hub.downloadCounts(of: model.id, versions: versions)
        let formats = await hub.formats(of: versions)
        let canPublish = caller.role >= .publisher
        return versions.map { version in
            let evaluation = evaluations.first { $0.version == version.number && $0.state == .done }
            let isServed = version.number == model.file?.version
            let isStaged = version.number == model.aliases[.staging]
            return ModelVersionView(
                number: "\(version.number)",
                isServed: isServed,
                isStaged: isStaged,
                aliases: model.aliases.filter { $0.key != .staging && $0.value == version.number }.keys
                    .map(\.rawValue).sorted(),
                canBeServed: canPublish && !isServed,
                canBeStaged: canPublish && !isServed && !isStaged,
                hash: version.hash.text,
                shortHash: String(version.hash.text.prefix(12)),
                size: NumberText.bytes(version.byteCount),
                format: formats[version.hash].flatMap { $0 == .tensorFlowLite ? nil : $0.title },
                created: ConsoleTime(version.createTime),
                actor: ConsoleChrome.name(of: version.actor),
                notes: version.notes.count > longestNotes ? "" : version.notes,
                longNotes: version.notes.count > longestNotes ? version.notes : "",
                notesPath: "\(Console.path(of: model))/versions/\(version.number)/notes",
                fileName: version.source.split(separator: "/").last.map(String.init) ?? "",
                filePath: "\(Console.path(of: model))/versions/\(version.number)/file",
                threshold: version.confidenceThreshold.map { "\($0)" } ?? "–",
                evaluation: evaluation.map { .init($0) },
                storedThreshold: evaluation == nil
                    ? version.confidenceThreshold.map {
                        "Threshold \($0) was stored by a person or command, without pictures in the hub"
                    }
                    : nil,
                downloads: NumberText.grouped(downloads[version.number] ?? 0),
                signatures: manifests.filter { $0.version == version.number }.map { .init($0) }
            )
        }
    }
}

extension ModelVersionView.Signature {
    init(_ status: ManifestStatus) {
        let place = status.alias == .production ? "" : " for \(status.alias)"
        let end = status.manifest.map { ConsoleText.day(Timestamp(milliseconds: $0.expires * 1000)) } ?? ""
        (text, kind) =
            switch status.state {
            case .unsigned: ("Not signed\(place)", "neutral")
            case .valid: ("Signed\(place) until \(end)", "good")
            case .endsSoon: ("Signed\(place) only until \(end)", "warning")
            case .ended: ("Signature\(place) ended on \(end)", "bad")
            case .outdated: ("Signed\(place) with another threshold", "warning")
            }
        if let name = status.keyName { text += " by \(name)" }
        key = status.manifest?.key ?? ""
    }
}

extension ModelVersionView.Evaluation {
    init(_ evaluation: EvaluationRecord) {
        path = Console.path(of: evaluation)
        text = evaluation.scoreText ?? "–"
        guard let served = evaluation.served, let found = evaluation.storedComparison else { return }
        comparison =
            "Version \(served.number): \(found.summary); this version runs \(NumberText.decimal(found.speedup, 2)) times as fast"
    }
}

extension ModelVersionView.Choice {
    /// - Parameter isChosen: Whether the menu shows the version at first.
    init(_ version: ModelVersion, of model: ModelRecord, isChosen: Bool) {
        number = "\(version.number)"
        let state =
            version.number == model.file?.version
            ? ", served" : version.number == model.aliases[.staging] ? ", staged" : ""
        title = "Version \(version.number)\(state)"
        self.isChosen = isChosen
    }
}
