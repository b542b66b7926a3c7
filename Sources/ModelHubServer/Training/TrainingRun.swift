import Foundation
import HTTPServing
import ModelHubProtocol
import Synchronization

/// The work on a training, from its photos to a staged version.
struct TrainingRun: Sendable {
    private let training: Training
    private let hub: Hub
    private let worker: String

    /// The longest time of the process.
    private static let timeout = Duration.seconds(3600)
    /// The time between two signs of life.
    private static let beat = Duration.seconds(1)

    /// The training is no longer that of this hub: it was canceled or deleted, or another hub took it over.
    private struct Lost: Error {}

    init(_ training: Training, on hub: Hub, as worker: String) {
        (self.training, self.hub, self.worker) = (training, hub, worker)
    }

    /// Runs the training.
    ///
    /// - Returns: The training as it ended. One that could not be ended waits again.
    func run() async throws -> Training {
        guard training.attempts <= Training.maximumAttempts else {
            return try await fail(
                "The hub ended \(Training.maximumAttempts) times while it trained; train on fewer photos, or look into its log."
            )
        }
        do {
            let progress = SharedValue(Training.Progress(stage: .reading))
            return try await withThrowingTaskGroup(of: Training?.self) { group in
                group.addTask {
                    try await keepAlive(progress)
                    return nil
                }
                group.addTask { try await work(progress) }
                defer { group.cancelAll() }
                while let ended = try await group.next() {
                    if let ended { return ended }
                }
                throw Lost()
            }
        } catch is Lost {
            // Canceled, deleted, or done a moment ago.
            var lost = training
            lost.state = .cancelled
            return try await hub.records.training(training.id, of: training.project) ?? lost
        } catch is CancellationError {
            // The hub stops, in a separate task because this one is canceled.
            try? await Task { try await waitAgain() }.value
            throw CancellationError()
        } catch let error as HubError where error.code == .unavailable {
            // The disk is full, or a store cannot be reached.
            try await waitAgain()
            throw error
        } catch {
            return try await fail((error as? HubError)?.message ?? "The training failed: \(error)")
        }
    }

    /// Records signs of life until the training is lost.
    private func keepAlive(_ progress: SharedValue<Training.Progress>) async throws {
        var last = ContinuousClock.now
        while true {
            try await Task.sleep(for: Self.beat)
            do {
                let isOwn = try await hub.records.keepTraining(training.id, as: worker, progress.value, at: hub.now())
                guard isOwn else { throw Lost() }
                last = .now
            } catch let error as HubError {
                // Another hub takes over what gives no sign of life.
                guard ContinuousClock.now - last < hub.options.trainingLease / 2 else { throw error }
            }
        }
    }

    private func work(_ progress: SharedValue<Training.Progress>) async throws -> Training {
        guard let project = try await hub.records.project(training.project) else { throw Lost() }
        let folder = try TrainingFolder(in: hub.uploads)
        let files = try await fill(folder)
        let trained = TrainedModel(hub, of: project, progress)
        try await hub.noteUsage(of: project.id)
        let start = hub.options.trainingStart
        let process = WorkerProcess(
            hub.options.evaluator ?? URL(filePath: "/"),
            [training.kind.workerCommand, folder.url.path]
                + (start.map { ["--start", $0.path, "--start-name", $0.name] } ?? [])
                + (start?.license.map { ["--start-license", $0] } ?? [])
        )
        let ending = await process.run(timeout: Self.timeout) { trained.take($0) }
        withExtendedLifetime(folder) {}
        try Task.checkCancellation()
        if let failure = trained.failure { throw failure }
        switch ending {
        case .finished:
            guard let made = try trained.finish(), made.result.report.kind == training.kind else {
                throw HubError(.invalidArgument, "The training ended without a model; train again.")
            }
            // From here on it cannot be canceled.
            let storing = Training.Progress(stage: .storing)
            progress.value = storing
            guard try await hub.records.keepTraining(training.id, as: worker, storing, at: hub.now()) else {
                throw Lost()
            }
            return try await TrainingOutcome(training, made, files: files, on: hub, as: worker).store(in: project)
        case .crashed:
            throw HubError(
                .invalidArgument,
                "A photo made the training crash, or it exceeded its time or memory; train on fewer photos."
            )
        case .tooSlow: throw HubError(.invalidArgument, "The training took more than an hour; train on fewer photos.")
        case .stopped: throw CancellationError()
        case .notStarted(let reason):
            throw HubError(.internal, "The training cannot be started (\(reason)); install the hub again.")
        }
    }

    /// Puts the photos with labels, or those with drawn boxes, into a folder.
    ///
    /// - Returns: The photos by the names of their files.
    private func fill(_ folder: TrainingFolder) async throws -> [String: Photo] {
        var files: [String: Photo] = [:]
        var list: [TrainingPhotos.Photo] = []
        var last: Int64 = 0
        while true {
            let page = try await hub.records.photos(ofDataSet: training.dataSet, .all, after: last, limit: 500)
            for photo in page {
                last = photo.id
                guard training.kind == .labels ? photo.label != nil : photo.boxes != nil else { continue }
                try Task.checkCancellation()
                let file = Self.fileName(of: photo)
                do {
                    try await folder.add(try await hub.blobs.open(photo.hash), as: file)
                } catch let error as HubError where error.code == .dataLoss {
                    // Deleted meanwhile.
                    continue
                }
                files[file] = photo
                list.append(
                    .init(
                        file: file,
                        label: photo.label,
                        boxes: photo.boxes,
                        width: photo.width,
                        height: photo.height
                    )
                )
            }
            guard page.count == 500 else { break }
        }
        let content = TrainingPhotos(name: training.dataSetName, model: training.model, photos: list)
        try folder.write(try JSONEncoder().encode(content), as: TrainingPhotos.fileName)
        return files
    }

    /// The end of the name that people know, after the beginning of the hash, which makes it unique.
    private static func fileName(of photo: Photo) -> String {
        let name = photo.name.split(separator: "/").last.map(String.init) ?? ""
        let plain = String(
            name.unicodeScalars.filter { $0.value > 32 && $0.value != 127 && $0.value < 0xD800 }.map(Character.init)
        )
        return "\(photo.hash.text.prefix(16))-\(plain.suffix(40))"
    }

    /// Lets the training wait for another attempt.
    private func waitAgain() async throws {
        var waiting = training
        waiting.state = .waiting
        waiting.attempts -= 1
        _ = try await hub.records.endTraining(waiting, as: worker, audit: nil)
    }

    private func fail(_ message: String) async throws -> Training {
        var failed = training
        (failed.state, failed.message, failed.endTime) = (.failed, message, hub.now())
        let entry = AuditEntry(
            time: hub.now(),
            project: training.project,
            actor: "hub",
            action: "training.fail",
            target: training.resourceName,
            detail: message
        )
        _ = try await hub.records.endTraining(failed, as: worker, audit: entry)
        return failed
    }
}

/// A value that several tasks share.
final class SharedValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The model that a process makes, which is received like an upload.
final class TrainedModel: Sendable {
    /// A model in a file.
    struct Made: Sendable {
        var result: TrainingLine.Result
        var summary: FileSummary
        var url: URL
        var entry: UploadLedger.Entry?
        /// Keeps the file.
        var owner: TrainedModel
    }

    private struct State {
        var reader = FramedReader()
        var result: TrainingLine.Result?
        var file: StagedFile?
        var isComplete = false
        var failure: HubError?
    }

    private let state = Mutex(State())
    private let hub: Hub
    private let project: Project
    private let progress: SharedValue<Training.Progress>

    init(_ hub: Hub, of project: Project, _ progress: SharedValue<Training.Progress>) {
        (self.hub, self.project, self.progress) = (hub, project, progress)
    }

    /// The reason why there is no model.
    var failure: HubError? { state.withLock { $0.failure } }

    /// Receives the next bytes; false if they cannot be used.
    func take(_ piece: Data) -> Bool {
        state.withLock { state in
            do {
                var reader = state.reader
                try reader.take(piece) { line in
                    try self.begin(line, &state)
                } bytes: { bytes in
                    try bytes.withUnsafeBytes { try state.file?.append($0) }
                } end: {
                    state.isComplete = true
                }
                state.reader = reader
                return true
            } catch {
                state.failure =
                    error as? HubError ?? HubError(.invalidArgument, "The training ended without a model; train again.")
                return false
            }
        }
    }

    private func begin(_ data: Data, _ state: inout State) throws -> Int {
        let line = try JSONDecoder().decode(TrainingLine.self, from: data)
        if let reason = line.error {
            throw HubError(.invalidArgument, String(reason.prefix(ModelValidation.maximumMessage)))
        }
        if let stage = line.stage.flatMap({ Training.Stage(rawValue: $0) }), stage != .storing {
            progress.value = .init(stage: stage, done: max(line.done ?? 0, 0), total: max(line.total ?? 0, 0))
        }
        guard let result = line.result, state.result == nil else { return 0 }
        try result.check()
        state.result = result
        state.file = try hub.stage(for: project)
        return result.byteCount
    }

    /// The model after its bytes are on disk; nil if it is not complete.
    func finish() throws -> Made? {
        try state.withLock { state in
            guard state.isComplete, let result = state.result, let file = state.file else { return nil }
            return Made(result: result, summary: try file.finish(), url: file.url, entry: file.entry, owner: self)
        }
    }
}

extension TrainingLine.Result {
    /// Checks a result of a process that read untrusted pictures.
    fileprivate func check() throws {
        try report.content.check()
        guard byteCount > 0, card.utf8.count <= 1 << 20, doubts.count <= 12,
            threshold.map({ (0...1).contains($0) }) ?? true,
            doubts.allSatisfy({
                (0...1).contains($0.confidence) && $0.answer.utf8.count <= 5000
                    && $0.found?.count ?? 0 <= PhotoLine.maximumProposals
            })
        else { throw HubError(.invalidArgument, "The result of the training cannot be used; train again.") }
    }
}
