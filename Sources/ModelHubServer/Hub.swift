import Foundation
import Logging

/// The operations of the hub, shared by HTTP, the command line, and tests.
public struct Hub: Sendable {
    /// The settings of a hub.
    public struct Options: Sendable {
        /// The largest model file in bytes.
        public var maximumModelSize = 512 << 20
        /// The validity of a download address.
        public var addressLifetime = Duration.seconds(3600)
        /// How long an unreferenced file stays. It must be longer than the validity of a download address.
        public var gracePeriod = Duration.seconds(24 * 3600)
        /// How long an unused upload stays.
        public var unusedUploadLifetime = Duration.seconds(30 * 24 * 3600)

        /// The program `sightline-hub`, which evaluates models and packs labels in separate processes; nil to disable
        /// both.
        public var evaluator: URL?

        /// Creates the default settings.
        public init() {}
    }

    let metadata: any MetadataStore
    let blobs: any BlobStore
    let evaluationFiles: any EvaluationFileStore
    let validator: any ModelValidator
    let uploads: URL
    let options: Options
    let signer: Signer
    /// The bytes of current uploads.
    let ledger = UploadLedger()
    /// Counted downloads that are not written to the database yet.
    let downloads = DownloadCounts()
    /// Uses of credentials that are not written to the database yet.
    let credentialUses = CredentialUses()
    /// Parsed templates of Remote Config.
    let templates = TemplateCache()
    /// The apps that wait for new templates.
    let templateWatch: TemplateWatch
    /// Outcomes of experiments that are not written yet.
    let outcomes = OutcomeQueue()
    /// The running evaluations.
    let evaluations = EvaluationRunner()
    /// The queue for creating thumbnails, by evaluation.
    let thumbnailing = FairQueue(places: 2, placesOfOwner: 1)
    /// The queue for making models from uploaded models, by project.
    let modelMaking = FairQueue(places: 2, placesOfOwner: 1)
    /// The clock, which tests can set.
    let now: @Sendable () -> Timestamp

    /// Creates a hub from its stores. `uploads` is a folder for incomplete uploads; stores with files on this machine
    /// are on the same file system.
    public init(
        metadata: any MetadataStore,
        blobs: any BlobStore,
        evaluationFiles: any EvaluationFileStore,
        validator: any ModelValidator,
        uploads: URL,
        options: Options = Options(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) async throws {
        self.metadata = metadata
        self.blobs = blobs
        self.evaluationFiles = evaluationFiles
        self.validator = validator
        self.uploads = uploads
        self.options = options
        self.now = now
        templateWatch = TemplateWatch { try await metadata.newestTemplateVersions(of: $0) }
        signer = Signer(key: try await metadata.signingKey())
        try SystemCalls.makeFolder(uploads)
    }

    /// Opens the hub in a data folder with `hub.sqlite`, `blobs/` and `uploads/`, and creates them if necessary.
    public init(
        data folder: URL,
        validator: any ModelValidator,
        options: Options = Options(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) async throws {
        try SystemCalls.makeFolder(folder)
        try await self.init(
            metadata: SQLMetadataStore(try SQLiteDatabase.open(folder.appending(path: "hub.sqlite"))),
            blobs: try FileBlobStore(folder: folder.appending(path: "blobs")),
            evaluationFiles: FolderEvaluationFileStore(
                folder: folder.appending(path: FolderEvaluationFileStore.folderName)
            ),
            validator: validator,
            uploads: folder.appending(path: "uploads"),
            options: options,
            now: now
        )
    }

    /// Creates an entry of the audit log.
    func audit(_ caller: Caller, _ action: String, _ target: String, _ detail: String = "") -> AuditEntry {
        AuditEntry(
            time: now(),
            project: caller.project.id,
            actor: caller.actor,
            action: action,
            target: target,
            detail: detail
        )
    }

    /// Creates an entry of the audit log for a change of the whole hub.
    func audit(_ identity: Identity, _ action: String, _ target: String, _ detail: String = "") -> AuditEntry {
        AuditEntry(
            time: now(),
            project: AuditEntry.wholeHub,
            actor: identity.actor,
            action: action,
            target: target,
            detail: detail
        )
    }

    /// Creates a new etag.
    static func makeEtag() -> String { RandomBytes.make(16).hexadecimalText }
}
