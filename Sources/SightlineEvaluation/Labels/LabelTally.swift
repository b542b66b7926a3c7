import Sightline

/// Counts answers and creates a report from the counts.
struct LabelTally {
    /// A label that the model assigned to a picture.
    struct Answer: Sendable, Hashable {
        let label: Int
        let confidence: Float
    }

    var skipped = SkippedPictures()

    private let names: [String]
    private var unknownFolders = LabelReport.UnknownFolders(count: 0, pictureCount: 0, names: [])
    private var overall = Counts()
    private var labels: [Int: Counts] = [:]
    private var ranks = LabelRanks()
    private var calibration = Calibration()
    private var confusion = ConfusionCounts()
    private var pictureCount = 0
    private var inTopFive = 0
    private var mistakes: BestOf<LabelReport.Mistake>

    private struct Counts {
        var pictures = 0
        /// The number of pictures with a right answer, regardless of its confidence.
        var rightAtAll = 0
        var answers = ConfidenceCounts()
        var right = ConfidenceCounts()

        var curve: ThresholdCurve { ThresholdCurve(wanted: pictures, answers: answers, right: right) }
    }

    init(names: [String]) {
        self.names = names
        mistakes = BestOf(LabelReport.maximumMistakes)
    }

    /// Records the folders that are not labels, and the files that are not pictures.
    mutating func noteUnknown(_ pictures: LabeledPictures, _ meanings: [LabelNames.Meaning]) {
        skipped = pictures.skipped
        for (name, meaning) in zip(pictures.folders, meanings) where meaning == .unknown {
            unknownFolders.count += 1
            if unknownFolders.names.count < LabelReport.UnknownFolders.maximumNames {
                unknownFolders.names.append(name)
            }
        }
        unknownFolders.pictureCount = pictures.pictures.count { meanings[$0.folder] == .unknown }
    }

    /// Counts a picture.
    ///
    /// - Parameters:
    ///   - path: The path of the picture.
    ///   - truth: The label of the picture; nil if it has no label of the model.
    ///   - answers: The model's labels, each once, most confident first.
    mutating func add(path: String, truth: Int?, answers: [Answer]) {
        let best = answers.first
        let isRight = best != nil && best?.label == truth
        pictureCount += 1
        if let truth {
            overall.pictures += 1
            labels[truth, default: Counts()].pictures += 1
            if answers.prefix(5).contains(where: { $0.label == truth }) { inTopFive += 1 }
        }
        if let best {
            overall.answers.add(best.confidence)
            labels[best.label, default: Counts()].answers.add(best.confidence)
            calibration.add(best.confidence, isRight: isRight)
        }
        if isRight, let best {
            overall.right.add(best.confidence)
            overall.rightAtAll += 1
            labels[best.label, default: Counts()].right.add(best.confidence)
            labels[best.label, default: Counts()].rightAtAll += 1
        }
        for answer in answers { ranks.add(answer.label, answer.confidence, isRight: answer.label == truth) }
        confusion.add(truth: truth, answer: best?.label, path: path, confidence: best?.confidence ?? 0)
        // For pictures without a label only an answer is a mistake.
        guard !isRight, truth != nil || best != nil else { return }
        mistakes.add(best?.confidence ?? 0) {
            LabelReport.Mistake(
                path: path,
                truth: truth.map { names[$0] },
                answers: answers.prefix(3).map { .init(name: names[$0.label], confidence: $0.confidence) }
            )
        }
    }

    /// Creates the report.
    func report(model: EvaluatedModel, source: String, duration: Duration) -> LabelReport {
        let order = labels.keys.sorted()
        let positions = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        let precisions = ranks.averagePrecisions(wanted: labels.mapValues(\.pictures))
        let withPictures = order.compactMap { labels[$0] }.filter { $0.pictures > 0 }
        let known = order.compactMap { precisions[$0] }
        return LabelReport(
            model: model,
            source: source,
            pictureCount: pictureCount,
            labeledCount: overall.pictures,
            modelLabelCount: names.count,
            skipped: skipped,
            unknownFolders: unknownFolders,
            top1: Self.share(overall.rightAtAll, overall.pictures),
            top5: Self.share(inTopFive, overall.pictures),
            meanRecall: Self.mean(withPictures.map { Self.share($0.rightAtAll, $0.pictures) }) ?? 0,
            meanAveragePrecision: Self.mean(known),
            calibrationError: calibration.error,
            calibration: calibration.bins,
            overall: overall.curve,
            bestThreshold: overall.curve.best?.threshold,
            labels: order.compactMap { label in
                labels[label].map {
                    LabelReport.LabelResult(name: names[label], curve: $0.curve, averagePrecision: precisions[label])
                }
            },
            confusion: confusion.cells(positions),
            mistakes: mistakes.values,
            mistakeCount: mistakes.count,
            seconds: duration / .seconds(1)
        )
    }

    private static func share(_ part: Int, _ whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }

    private static func mean(_ numbers: [Double]) -> Double? {
        numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    }
}
