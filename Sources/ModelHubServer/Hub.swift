import Foundation
import Logging

/// What the hub does, whoever asks: over HTTP, on the command line, or in a test.
public struct Hub: Sendable {
    /// Settings of what the hub does.
    public struct Options: Sendable {
        /// The largest model file in bytes.
        public var maximumModelSize = 512 << 20
        /// How long a download address is valid.
        public var addressLifetime = Duration.seconds(3600)
        /// How long a file that nothing refers to stays. Longer than any download address is valid.
        public var gracePeriod = Duration.seconds(24 * 3600)
        /// How long an upload that no model uses stays.
        public var unusedUploadLifetime = Duration.seconds(30 * 24 * 3600)

        /// The program `sightline-hub`, which evaluates models and packs labels in processes of its own; nil where neither is done.
        public var evaluator: URL?

        /// The settings that a hub has unless told otherwise.
        public init() {}
    }

    let metadata: any MetadataStore
    let blobs: any BlobStore
    let validator: any ModelValidator
    let uploads: URL
    let options: Options
    let signer: Signer
    /// The bytes of uploads that are received at this moment.
    let ledger = UploadLedger()
    /// Downloads that are counted but not in the records yet.
    let downloads = DownloadCounts()
    /// Templates of Remote Config that the hub has parsed.
    let templates = TemplateCache()
    /// Outcomes of experiments that wait to be written.
    let outcomes = OutcomeQueue()
    /// Evaluations that go on.
    let evaluations = EvaluationRunner()
    /// Turns at making thumbnails, by evaluation.
    let thumbnailing = FairQueue(places: 2, placesOfOwner: 1)
    /// Turns at packing labels, by project.
    let packing = FairQueue(places: 2, placesOfOwner: 1)
    /// The clock; tests set it forward.
    let now: @Sendable () -> Timestamp

    /// A hub over stores. What is being received lies in `uploads`, a folder on the same file system as the files of `blobs`.
    public init(
        metadata: any MetadataStore,
        blobs: any BlobStore,
        validator: any ModelValidator,
        uploads: URL,
        options: Options = Options(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) async throws {
        self.metadata = metadata
        self.blobs = blobs
        self.validator = validator
        self.uploads = uploads
        self.options = options
        self.now = now
        signer = Signer(key: try await metadata.signingKey())
        try SystemCalls.makeFolder(uploads)
    }

    /// The hub of a data folder: `hub.sqlite`, `blobs/` and `uploads/` in it, made if need be.
    public init(
        data folder: URL,
        validator: any ModelValidator,
        options: Options = Options(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) async throws {
        try SystemCalls.makeFolder(folder)
        let metadata: SQLiteMetadataStore
        // It holds the signing key; what SQLite puts beside it gets the same permissions.
        let descriptor = open(folder.appending(path: "hub.sqlite").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        do {
            metadata = try SQLiteMetadataStore(folder.appending(path: "hub.sqlite"))
        } catch {
            throw HubError(
                .internal,
                "The database \(folder.appending(path: "hub.sqlite").path) cannot be opened (\(error)); check the folder's permissions, "
                    + "or restore a backup."
            )
        }
        try await self.init(
            metadata: metadata,
            blobs: try FileBlobStore(folder: folder.appending(path: "blobs")),
            validator: validator,
            uploads: folder.appending(path: "uploads"),
            options: options,
            now: now
        )
    }

    /// A line of the audit log.
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

    /// A new etag.
    static func makeEtag() -> String { Hexadecimal.text(RandomBytes.make(16)) }
}

/// Who asks, and for which project.
public struct Caller: Sendable, Hashable {
    /// The project that the credential belongs to.
    public var project: Project
    /// What may be done.
    public var role: Role
    /// For the audit log.
    public var actor: String

    /// The one who runs commands on the hub's machine; may do all.
    public static func local(_ project: Project) -> Caller { Caller(project: project, role: .admin, actor: "local") }

    func require(_ needed: Role) throws(HubError) {
        guard role >= needed else {
            throw HubError(
                .permissionDenied,
                "This needs the role \(needed.rawValue), but the credential has the role \(role.rawValue); use another, or make one with "
                    + "`sightline hub key create`."
            )
        }
    }
}
