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
    /// The minimum of ``OutcomeTotal/effectiveInstallations`` on either side. An installation that alone causes a difference
    /// of the means causes an error of nearly the same size, unless about half of all results are its own.
    static let fewestEffectiveInstallations = 15.0
    /// The minimum number of good and of bad results.
    private static let fewestOfEachKind = 5.0

    /// Compares two means with unknown variances that may differ.
    ///
    /// The mean is a ratio of sums over installations, x/n. Its variance is that of Taylor's linearization, V = k/(k−1)
    /// · Σ(xᵢ − R·nᵢ)² / (Σnᵢ)² with R = Σxᵢ/Σnᵢ over k installations (W. Cochran, "Sampling Techniques", 3rd edition,
    /// 1977, 6.3 and 6.4; for experiments A. Deng et al., "Applying the Delta Method in Metric Analytics", KDD 2018).
    /// The difference is tested with Welch's test (B. Welch, "The generalization of 'Student's' problem", Biometrika
    /// 34, 1947) with the degrees of freedom of Welch and Satterthwaite. If every installation reports a single result,
    /// this is Welch's test of the results, and for scores of 0 and 1 the test of two proportions with unpooled
    /// variance. With m variants in addition to the first, each interval has the confidence 1 − 0.05/m and each p-value
    /// is multiplied by m (C. Bonferroni).
    ///
    /// Nil if either side has no values.
    init?(_ variant: OutcomeTotal, against control: OutcomeTotal, comparisons: Int, lessIsBetter: Bool) {
        guard let mean = variant.mean, let other = control.mean else { return nil }
        difference = mean - other
        interval = -Double.infinity...Double.infinity
        pValue = 1
        verdict = .tooFew
        guard let variance = variant.varianceOfMean, let otherVariance = control.varianceOfMean else { return }
        let count = Double(max(comparisons, 1))
        let error = (variance + otherVariance).squareRoot()
        let freedom: Double
        if error > 0 {
            let parts = [(variance, variant.installations), (otherVariance, control.installations)].map { part in
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
        guard min(variant.installations, control.installations) >= Self.fewestInstallations,
            min(variant.effectiveInstallations, control.effectiveInstallations) >= Self.fewestEffectiveInstallations,
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
    /// The mean of all values.
    package var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// The number of installations that would weigh as much if all had as many results: (Σnᵢ)²/Σnᵢ² (L. Kish, "Survey
    /// Sampling", 1965, 8.2). It is far below the number of installations if a few of them sent most results.
    var effectiveInstallations: Double { sumNN > 0 ? Double(count) * Double(count) / sumNN : 0 }

    /// Nil for fewer than two installations.
    var varianceOfMean: Double? {
        guard let mean, installations > 1 else { return nil }
        let number = Double(installations)
        // Rounding may produce a slightly negative number.
        let spread = max(sumXX - 2 * mean * sumNX + mean * mean * sumNN, 0)
        let isZero = spread <= 1e-12 * max(sumXX, mean * mean * sumNN)
        return isZero ? 0 : number / (number - 1) * spread / (Double(count) * Double(count))
    }

    /// If all values are 0 or 1: the number of the rarer value. A value is 0 or 1 if it equals its square.
    fileprivate var kinds: Double? {
        guard metric != .latency, squares == sum, sum >= 0, sum <= Double(count) else { return nil }
        return min(sum, Double(count) - sum)
    }
}
