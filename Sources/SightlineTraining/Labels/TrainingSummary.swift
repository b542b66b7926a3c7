import DurableFiles
import Foundation
import SightlineEvaluation

/// The figures and the faults of a training, before its model exists.
struct TrainingSummary: Sendable {
    let name: String
    let options: LabelTrainerOptions
    let pictures: TrainingPictures
    let read: [ReadPicture]
    let skipped: SkippedPictures
    let duplicates: NearDuplicates
    let validation: CrossValidation
    let began: ContinuousClock.Instant
    /// The figures, without the model.
    let report: LabelReport

    init(
        name: String,
        options: LabelTrainerOptions,
        pictures: TrainingPictures,
        read: [ReadPicture],
        skipped: SkippedPictures,
        duplicates: NearDuplicates,
        validation: CrossValidation,
        began: ContinuousClock.Instant
    ) {
        (self.name, self.options, self.pictures, self.read) = (name, options, pictures, read)
        (self.skipped, self.duplicates, self.validation, self.began) = (skipped, duplicates, validation, began)
        report = LabelReport(
            of: Self.answered(validation, read, background: pictures.backgroundIndex),
            labels: pictures.labels,
            hidden: pictures.backgroundIndex,
            model: EvaluatedModel(name: name, sha256: "", byteCount: 0),
            source: pictures.name,
            skipped: skipped,
            duration: .zero
        )
    }

    /// The answers, with the label that counts: of several, the one that the layer is surest of.
    private static func answered(
        _ validation: CrossValidation,
        _ read: [ReadPicture],
        background: Int?
    ) -> [LabelReport.Answered] {
        validation.answers.map { answer in
            let truths = read[answer.row].picture.labels
            let truth = truths.max { answer.probabilities[$0] < answer.probabilities[$1] }
            let best = answer.probabilities.indices.filter { $0 != background }.max {
                answer.probabilities[$0] < answer.probabilities[$1]
            }
            let isRight = best.map(truths.contains) ?? false
            return LabelReport.Answered(
                path: read[answer.row].picture.path,
                truth: isRight ? best : truth,
                confidences: answer.probabilities
            )
        }
    }

    /// The threshold with the best F1; for pictures of one scene, the middle of those with the best F1.
    ///
    /// Twenty pictures of a gate are mostly all told apart. The highest threshold that they allow is that of the least sure of them, and
    /// would make many further right answers unknown.
    var threshold: Double? {
        options.picturesShowOneScene
            ? report.overall.middle(from: pictures.severalLabels ? 0 : 1 / Double(pictures.labels.count))
            : report.bestThreshold
    }

    /// A sentence about the model.
    var description: String {
        "Labels of \(pictures.name): \(pictures.labels.count) labels, \(read.count) pictures."
    }

    /// The number of usable pictures of each label.
    var counts: [Int] {
        read.reduce(into: [Int](repeating: 0, count: pictures.labels.count)) { counts, picture in
            for label in picture.picture.labels { counts[label] += 1 }
        }
    }

    /// The way in which the figures were measured, in sentences.
    ///
    /// - Parameter measured: The share of right answers of the measured models.
    func method(measured: Double) -> String {
        let points = Int((1000 * validation.gain).rounded())
        guard points > 0 else { return division }
        return division
            + " They had \(ReportSentences.percent(measured)) right; this model learned from all pictures, which is expected to add "
            + "\(points / 10).\(points % 10) points."
    }

    /// The way in which pictures were held out, as a sentence.
    private var division: String {
        switch validation.method {
        case .parts(let count):
            "Each of \(validation.answers.count) pictures was measured by one of \(count) models that learned from the other parts of the "
                + "pictures."
        case .part(let count):
            "The figures are those of a model that learned from \(count - 1) of \(count) parts of the pictures, on the "
                + "\(validation.answers.count) pictures of the other part."
        case .setAside:
            "The figures are those on the \(validation.answers.count) pictures that the file sets aside (TEST), from which the model did not "
                + "learn."
        }
    }

    /// Possible faults of the pictures, as sentences.
    var warnings: [String] {
        let (counts, labels) = (counts, pictures.labels)
        var sentences: [String] = []
        func list(_ names: [String]) -> String {
            names.count > 5
                ? names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more"
                : names.joined(separator: ", ")
        }
        if duplicates.isOneScene { sentences.append(NearDuplicates.oneSceneWarning) }
        let single = labels.indices.filter { counts[$0] == 1 }
        if !single.isEmpty {
            sentences.append(
                "\(list(single.map { labels[$0] })): a single picture; it is learned, but nothing measures it. Add pictures."
            )
        }
        let few = labels.indices.filter { (2..<10).contains(counts[$0]) }
        if !few.isEmpty {
            sentences.append(
                "Few pictures: \(list(few.map { "\(labels[$0]) \(counts[$0])" })). From 10 on, figures begin to be reliable; 50 are good."
            )
        }
        let oneShoot = labels.indices.filter { label in
            let groups = Set(
                read.indices.filter { read[$0].picture.labels.contains(label) }.map { duplicates.groups[$0] }
            )
            return counts[label] >= 4 && groups.count * 2 < counts[label]
        }
        if !oneShoot.isEmpty {
            sentences.append(
                "Most pictures are nearly the same: \(list(oneShoot.map { labels[$0] })). Take pictures at other places and times; many of "
                    + "one moment teach little more than one."
            )
        }
        if let (one, two) = duplicates.pairs.first(where: { read[$0.0].picture.labels != read[$0.1].picture.labels }),
            !pictures.severalLabels
        {
            let others = duplicates.pairs.count { read[$0.0].picture.labels != read[$0.1].picture.labels } - 1
            sentences.append(
                "\(read[one].picture.path) and \(read[two].picture.path) look nearly the same but have different labels"
                    + (others > 0 ? ", as have \(others) more pairs" : "") + "; check them."
            )
        }
        return sentences
    }

    /// The largest number of pictures that look mislabeled.
    private static let maximumDoubts = 12

    /// The pictures with the least probability of their label among those whose answer is sure to be another.
    var doubts: [ReportPreface.Doubt] {
        let found = validation.answers.compactMap { answer -> (ReportPreface.Doubt, Float)? in
            let picture = read[answer.row].picture
            guard let truth = picture.labels.max(by: { answer.probabilities[$0] < answer.probabilities[$1] }),
                let best = answer.probabilities.indices.max(by: { answer.probabilities[$0] < answer.probabilities[$1] }
                ),
                !picture.labels.contains(best), answer.probabilities[best] >= 0.5
            else { return nil }
            let doubt = ReportPreface.Doubt(
                path: picture.path,
                label: pictures.labels[truth],
                answer: pictures.labels[best],
                confidence: answer.probabilities[best]
            )
            return (doubt, answer.probabilities[best] - answer.probabilities[truth])
        }
        return found.sorted { $0.1 > $1.1 }.prefix(Self.maximumDoubts).map(\.0)
    }

    /// The measured pictures whose label is least probable beside the best other one, the most doubtful first: also those whose label the
    /// model gives, but hardly.
    var doubtful: [DoubtfulPicture] {
        let found = validation.answers.compactMap { answer -> (DoubtfulPicture, Float)? in
            let picture = read[answer.row].picture
            guard let truth = picture.labels.max(by: { answer.probabilities[$0] < answer.probabilities[$1] }),
                let other = answer.probabilities.indices.filter({ !picture.labels.contains($0) }).max(by: {
                    answer.probabilities[$0] < answer.probabilities[$1]
                })
            else { return nil }
            let doubtful = DoubtfulPicture(
                path: picture.path,
                label: pictures.labels[truth],
                answer: pictures.labels[other],
                confidence: Double(answer.probabilities[other])
            )
            return (doubtful, answer.probabilities[other] - answer.probabilities[truth])
        }
        return found.sorted { ($1.1, $0.0.path) < ($0.1, $1.0.path) }.prefix(Self.maximumDoubts).map(\.0)
    }

    /// The measured pictures with the answers of models that did not learn from them.
    var measured: [MeasuredPicture] {
        validation.answers.compactMap { answer in
            let picture = read[answer.row].picture
            let best = answer.probabilities.indices.max { answer.probabilities[$0] < answer.probabilities[$1] }
            guard let best, let truth = picture.labels.first else { return nil }
            return MeasuredPicture(
                path: picture.path,
                label: pictures.labels[truth],
                answer: pictures.labels[best],
                confidence: Double(answer.probabilities[best])
            )
        }
    }

    /// The SHA-256 of the pictures' bytes and labels, independent of their names and order.
    var dataHash: String {
        let lines = read.map { picture in
            picture.digest.hexadecimalText + " "
                + picture.picture.labels.map { pictures.labels[$0] }.joined(separator: ",")
        }
        return SHA256.hexadecimalDigest(of: Data(lines.sorted().joined(separator: "\n").utf8))
    }
}
