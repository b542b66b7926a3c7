import Foundation
import ModelHubProtocol
import Sightline
import SightlineLocks

/// Runs another version of a model on a share of an app's pictures, and counts how often its answers differ. Nobody sees these answers,
/// and nobody waits for them.
///
/// ```swift
/// let model = try await manager.download(RemoteModel(name: "plants"))
/// let labeler = try ImageLabeler(options: ImageLabelerOptions(model: model.localModel))
/// let shadow = manager.shadow(of: model, share: 0.05, reportingTo: reporter)
/// try await shadow.update()
///
/// let labels = try await labeler.labels(in: picture)
/// shadow.compare(labels, in: picture)
///
/// try await reporter.send()
/// ```
///
/// ``compare(_:in:)-([Label],_)`` returns at once. One thread of low priority runs the other version; while it is busy two more pictures
/// wait, and beyond that a picture is skipped and counted. The reporter sends counts to the hub, whose console shows them; no picture
/// leaves the device.
public final class ModelShadow: Sendable {
    /// The other version, compiled.
    public enum Engine: Sendable {
        /// It labels pictures.
        case labeler(ImageLabeler)
        /// It finds objects.
        case detector(ObjectDetector)

        /// Compiles a model, whose files show whether it labels pictures or finds objects.
        ///
        /// - Throws: The errors of `ImageLabeler` and `ObjectDetector`.
        public init(_ model: LocalModel) throws {
            do {
                self = .labeler(try ImageLabeler(options: ImageLabelerOptions(model: model)))
            } catch is LocalModelError {
                self = .detector(try ObjectDetector(options: ObjectDetectorOptions(model: model)))
            }
        }
    }

    /// The comparisons since the shadow was created.
    public struct Counts: Sendable, Hashable {
        /// The number of compared answers.
        public var compared = 0
        /// The number of answers that differ.
        public var different = 0
        /// The number of drawn pictures that were skipped, because others waited already.
        public var skipped = 0
        /// The number of pictures that the other version could not analyze.
        public var failed = 0

        /// The interval of the share of answers that differ, from 0 to 1, with a confidence of 95 %. It is valid however often it is looked
        /// at.
        public var interval: ClosedRange<Double> {
            let share = DifferenceShare(count: compared, different: different)
            return share.lower / 100...share.upper / 100
        }
    }

    private struct State {
        var candidate: (version: DownloadedModel, engine: Engine)?
        var sample: SampledShare
        var counts = Counts()
    }

    private let model: DownloadedModel
    private let other: RemoteModel
    private let manager: ModelManager
    private let reporter: OutcomeReporter?
    private let make: @Sendable (LocalModel) throws -> Engine
    private let lane = ShadowLane()
    private let state: Mutex<State>

    init(
        of model: DownloadedModel,
        alias: ModelAlias,
        manager: ModelManager,
        sample: SampledShare,
        reporter: OutcomeReporter?,
        make: @escaping @Sendable (LocalModel) throws -> Engine
    ) {
        (self.model, self.manager, self.reporter, self.make) = (model, manager, reporter, make)
        other = RemoteModel(name: model.name, alias: alias)
        state = Mutex(State(sample: sample))
    }

    /// The comparisons so far.
    public var counts: Counts { state.withLock(\.counts) }

    /// Downloads and compiles the other version, if it is new. Until then, and while both versions are the same, nothing is compared.
    ///
    /// Call it after the app's start, and from time to time.
    ///
    /// - Returns: Whether there is another version to compare.
    /// - Throws: Any ``DownloadError`` but that the alias names no version, or the errors of compiling; then the earlier version is compared
    ///   further.
    @discardableResult
    public func update() async throws -> Bool {
        let version: DownloadedModel
        do throws(DownloadError) {
            version = try await manager.download(other)
        } catch {
            guard error.isAboutMissingVersion else { throw error }
            state.withLock { $0.candidate = nil }
            return false
        }
        guard version.hash != model.hash else {
            state.withLock { $0.candidate = nil }
            return false
        }
        if let known = state.withLock({ $0.candidate?.version }), known.isSameVersion(as: version) { return true }
        let engine = try await Task(executorPreference: QuietExecutor.shared, priority: .background) { [make] in
            try make(version.localModel)
        }.value
        state.withLock { $0.candidate = (version, engine) }
        return true
    }

    /// Compares labels that the app shows with those of the other version, if the picture is drawn. Returns at once.
    ///
    /// - Parameters:
    ///   - labels: The labels, as the app's labeler gave them.
    ///   - image: Their picture, which is kept in memory until the comparison is done.
    public func compare(_ labels: [Label], in image: VisionImage) {
        compare(image) { engine in
            guard case .labeler(let labeler) = engine else { return nil }
            return AnswerDifference(labels, try await labeler.labels(in: image))
        }
    }

    /// Compares objects that the app shows with those of the other version, if the picture is drawn. Returns at once.
    ///
    /// - Parameters:
    ///   - objects: The objects, as the app's detector gave them.
    ///   - image: Their picture, which is kept in memory until the comparison is done.
    public func compare(_ objects: [DetectedObject], in image: VisionImage) {
        compare(image) { engine in
            guard case .detector(let detector) = engine else { return nil }
            return AnswerDifference(objects, try await detector.objects(in: image))
        }
    }

    private func compare(
        _ image: VisionImage,
        _ body: @escaping @Sendable (Engine) async throws -> AnswerDifference?
    ) {
        let drawn = state.withLock { $0.candidate != nil && $0.sample.draw() ? $0.candidate : nil }
        guard let drawn else { return }
        let isTaken = lane.offer { [self] in
            guard let difference = try? await body(drawn.engine) else {
                state.withLock { $0.counts.failed += 1 }
                return
            }
            state.withLock { state in
                state.counts.compared += 1
                if difference.isDifferent { state.counts.different += 1 }
            }
            await reporter?.record(difference, of: model.name, served: model.hash, candidate: drawn.version.hash)
        }
        if !isTaken { state.withLock { $0.counts.skipped += 1 } }
    }
}

extension DownloadError {
    /// Whether no version has the alias at present.
    package var isAboutMissingVersion: Bool {
        switch self {
        case .notFound, .aliasNotFound: true
        default: false
        }
    }
}

extension ModelManager {
    /// Prepares to run another version of a downloaded model on a share of an app's pictures.
    ///
    /// - Parameters:
    ///   - model: The version that the app uses.
    ///   - alias: The alias of the other version: by default the version that is to be served next.
    ///   - share: The share of pictures, from 0 to 1.
    ///   - seed: The seed by which pictures are drawn; nil for one of the system's.
    ///   - reporter: Receives the counts for the hub; nil to keep them in ``ModelShadow/counts`` alone.
    ///   - make: Compiles the other version. Give it the options that the app's own detector or labeler has.
    public nonisolated func shadow(
        of model: DownloadedModel,
        as alias: ModelAlias = .staging,
        share: Double = 0.05,
        seed: UInt64? = nil,
        reportingTo reporter: OutcomeReporter?,
        make: @escaping @Sendable (LocalModel) throws -> ModelShadow.Engine = { try ModelShadow.Engine($0) }
    ) -> ModelShadow {
        ModelShadow(
            of: model,
            alias: alias,
            manager: self,
            sample: SampledShare(share, seed: seed),
            reporter: reporter,
            make: make
        )
    }
}
