import Foundation

/// A variant against the first one, for one metric.
public struct VariantComparison: Sendable, Hashable {
    /// What can be said.
    public enum Verdict: String, Sendable, Hashable, Codable {
        /// Nothing yet.
        case tooFew = "too-few"
        /// That there is no difference which chance does not explain.
        case notSignificant = "not-significant"
        /// That it is better.
        case better
        /// That it is worse.
        case worse
    }

    /// The variant's mean less that of the first one.
    public var difference: Double
    /// Where the true difference lies with 95 % confidence, for all comparisons of a metric together.
    public var interval: ClosedRange<Double>
    /// How probable so great a difference is if there is none.
    public var pValue: Double
    /// What can be said.
    public var verdict: Verdict

    static let confidence = 0.95
    /// Below so many installations on either side nothing is said; the sums are too far from normal.
    static let fewestInstallations = 30
    /// Nor where fewer results than these were good, or bad.
    private static let fewestOfEachKind = 5.0

    /// Compares two means whose variances are unknown and may differ.
    ///
    /// The mean is a ratio of sums over installations, x/n; its variance is that of Taylor's linearization,
    /// V = k/(k−1) · Σ(xᵢ − R·nᵢ)² / (Σnᵢ)² with R = Σxᵢ/Σnᵢ over k installations (W. Cochran, "Sampling Techniques", 3rd edition,
    /// 1977, 6.3 and 6.4; for experiments A. Deng et al., "Applying the Delta Method in Metric Analytics", KDD 2018). The
    /// difference is tested as by B. Welch ("The generalization of 'Student's' problem", Biometrika 34, 1947) with the degrees of
    /// freedom of Welch and Satterthwaite. If every installation reports one result this is Welch's test of the results, and for
    /// scores of 0 and 1 the test of two proportions with unpooled variance. With m variants beside the first, each interval has
    /// the confidence 1 − 0.05/m and each p-value is taken m times (C. Bonferroni).
    ///
    /// Nil if either side has nothing.
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
    public var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// Nil for fewer than two installations.
    var varianceOfMean: Double? {
        guard let mean, installations > 1 else { return nil }
        let number = Double(installations)
        // Rounding may leave a little less than nothing.
        let spread = max(sumXX - 2 * mean * sumNX + mean * mean * sumNN, 0)
        let isZero = spread <= 1e-12 * max(sumXX, mean * mean * sumNN)
        return isZero ? 0 : number / (number - 1) * spread / (Double(count) * Double(count))
    }

    /// If all values are 0 or 1: how many there are of the rarer. A value is one of them if it is its own square.
    fileprivate var kinds: Double? {
        guard metric != .latency, squares == sum, sum >= 0, sum <= Double(count) else { return nil }
        return min(sum, Double(count) - sum)
    }
}
