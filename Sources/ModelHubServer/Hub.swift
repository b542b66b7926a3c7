import Foundation
import HTTPServing
import Logging

/// The operations of the hub, shared by HTTP, the command line, and tests.
package struct Hub: Sendable {
    /// The settings of a hub.
    package struct Options: Sendable {
        /// The largest model file in bytes.
        package var maximumModelSize = 512 << 20
        /// The validity of a download address.
        package var addressLifetime = Duration.seconds(3600)
        /// The time for which an unreferenced file stays. It must be longer than the validity of a download address.
        package var gracePeriod = Duration.seconds(24 * 3600)
        /// The time for which an unused upload stays.
        package var unusedUploadLifetime = Duration.seconds(30 * 24 * 3600)
        /// The time between two checks of rollouts.
        package var rolloutInterval = Duration.seconds(60)
        /// The time between two looks for changes that webhooks have to deliver.
        package var webhookInterval = Duration.seconds(1)
        /// The hosts to which webhooks may go: all with public addresses, and those that the operator names.
        package var webhookHosts = AllowedHosts(["*"]) ?? AllowedHosts()
        /// Looks up the hosts of webhooks.
        package var nameLookUps = NameLookUps.shared

        /// The provider with whose accounts people sign in to the console; nil for none.
        package var openID: OpenIDSettings?

        /// The time between two looks for trainings that wait.
        package var trainingInterval = Duration.seconds(1)
        /// The time without a sign of life after which another hub takes over a training. The clocks of hubs differ by less.
        package var trainingLease = Duration.seconds(60)
        /// The classifier whose network trainings use; nil for the built-in network.
        package var trainingStart: TrainingStart?

        /// The program `sightline-hub`, which evaluates models and packs labels in separate processes; nil to disable
        /// both.
        package var evaluator: URL?

        /// Creates the default settings.
        package init() {}
    }

    let records: HubRecords
    let blobs: any BlobStore
    let evaluationFiles: any EvaluationFileStore
    let pieces: any UploadPieceStore
    let validator: any ModelValidator
    let uploads: URL
    let placeOfFiles: HubFiles.Place
    let options: Options
    let signer: Signer
    /// The bytes of current uploads.
    let ledger = UploadLedger()
    /// Counted downloads that are not written to the database yet.
    let downloads = DownloadCounts()
    /// The formats of files that were read before.
    let formats = FileFormats()
    /// Uses of credentials that are not written to the database yet.
    let credentialUses = CredentialUses()
    /// Parsed templates of Remote Config.
    let templates = TemplateCache()
    /// The apps that wait for new templates.
    let templateWatch: TemplateWatch
    /// Outcomes of experiments that are not written yet.
    let outcomes = OutcomeQueue()
    /// The causes of failures that were logged.
    let failures = FailureLog()
    /// The running evaluations.
    let evaluations = EvaluationRunner()
    /// The queue for creating thumbnails, by evaluation.
    let thumbnailing = FairQueue(places: 2, placesOfOwner: 1)
    /// The queue for making models from uploaded models, by project.
    let modelMaking = FairQueue(places: 2, placesOfOwner: 1)
    /// The queue for trying models with pictures, by project.
    let trials = FairQueue(places: 2, placesOfOwner: 1)
    /// The queue for reading the photos of data sets, by project.
    let photoReading = FairQueue(places: 2, placesOfOwner: 1)
    /// The queue for showing photos of data sets, by project.
    let photoShowing = FairQueue(places: 2, placesOfOwner: 1)
    /// The photos of a project that the hub receives, keeps for the queue, or tries.
    let trialPhotos = OwnerLimit(
        12,
        refusal: HubError(
            .resourceExhausted,
            "The hub is already trying 12 photos of this project; try again in a moment.",
            retryAfter: .seconds(5)
        )
    )
    /// The provider with whose accounts people sign in to the console; nil for none.
    let openID: OpenIDProvider?
    /// Notices that the clock was set.
    let housekeepingClock = HousekeepingClock()
    /// The clock, which tests can set.
    let now: @Sendable () -> Timestamp

    /// Creates a hub from its stores. `uploads` is a folder for files that are being received; stores with files on this
    /// machine are on the same file system.
    package init(
        records: HubRecords,
        blobs: any BlobStore,
        evaluationFiles: any EvaluationFileStore,
        validator: any ModelValidator,
        uploads: URL,
        options: Options = Options(),
        now: (@Sendable () -> Timestamp)? = nil
    ) async throws {
        let files = HubFiles(
            blobs: blobs,
            evaluationFiles: evaluationFiles,
            pieces: FolderPieceStore(folder: uploads),
            uploads: uploads
        )
        try await self.init(records: records, files: files, validator: validator, options: options, now: now)
    }

    /// Creates a hub from its stores.
    package init(
        records: HubRecords,
        files: HubFiles,
        validator: any ModelValidator,
        options: Options = Options(),
        now: (@Sendable () -> Timestamp)? = nil
    ) async throws {
        self.records = records
        blobs = files.blobs
        evaluationFiles = files.evaluationFiles
        pieces = files.pieces
        uploads = files.uploads
        placeOfFiles = files.place
        self.validator = validator
        self.options = options
        openID = options.openID.map { OpenIDProvider($0) }
        self.now = now ?? { records.now() }
        templateWatch = TemplateWatch { try await records.newestTemplateVersions(of: $0) }
        signer = Signer(key: try await records.signingKey())
        try SystemCalls.makeFolder(uploads)
    }

    /// Opens the hub in a data folder with `hub.sqlite`, `blobs/` and `uploads/`, and creates them if necessary.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - database: The address of a PostgreSQL database for the records, `postgres://user@host:port/database`; nil for
    ///     `hub.sqlite` in the folder.
    ///   - files: The stores of its files; nil for stores in the data folder.
    ///   - validator: The check of uploaded models.
    ///   - options: The settings.
    ///   - now: The clock; nil for that of the records.
    /// - Throws: `.unavailable` if the database cannot be reached; `.failedPrecondition` if a newer hub wrote the records, or
    ///   if their files lie in another place.
    package init(
        data folder: URL,
        database: String? = nil,
        files: HubFiles? = nil,
        validator: any ModelValidator,
        options: Options = Options(),
        now: (@Sendable () -> Timestamp)? = nil
    ) async throws {
        try SystemCalls.makeFolder(folder)
        try await self.init(
            records: try await Self.records(in: database, or: folder),
            files: try files ?? .folder(folder),
            validator: validator,
            options: options,
            now: now
        )
        try await checkPlaceOfFiles()
    }

    private static func records(in database: String?, or folder: URL) async throws -> HubRecords {
        if let database { return HubRecords(try await PostgresDatabase(try PostgresAddress(database))) }
        return HubRecords(try SQLiteDatabase.open(folder.appending(path: "hub.sqlite")))
    }

    /// Closes the records. Nothing may use the hub afterward.
    package func close() async throws { try await records.close() }

    /// Creates an entry of the audit log.
    func audit(
        _ caller: Caller,
        _ action: String,
        _ target: String,
        _ detail: String = "",
        event: WebhookEvent? = nil
    ) -> AuditEntry {
        AuditEntry(
            time: now(),
            project: caller.project.id,
            actor: caller.actor,
            action: action,
            target: target,
            detail: detail,
            event: event
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
