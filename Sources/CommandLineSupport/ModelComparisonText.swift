import Foundation
package import Sightline
import TextFormatting

extension ModelComparison.Speed {
    /// The time of both models, in lines for people.
    package var lines: [String] {
        [
            "\(originalMilliseconds.text(3)) ms → \(rewrittenMilliseconds.text(3)) ms on one thread",
            "\(ratio.text(2)) times as fast (\((ratioQuartiles.first ?? 0).text(2)) to "
                + "\((ratioQuartiles.last ?? 0).text(2)) in half of \(rounds) rounds)",
        ]
    }
}

extension ModelComparison.Agreement {
    /// The answers of both models, in lines for people.
    package var lines: [String] {
        let kind = areGenerated ? "generated picture" : "picture"
        let pictures = NumberText.count(pictures, kind)
        let confidence = NumberText.percentage(minimumConfidence)
        guard answers > 0 else {
            return [
                "the original has no answer of at least \(confidence) in \(pictures); give photos with --pictures"
            ]
        }
        let share = NumberText.percentage(Float(same) / Float(answers))
        return [
            "\(same) of \(answers) are the same (\(share)): labels or objects of which the original is at "
                + "least \(confidence) sure, in \(pictures)",
            "largest difference of a confidence: \(Double(largestDifference).text(3))",
        ]
    }
}

extension Double {
    fileprivate func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
