import Foundation
import Hummingbird
import ModelHubProtocol
import Sightline
import TensorFlowLite
import TextFormatting

/// Uploads of models.
extension Console {
    private struct NewModelPage: Sendable {
        var limit: String
    }

    func newModelPage(_ visit: ConsoleVisit) -> Response {
        .page(
            "model-new",
            ConsoleChrome(title: "New model", visit: visit),
            NewModelPage(limit: NumberText.bytes(hub.options.maximumModelSize))
        )
    }

    /// Creates a model from an uploaded file.
    @Sendable
    func createModel(_ visit: ConsoleVisit) async throws -> Response {
        try visit.caller.require(.publisher)
        let upload = try await ConsoleUpload(visit, limits: uploadLimits)
        guard let file = upload.files["model"] else { throw Self.noFile }
        var name = upload.form["name"]
        if name.isEmpty { name = Self.modelName(from: file.name) }
        // Checked before the file is stored, which could be in vain.
        try ModelRules.check(displayName: name)
        let tags = Self.tags(upload.form["tags"])
        try ModelRules.check(tags: tags)
        let card = try Self.newCard(in: upload.form)
        try ModelRules.check(notes: upload.form.text("notes"))
        guard try await hub.records.model(named: name, of: visit.caller.project.id) == nil else {
            throw HubError(
                .alreadyExists,
                "The model \(name) already exists; choose another name, or upload the file as a new version on its page."
            )
        }
        let object = try await store(file, labels: upload.files["labels"], of: name, by: visit.caller)
        let input = ModelInput(displayName: name, tags: tags, tfliteModel: .init(gcsTfliteUri: object.uri))
        var model = try await hub.createModel(input, by: visit.caller)
        if !card.isEmpty { model = try await hub.changeCard(of: model.id, card, by: visit.caller) }
        model = try await note(upload.form.text("notes"), on: model.file?.version, of: model, visit)
        let cut =
            Self.isCut(file.name, asked: upload.form["name"])
            ? " Its file has a longer name than a model can have." : ""
        return try await finish(
            visit,
            model,
            "\(name) was uploaded.\(cut)",
            publishing: upload.form["publish"] == "yes",
            thenTo: .overview
        )
    }

    /// Adds a version to a model.
    @Sendable
    func addVersion(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        try visit.caller.require(.publisher)
        let upload = try await ConsoleUpload(visit, limits: uploadLimits)
        guard let file = upload.files["model"] else { throw Self.noFile }
        try ModelRules.check(notes: upload.form.text("notes"))
        let object = try await store(file, labels: upload.files["labels"], of: model.displayName, by: visit.caller)
        let notes = upload.form.text("notes")
        if upload.form["stage"] == "yes" { return try await stage(object, notes, visit, model) }
        var patch = ModelPatch()
        patch.file = .set(.uri(object.uri))
        var changed = try await hub.patchModel(model.id, patch, by: visit.caller)
        let isNew = changed.file != model.file
        if isNew { changed = try await note(notes, on: changed.file?.version, of: changed, visit) }
        let notice = try await labelNotice(from: model, to: changed, visit)
        let text =
            isNew
            ? "Version \(changed.file?.version ?? 1) was uploaded.\(notice)"
            : "The file equals the file of the served version; nothing changed."
        return try await finish(
            visit,
            changed,
            text,
            publishing: upload.form["publish"] == "yes",
            thenTo: .versions
        )
    }

    /// Sets the notes on a new version, if there are any.
    private func note(
        _ notes: String,
        on number: Int?,
        of model: ModelRecord,
        _ visit: ConsoleVisit
    ) async throws -> ModelRecord {
        guard let number, !notes.isEmpty else { return model }
        return try await hub.setNotes(model.id, ofVersion: number, to: notes, by: visit.caller)
    }

    /// Makes an upload the staged version of a model, and redirects to the model's page.
    private func stage(
        _ object: StorageObject,
        _ notes: String,
        _ visit: ConsoleVisit,
        _ model: ModelRecord
    ) async throws -> Response {
        let added = try await hub.addVersion(object.uri, toModelNamed: model.displayName, by: visit.caller)
        let number = added.version.number
        return try await change(visit, thenTo: Self.path(of: model, .versions)) {
            if added.model.file?.version == number {
                return "The file equals the file of the served version; nothing changed."
            }
            _ = try await note(notes, on: number, of: added.model, visit)
            _ = try await hub.setAlias(.staging, of: model.id, to: number, by: visit.caller)
            // The list of versions explains a warning.
            let warning = added.version.warning == nil ? "" : " The hub cannot run it."
            return "Version \(number) is staged. Evaluate it, then serve it.\(warning)"
        }
    }

    /// Publishes a model if this was requested and is possible, and redirects to a part of its page.
    private func finish(
        _ visit: ConsoleVisit,
        _ model: ModelRecord,
        _ text: String,
        publishing: Bool,
        thenTo part: ModelPart
    ) async throws -> Response {
        // The model's page explains a warning.
        let warning = model.file?.warning == nil ? "" : " The hub cannot run it."
        if let error = model.validationError {
            try await say(isError: true, "\(text) It cannot be published: \(error.message)", to: visit)
        } else if publishing, !model.isPublished {
            _ = try await hub.patchModel(model.id, .publication(true), by: visit.caller)
            try await say(isError: false, "\(text) It is published.\(warning)", to: visit)
        } else {
            try await say(isError: false, text + warning, to: visit)
        }
        return try .seeOther(Self.path(of: model, part), for: visit.request)
    }

    private var uploadLimits: [String: (byteCount: Int, refusal: HubError)] {
        let limit = hub.options.maximumModelSize
        return [
            "model": (
                limit,
                HubError(
                    .resourceExhausted,
                    "The model has more than \(NumberText.bytes(limit)), the limit of this hub; see --max-model-size of `sightline hub "
                        + "serve`.",
                    httpStatus: 413
                )
            ),
            "labels": (
                Self.labelLimit,
                HubError(
                    .invalidArgument,
                    "The label file has more than \(NumberText.bytes(Self.labelLimit)).",
                    httpStatus: 413
                )
            ),
        ]
    }

    private static let labelLimit = 1 << 20

    private static let noFile = HubError(
        .invalidArgument,
        "No model was chosen; drop a .tflite or .onnx file on the page, or choose one."
    )

    /// Stores a file in the hub's storage, with labels packed into it if there are any.
    private func store(
        _ file: ConsoleUpload.File,
        labels: ConsoleUpload.File?,
        of name: String,
        by caller: Caller
    ) async throws -> StorageObject {
        let summary = try file.staged.finish()
        try Self.checkKind(of: file)
        guard let labels else {
            return try await keep(summary, at: file.staged.url, file.staged.entry, file.name, name, caller)
        }
        _ = try labels.staged.finish()
        let packed = try await hub.pack(
            labels.staged.url,
            named: labels.name,
            into: file.staged.url,
            of: caller.project
        )
        defer { withExtendedLifetime(packed) {} }
        return try await keep(try packed.finish(), at: packed.url, packed.entry, file.name, name, caller)
    }

    /// Refuses a file of another kind, by its first bytes, before anything is kept of it.
    private static func checkKind(of file: ConsoleUpload.File) throws {
        let head =
            try FileHandle(forReadingFrom: file.staged.url).read(upToCount: ModelFormat.recognizedBytes) ?? Data()
        guard !ModelFormat.isONNX(head), let error = head.withUnsafeBytes({ ModelError(foreign: $0) }) else { return }
        throw HubError(.invalidArgument, "\(file.name) cannot be uploaded. \(error)")
    }

    private func keep(
        _ summary: FileSummary,
        at url: URL,
        _ entry: UploadLedger.Entry?,
        _ fileName: String,
        _ name: String,
        _ caller: Caller
    ) async throws -> StorageObject {
        // The hash in the object's name distinguishes versions.
        let address = try ObjectAddress(bucket: "models", name: "\(name)/\(summary.hash.text.prefix(12))/\(fileName)")
        return try await hub.keep(
            summary,
            at: url,
            entry: entry,
            as: address,
            contentType: "application/octet-stream",
            by: caller
        )
    }

    /// Whether a model has the beginning of its file's name, because it was given no name.
    private static func isCut(_ fileName: String, asked: String) -> Bool {
        asked.isEmpty && wholeName(from: fileName).count > 32
    }

    /// A model's name from a file name: `Plant model.v2.tflite` becomes `Plant-model-v2`.
    static func modelName(from fileName: String) -> String { String(wholeName(from: fileName).prefix(32)) }

    private static func wholeName(from fileName: String) -> Substring {
        let ending = HostedFormat.allCases.map { ".\($0.fileExtension)" }.first(where: fileName.hasSuffix) ?? ""
        let stem = fileName.dropLast(ending.count)
        let parts = stem.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        return parts.joined(separator: "-").drop { !$0.isLetter }
    }
}

extension ModelPatch {
    /// A patch that publishes or withdraws a model.
    static func publication(_ isPublished: Bool) -> ModelPatch {
        var patch = ModelPatch()
        patch.isPublished = .set(isPublished)
        return patch
    }
}
