import Foundation

/// The comparison of a variant with the first variant, for a metric.
package struct VariantComparison: Sendable, Hashable {
    /// The conclusion of a comparison.
    package enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        /// There are too few values for a conclusion.
        case tooFew = "too-few"
        /// There is no significant difference.
        case notSignificant = "not-significant"
        /// The variant is better.
        case better
        /// The variant is worse.
        case worse
    }

    /// The variant's mean minus the mean of the first variant.
    package var difference: Double
    /// The 95 % confidence interval of the difference, for all comparisons of a metric together.
    package var interval: ClosedRange<Double>
    /// The probability of such a difference if the true difference is 0.
    package var pValue: Double
    /// The conclusion.
    package var verdict: Verdict

    static let confidence = 0.95
    /// The minimum number of installations on either side. With fewer installations the sums are too far from normal.
    static let fewestInstallations = 30
    /// The minimum of ``DeviceSums/effectiveDevices`` on either side. An installation that alone causes a difference
    /// of the means causes an error of nearly the same size, unless about half of all results are its own.
    static let fewestEffectiveInstallations = 15.0
    /// The minimum number of good and of bad results.
    private static let fewestOfEachKind = 5.0

    /// Compares two means with unknown variances that may differ.
    ///
    /// The mean is a ratio of sums over installations, with the variance of ``DeviceSums/varianceOfMean``.
    /// The difference is tested with Welch's test (B. Welch, "The generalization of 'Student's' problem", Biometrika
    /// 34, 1947) with the degrees of freedom of Welch and Satterthwaite. If every installation reports a single result,
    /// this is Welch's test of the results, and for scores of 0 and 1 the test of two proportions with unpooled
    /// variance. With m variants in addition to the first, each interval has the confidence 1 − 0.05/m and each p-value
    /// is multiplied by m (C. Bonferroni).
    ///
    /// Nil if either side has no values.
    init?(_ variant: OutcomeTotal, against control: OutcomeTotal, comparisons: Int, lessIsBetter: Bool) {
        guard let mean = variant.sums.mean, let other = control.sums.mean else { return nil }
        difference = mean - other
        interval = -Double.infinity...Double.infinity
        pValue = 1
        verdict = .tooFew
        guard let variance = variant.sums.varianceOfMean, let otherVariance = control.sums.varianceOfMean else {
            return
        }
        let count = Double(max(comparisons, 1))
        let error = (variance + otherVariance).squareRoot()
        let freedom: Double
        if error > 0 {
            let parts = [(variance, variant.sums.devices), (otherVariance, control.sums.devices)].map { part in
                part.0 * part.0 / Double(part.1 - 1)
            }
            freedom = (variance + otherVariance) * (variance + otherVariance) / (parts[0] + parts[1])
            let quantile = StudentT.twoSidedQuantile((1 - Self.confidence) / count, degreesOfFreedom: freedom)
            interval = difference - quantile * error...difference + quantile * error
            pValue = min(StudentT.twoSidedProbability(difference / error, degreesOfFreedom: freedom) * count, 1)
        } else {
            interval = difference...difference
            pValue = difference == 0 ? 1 : 0
        }
        guard min(variant.sums.devices, control.sums.devices) >= Self.fewestInstallations,
            min(variant.sums.effectiveDevices, control.sums.effectiveDevices) >= Self.fewestEffectiveInstallations,
            [variant, control].allSatisfy({ $0.kinds.map { $0 >= Self.fewestOfEachKind } ?? true })
        else { return }
        guard pValue < 1 - Self.confidence else {
            verdict = .notSignificant
            return
        }
        verdict = (difference < 0) == lessIsBetter ? .better : .worse
    }
}

extension OutcomeTotal {
    /// If all values are 0 or 1: the number of the rarer value. A value is 0 or 1 if it equals its square.
    fileprivate var kinds: Double? {
        guard metric != .latency, squares == sums.sum, sums.sum >= 0, sums.sum <= sums.count else { return nil }
        return min(sums.sum, sums.count - sums.sum)
    }
}
