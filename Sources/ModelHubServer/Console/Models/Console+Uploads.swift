import Foundation
import Hummingbird
import NIOPosix
import TensorFlowLite

/// Uploads of models.
extension Console {
    private struct NewModelPage: Sendable {
        var limit: String
    }

    func newModelPage(_ visit: ConsoleVisit) -> Response {
        .page(
            "model-new",
            ConsoleChrome(title: "New model", visit: visit),
            NewModelPage(limit: ConsoleText.bytes(hub.options.maximumModelSize))
        )
    }

    /// A new model from an uploaded file.
    func createModel(_ visit: ConsoleVisit) async throws -> Response {
        try visit.caller.require(.publish)
        let upload = try await ConsoleUpload(visit, limits: uploadLimits)
        guard let file = upload.files["model"] else { throw Self.noFile }
        var name = upload.form["name"]
        if name.isEmpty { name = Self.modelName(from: file.name) }
        // Before the file is stored, which would be for nothing.
        try ModelRules.check(displayName: name)
        let tags = Self.tags(upload.form["tags"])
        try ModelRules.check(tags: tags)
        guard try await hub.metadata.model(named: name, of: visit.caller.project.id) == nil else {
            throw HubError(
                .alreadyExists,
                "There is a model \(name) already; choose another name, or upload the file as a new version on its page."
            )
        }
        let object = try await store(file, labels: upload.files["labels"], of: name, by: visit.caller)
        let input = ModelInput(displayName: name, tags: tags, tfliteModel: .init(gcsTfliteUri: object.uri))
        let model = try await hub.createModel(input, by: visit.caller)
        return try await finish(visit, model, "\(name) was uploaded.", publishing: upload.form["publish"] == "yes")
    }

    /// A new version of a model.
    func addVersion(_ visit: ConsoleVisit, to model: ModelRecord) async throws -> Response {
        try visit.caller.require(.publish)
        let upload = try await ConsoleUpload(visit, limits: uploadLimits)
        guard let file = upload.files["model"] else { throw Self.noFile }
        let object = try await store(file, labels: upload.files["labels"], of: model.displayName, by: visit.caller)
        var patch = ModelPatch()
        patch.file = .set(.uri(object.uri))
        let changed = try await hub.patchModel(model.id, patch, by: visit.caller)
        let isNew = changed.file != model.file
        let text =
            isNew
            ? "Version \(changed.file?.version ?? 1) was uploaded."
            : "The file is the same as that of the version that is served; nothing has changed."
        return try await finish(visit, changed, text, publishing: upload.form["publish"] == "yes")
    }

    /// Publishes a model if that was wished and can be, and goes on to its page.
    private func finish(
        _ visit: ConsoleVisit,
        _ model: ModelRecord,
        _ text: String,
        publishing: Bool
    ) async throws -> Response {
        if let error = model.validationError {
            try await say(isError: true, "\(text) It cannot be published: \(error.message)", to: visit)
        } else if publishing, !model.isPublished {
            _ = try await hub.patchModel(model.id, .publication(true), by: visit.caller)
            try await say(isError: false, "\(text) It is published.", to: visit)
        } else {
            try await say(isError: false, text, to: visit)
        }
        return try .seeOther(Self.path(of: model), for: visit.request)
    }

    private var uploadLimits: [String: (byteCount: Int, refusal: HubError)] {
        let limit = hub.options.maximumModelSize
        return [
            "model": (
                limit,
                HubError(
                    .resourceExhausted,
                    "The model has more than the \(ConsoleText.bytes(limit)) that this hub takes; see --max-model-size of `sightline hub "
                        + "serve`.",
                    httpStatus: 413
                )
            ),
            "labels": (
                Self.labelLimit,
                HubError(
                    .invalidArgument,
                    "The label file has more than \(ConsoleText.bytes(Self.labelLimit)).",
                    httpStatus: 413
                )
            ),
        ]
    }

    private static let labelLimit = 1 << 20

    private static let noFile = HubError(
        .invalidArgument,
        "No model was chosen; drop a .tflite file on the page, or choose one."
    )

    /// Keeps a file in the hub's storage, with labels packed into it if there are some.
    private func store(
        _ file: ConsoleUpload.File,
        labels: ConsoleUpload.File?,
        of name: String,
        by caller: Caller
    ) async throws -> StorageObject {
        let staged: StagedFile
        let summary: StagedFile.Summary
        if let labels {
            _ = try file.staged.finish()
            _ = try labels.staged.finish()
            let packed = try await Self.pack(labels.staged.url, named: labels.name, into: file.staged.url)
            staged = try hub.stage(for: caller.project)
            try packed.withUnsafeBytes { bytes in
                Result { () throws(HubError) in try staged.append(bytes) }
            }.get()
            summary = try staged.finish()
        } else {
            staged = file.staged
            summary = try staged.finish()
        }
        // The hash in the object's name keeps versions apart.
        let address = try ObjectAddress(bucket: "models", name: "\(name)/\(summary.hash.text.prefix(12))/\(file.name)")
        let type = "application/octet-stream"
        return try await hub.keep(
            summary,
            at: staged.url,
            entry: staged.entry,
            as: address,
            contentType: type,
            by: caller
        )
    }

    /// Packs labels on a thread of its own; with a large model it takes a while.
    private static func pack(_ labels: URL, named name: String, into model: URL) async throws -> Data {
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                try ModelLabels.pack(
                    try Data(contentsOf: labels),
                    fileName: name,
                    into: try Data(contentsOf: model, options: .mappedIfSafe)
                )
            }
        } catch let error as ModelLabelsError {
            throw HubError(.invalidArgument, "The labels cannot be packed into the model: \(error)")
        }
    }

    /// A model's name made of that of a file: `Plant model.v2.tflite` becomes `Plant-model-v2`.
    static func modelName(from fileName: String) -> String {
        let stem = fileName.hasSuffix(".tflite") ? fileName.dropLast(".tflite".count) : Substring(fileName)
        let parts = stem.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        return String(parts.joined(separator: "-").drop { !$0.isLetter }.prefix(32))
    }
}

extension ModelPatch {
    /// Publishes or withdraws a model.
    static func publication(_ isPublished: Bool) -> ModelPatch {
        var patch = ModelPatch()
        patch.isPublished = .set(isPublished)
        return patch
    }
}
