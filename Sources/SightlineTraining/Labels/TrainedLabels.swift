import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// A labeler that ``LabelTrainer`` made, with its figures.
public struct TrainedLabels: Sendable {
    /// The `.tflite` file, with labels, metadata and the recommended threshold inside.
    public let model: Data
    /// The labels in the order of the model's outputs.
    public let labels: [String]
    /// The figures, on pictures from which the measured layers did not learn.
    public let report: LabelReport
    /// The pictures of the model, and its figures in short.
    public let card: TrainingCard
    /// The range in which the share of right answers lies with a probability of 95 %.
    public var interval: ShareInterval { card.rightInterval }

    let sidecar: ModelSidecar?
    fileprivate let summary: TrainingSummary

    init(
        _ summary: TrainingSummary,
        model: Model,
        sidecar: ModelSidecar?,
        start: TrainingCard.Start,
        unrelated: [[Float]]
    ) {
        self.summary = summary
        self.model = model.data
        self.sidecar = sidecar
        labels = summary.pictures.labels
        let sha256 = SHA256.hexadecimalDigest(of: model.data)
        var report = summary.report
        report.model = EvaluatedModel(name: summary.name, sha256: sha256, byteCount: model.data.count)
        report.seconds = (.now - summary.began) / .seconds(1)
        self.report = report
        let threshold = summary.threshold
        let hidden = summary.pictures.backgroundIndex
        let gain = summary.validation.gain
        let right = Int((report.top1 * Double(report.labeledCount)).rounded())
        card = TrainingCard(
            name: summary.name,
            sha256: sha256,
            byteCount: model.data.count,
            created: Date.now.formatted(.iso8601),
            start: start,
            source: summary.pictures.name,
            dataSHA256: summary.dataHash,
            labels: zip(labels, summary.counts).map { TrainingCard.LabelCount(name: $0, pictures: $1) },
            severalLabels: summary.pictures.severalLabels,
            pictureCount: summary.read.count,
            skippedCount: summary.skipped.count,
            nearDuplicateCount: summary.duplicates.redundantCount,
            measuredCount: summary.validation.answers.count,
            method: summary.method(measured: report.top1),
            measuredShare: report.top1,
            rightShare: report.top1 + gain,
            rightInterval: ShareInterval(right: right, of: report.labeledCount).shifted(by: gain),
            meanRecall: report.meanRecall,
            confidenceThreshold: threshold,
            unrelatedCount: unrelated.count,
            unrelatedNamedCount: unrelated.count { found in
                found.enumerated().contains { $0.offset != hidden && Double($0.element) >= threshold ?? 0 }
            },
            freedom: summary.validation.freedom,
            warnings: summary.warnings
        )
    }

    /// The report as one HTML file: the figures, the pictures with mistakes, and those that look mislabeled.
    public var html: String {
        var facts = [
            card.method
                + " \(ReportSentences.percent(card.rightShare)) of the answers are right; with a probability of 95 %, the share for "
                + "other pictures like these lies between \(ReportSentences.percent(card.rightInterval.lower)) and "
                + "\(ReportSentences.percent(card.rightInterval.upper)).",
            "The model began with \(card.start.name)"
                + (card.start.license.map { " (\($0))" } ?? "")
                + " and learned from \(summary.validation.learned.count) pictures.",
        ]
        if card.nearDuplicateCount > 0 {
            let plural = card.nearDuplicateCount == 1 ? "picture is" : "pictures are"
            facts.append(
                "\(card.nearDuplicateCount) \(plural) nearly the same as another one. Such pictures were never learned from and measured at "
                    + "once" + (summary.validation.leftOut > 0 ? "; \(summary.validation.leftOut) were left out." : ".")
            )
        }
        if card.severalLabels {
            facts.append("A picture can have several labels; an answer is right if the picture has that label.")
        }
        if let sentence = card.unrelatedSentence { facts.append(sentence) }
        let preface = ReportPreface(
            title: "\(card.name), trained on \(card.source)",
            author: "sightline train labels",
            facts: facts,
            warnings: card.warnings,
            doubts: summary.doubts
        )
        let choice = ThresholdChoice(threshold: summary.threshold)
        return report.html(pictures: summary.pictures.files, choice, preface: preface)
    }
}

/// A picture with the answer of a model that did not learn from it.
package struct MeasuredPicture: Sendable, Hashable {
    /// The picture's path.
    package var path: String
    /// Its label.
    package var label: String
    /// The most probable label.
    package var answer: String
    /// The probability of that label.
    package var confidence: Double
}

/// A picture whose label is perhaps wrong.
package struct DoubtfulPicture: Sendable, Hashable, Codable {
    /// The picture's path.
    package var path: String
    /// Its label.
    package var label: String
    /// The other label that it most probably has.
    package var answer: String
    /// The probability of that label.
    package var confidence: Double
}

extension TrainedLabels {
    /// The measured pictures, each with the answer of a model that did not learn from it.
    package var measured: [MeasuredPicture] { summary.measured }
    /// The twelve pictures whose labels are most doubtful, the most doubtful first.
    package var doubtful: [DoubtfulPicture] { summary.doubtful }
    /// The labeler's sentences for people: its figures, the way in which they were measured, and possible faults of the pictures.
    package var notes: String {
        (["\(card.rightText). \(card.method)"] + [card.unrelatedSentence].compactMap(\.self) + card.warnings)
            .joined(separator: "\n")
    }
}

/// Numbers in sentences.
enum ReportSentences {
    /// For example `88.3 %`.
    static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}

extension TrainingCard {
    /// The answers of the model about drawn pictures, as a sentence; nil if it was not asked.
    package var unrelatedSentence: String? {
        guard unrelatedCount > 0 else { return nil }
        let share = ReportSentences.percent(Double(unrelatedNamedCount) / Double(unrelatedCount))
        let advice =
            labels.first?.name == TrainingPictures.background || severalLabels
                || unrelatedNamedCount * 20 < unrelatedCount
            ? "" : " Pictures of nothing teach it to give none."
        return
            "For \(share) of \(unrelatedCount) drawn pictures, which show none of the labels, the model nevertheless gives one.\(advice)"
    }

    /// The share of right answers with its interval, for example `88.3 % right (85.3 to 90.8 %)`.
    package var rightText: String {
        let upper = ReportSentences.percent(rightInterval.upper)
        return
            "\(ReportSentences.percent(rightShare)) right (\(ReportSentences.percent(rightInterval.lower).dropLast(2)) to \(upper))"
    }
}
