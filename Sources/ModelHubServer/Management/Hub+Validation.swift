import Foundation
import ModelHubProtocol

/// The result of validating a model's file.
enum ValidatedFile: Sendable {
    case removed
    case autoML(String)
    case unusable(uri: String, ModelRecord.ValidationError)
    case usable(Usable)

    /// A file that may be published.
    struct Usable: Sendable {
        var uri: String
        var hash: BlobHash
        var byteCount: Int
        var uploadTime: Timestamp
        /// Its inputs, outputs and use, in JSON.
        var inspection: String
        /// The reason why the hub cannot run the file, if it cannot.
        var warning: String?

        /// Fills a model's card from the metadata in the file if it is the model's first.
        func describe(_ model: inout ModelRecord, after versions: [ModelVersion]) {
            guard versions.isEmpty, model.card.isEmpty else { return }
            model.card = ModelCard(inspection: inspection)
        }

        /// The version that the file becomes.
        func version(after versions: [ModelVersion], by actor: String, at time: Timestamp) -> ModelVersion {
            ModelVersion(
                number: (versions.map(\.number).max() ?? 0) + 1,
                hash: hash,
                byteCount: byteCount,
                createTime: time,
                actor: actor,
                source: uri,
                inspection: inspection,
                warning: warning
            )
        }
    }

    /// Assigns the file to a model, which serves it; returns the new version, if there is one.
    func apply(to model: inout ModelRecord, versions: [ModelVersion], by actor: String, at time: Timestamp)
        -> ModelVersion?
    {
        switch self {
        case .removed:
            model.source = nil
            model.validationError = .noFile
            return nil
        case .autoML(let name):
            model.source = .autoML(name: name)
            model.validationError = .init(
                code: RPCCode.unimplemented.rawValue,
                message: "The hub has no AutoML; export the model as a .tflite file and upload that."
            )
            return nil
        case .unusable(let uri, let error):
            model.source = .object(uri: uri)
            model.validationError = error
            return nil
        case .usable(let usable):
            let (uri, hash) = (usable.uri, usable.hash)
            // SDKs send the address with every change. If a version already uses the upload, nothing changes; otherwise
            // such a repetition would undo a rollback.
            let isEcho = versions.contains { $0.source == uri && $0.hash == hash && $0.createTime >= usable.uploadTime }
            if isEcho, model.source == .object(uri: uri), model.validationError == nil { return nil }
            model.source = .object(uri: uri)
            model.validationError = nil
            usable.describe(&model, after: versions)
            // The same bytes are not a new version.
            if let file = model.file, file.hash == hash { return nil }
            let version = usable.version(after: versions, by: actor, at: time)
            model.serve(version)
            return version
        }
    }
}

extension Hub {
    /// Finds a file in the hub's storage and validates it.
    func validate(_ input: ModelPatch.FileInput, for caller: Caller) async throws -> ValidatedFile {
        switch input {
        case .none: return .removed
        case .autoML(let name): return .autoML(String(name.prefix(256)))
        case .uri(let text):
            let address = try ObjectAddress(parsing: text)
            let object = try await records.object(address.name, in: address.bucket, of: caller.project.id)
            guard let object else {
                return .unusable(
                    uri: address.uri,
                    .init(
                        code: RPCCode.notFound.rawValue,
                        message: "The hub's storage has no \(address.uri); upload the file to it first."
                    )
                )
            }
            let file = try await blobs.open(object.hash)
            func usable(_ inspection: String, warning: String? = nil) -> ValidatedFile {
                .usable(
                    .init(
                        uri: object.uri,
                        hash: object.hash,
                        byteCount: object.byteCount,
                        uploadTime: object.createTime,
                        inspection: inspection,
                        warning: warning
                    )
                )
            }
            let validation = try await withPath(of: file) { path in
                await validator.validation(of: BlobFile(hash: object.hash, path: path), for: caller.project.id)
            }
            switch validation {
            case .valid(let inspection): return usable(inspection)
            case .unrunnable(let reason): return usable("null", warning: reason)
            case .invalid(let message):
                return .unusable(
                    uri: object.uri,
                    .init(code: RPCCode.invalidArgument.rawValue, message: message)
                )
            case .unavailable(let message):
                return .unusable(uri: object.uri, .init(code: RPCCode.unavailable.rawValue, message: message))
            }
        }
    }
}
