public import Foundation
public import TensorFlowLite

/// The speed and the answers of a rewritten model beside those of its original, measured in one run.
///
/// ```swift
/// let optimized = try ModelOptimizer().optimized(Model(contentsOf: url))
/// let comparison = try ModelComparison(of: LocalModel(url: url), with: optimized.model, pictures: photos)
/// print(comparison.speed.ratio, comparison.agreement?.same ?? 0)
/// ```
public struct ModelComparison: Sendable, Codable {
    /// The time of both models.
    public struct Speed: Sendable, Codable {
        /// Milliseconds of processor time of a run of the original on one thread: the median of the rounds.
        public var originalMilliseconds: Double
        /// The same for the rewritten model.
        public var rewrittenMilliseconds: Double
        /// The number of times that the rewritten model runs in the time of the original: the median of the rounds.
        public var ratio: Double
        /// The first and the third quartile of that ratio.
        public var ratioQuartiles: [Double]
        /// The number of rounds, in each of which both models ran.
        public var rounds: Int
    }

    /// The answers of both models: the best label of a picture, or the objects in it.
    public struct Agreement: Sendable, Codable {
        /// The purpose of the model, which decides what an answer is.
        public var task: ModelInspection.Purpose
        /// The number of pictures.
        public var pictures: Int
        /// Whether the pictures were generated, since none were given. Answers for photos say more.
        public var areGenerated: Bool
        /// The confidence, 0…1, from which an answer of the original counts.
        public var minimumConfidence: Float
        /// The number of answers of the original that count.
        public var answers: Int
        /// The number of these answers that the rewritten model also gives: the same best label, or an object of the same
        /// class whose box overlaps by an IoU of at least 0.9.
        public var same: Int
        /// The largest difference between the confidences of the two models for a label, or for an object that both find.
        public var largestDifference: Float
    }

    /// The time of both models.
    public var speed: Speed
    /// The answers of both models; nil if Sightline cannot use the model for pictures.
    public var agreement: Agreement?
    /// The names of the pictures that cannot be read.
    public var unreadable: [String]

    /// Runs both models.
    ///
    /// - Parameters:
    ///   - local: the original.
    ///   - rewritten: a model with the same inputs and outputs.
    ///   - pictures: files of pictures; with none, generated pictures are used.
    ///   - minimumConfidence: the confidence from which an answer of the original counts.
    ///   - progress: called after each picture with the number of pictures that are done.
    /// - Throws: `LocalModelError` if the files of the original cannot be used, `RuntimeError`, `ModelError` or
    ///   `InterpreterError` if a model cannot run, `OutputError` if the original gives NaN.
    public init(
        of local: LocalModel,
        with rewritten: Model,
        pictures: [URL] = [],
        minimumConfidence: Float = 0.3,
        progress: (Int) -> Void = { _ in }
    ) throws {
        let files = try ModelFiles(local)
        var task = ModelInspection.Purpose.labeling
        var comparer: (any AnswerComparer)?
        if let classifier = try? Classifier(files: files) {
            comparer = try LabelComparer(classifier, rewritten)
        } else if let detection = try? DetectionModel(files: files) {
            task = .detection
            comparer = try ObjectComparer(detection, rewritten)
        }
        unreadable = []
        guard var comparer else {
            speed = try Speed(of: files.model, with: rewritten)
            return
        }
        var agreement = Agreement(
            task: task,
            pictures: 0,
            areGenerated: pictures.isEmpty,
            minimumConfidence: minimumConfidence,
            answers: 0,
            same: 0,
            largestDifference: 0
        )
        for index in 0..<(pictures.isEmpty ? GeneratedPicture.count : pictures.count) {
            do {
                let picture =
                    try pictures.isEmpty
                    ? GeneratedPicture.picture(index) : VisionImage(contentsOf: pictures[index])
                try comparer.compare(picture, &agreement)
                agreement.pictures += 1
            } catch let error as ImageError {
                guard !pictures.isEmpty else { throw error }
                unreadable.append(pictures[index].relativePath)
            }
            progress(index + 1)
        }
        self.agreement = agreement
        // The inputs are those of the last picture: the time of a detector depends on its boxes.
        speed = try Speed(comparer.interpreters.original, comparer.interpreters.rewritten)
    }
}

extension ModelComparison.Speed {
    /// The number of rounds.
    private static let rounds = 15
    /// The processor time of each model in a round, in milliseconds; at least one run.
    private static let roundMilliseconds = 20.0

    /// Runs two models in turn on inputs of zeros.
    ///
    /// - Throws: `RuntimeError`, `ModelError` or `InterpreterError` if a model cannot run.
    public init(of original: Model, with rewritten: Model) throws {
        try self.init(of: original as any InferenceModel, with: rewritten)
    }

    /// Measures two models of any formats.
    ///
    /// - Throws: an error if a model cannot run.
    package init(of original: any InferenceModel, with rewritten: any InferenceModel) throws {
        try self.init(Self.session(original), Self.session(rewritten))
    }

    private static func session(_ model: any InferenceModel) throws -> any InferenceSession {
        let session = try model.makeSession(threads: 1)
        try session.allocateTensors()
        return session
    }

    /// Runs two interpreters in turn. Processor time, unlike the clock's, does not count the work of other programs.
    fileprivate init(_ original: any InferenceSession, _ rewritten: any InferenceSession) throws {
        // The first runs prepare the memory.
        let first = try [original, rewritten].map { interpreter in
            try interpreter.invoke()
            return try Self.milliseconds(of: 2, interpreter)
        }
        let count = max(Int(Self.roundMilliseconds / max(first.max() ?? 1, 0.001)), 1)
        var times: [(original: Double, rewritten: Double)] = []
        for round in 0..<Self.rounds {
            // The first of a round finds other contents in the caches than the second.
            if round.isMultiple(of: 2) {
                let old = try Self.milliseconds(of: count, original)
                times.append((old, try Self.milliseconds(of: count, rewritten)))
            } else {
                let new = try Self.milliseconds(of: count, rewritten)
                times.append((try Self.milliseconds(of: count, original), new))
            }
        }
        func quantile(_ share: Double, _ values: [Double]) -> Double {
            values.sorted()[Int((share * Double(values.count - 1)).rounded())]
        }
        let ratios = times.map { $0.original / max($0.rewritten, 0.000_001) }
        self.init(
            originalMilliseconds: quantile(0.5, times.map(\.original)),
            rewrittenMilliseconds: quantile(0.5, times.map(\.rewritten)),
            ratio: quantile(0.5, ratios),
            ratioQuartiles: [quantile(0.25, ratios), quantile(0.75, ratios)],
            rounds: times.count
        )
    }

    /// The mean processor time of a run on this thread.
    private static func milliseconds(of count: Int, _ interpreter: any InferenceSession) throws -> Double {
        let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        for _ in 0..<count { try interpreter.invoke() }
        return Double(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start) / Double(count) / 1e6
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
