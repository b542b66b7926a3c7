import Foundation

/// The current results of an experiment: its variants side by side.
package struct ExperimentOutcome: Sendable, Hashable {
    /// A metric with the values of all variants.
    package struct Metric: Sendable, Hashable {
        /// The metric.
        package var metric: OutcomeMetric
        /// The variants in the experiment's order, including those without reports.
        package var variants: [VariantOutcome]
    }

    /// The values of a metric for a variant.
    package struct VariantOutcome: Sendable, Hashable {
        /// The values of all models together.
        package var total: OutcomeTotal
        /// The values of each model.
        package var models: [OutcomeTotal]
        /// The comparison with the first variant; nil for the first variant itself, or if there are too few values.
        package var comparison: VariantComparison?
    }

    /// The experiment.
    package var experiment: Experiment
    /// The metrics: results, then latency, then scores by name.
    package var metrics: [Metric]
    /// The probability of the observed division of installations if the weights are right; nil with too few
    /// installations. If it is below 0.001, there is a fault in the experiment, and no difference can be trusted (R.
    /// Kohavi et al., "Trustworthy Online Controlled Experiments", 2020, chapter 21).
    package var divisionProbability: Double?

    init(_ experiment: Experiment, _ totals: [OutcomeTotal]) {
        self.experiment = experiment
        metrics = Set(totals.map(\.metric)).sorted().map { metric in
            let all = experiment.variants.map { variant in
                let own = totals.filter { $0.metric == metric && $0.variant == variant.id }
                return (
                    total: own.first { $0.model.isEmpty }
                        ?? OutcomeTotal(variant: variant.id, model: "", metric: metric),
                    models: own.filter { !$0.model.isEmpty }
                )
            }
            return Metric(
                metric: metric,
                variants: all.enumerated().map { index, variant in
                    // The number of results does not measure quality.
                    let comparison =
                        index == 0 || metric.isCount
                        ? nil
                        : VariantComparison(
                            variant.total,
                            against: all[0].total,
                            comparisons: all.count - 1,
                            lessIsBetter: metric == .latency
                        )
                    return VariantOutcome(total: variant.total, models: variant.models, comparison: comparison)
                }
            )
        }
        let counts = metrics.first { $0.metric == .results }?.variants.map(\.total.sums.devices) ?? []
        divisionProbability = Self.probability(of: counts, weights: experiment.variants.map(\.weight))
    }

    /// Pearson's chi-squared test; the probability is computed with the formula of E. Wilson and M. Hilferty ("The
    /// distribution of chi-square", 1931).
    private static func probability(of counts: [Int], weights: [Int]) -> Double? {
        let total = Double(counts.reduce(0, +))
        let weight = Double(weights.reduce(0, +))
        let expected = weights.map { total * Double($0) / weight }
        guard counts.count == weights.count, counts.count > 1, expected.allSatisfy({ $0 >= 5 }) else { return nil }
        let squared = zip(counts, expected).reduce(0.0) { sum, pair in
            let deviation = Double(pair.0) - pair.1
            return sum + deviation * deviation / pair.1
        }
        let freedom = Double(counts.count - 1)
        let spread = 2 / (9 * freedom)
        return erfc((cbrt(squared / freedom) - (1 - spread)) / spread.squareRoot() / 2.0.squareRoot()) / 2
    }

    /// The results as sentences: one for each metric and variant, and warnings if something is wrong.
    package var sentences: [String] {
        var sentences: [String] = []
        if let divisionProbability, divisionProbability < 0.001 {
            sentences.append(
                "The division of installations differs significantly from the weights; trust no difference before the reason "
                    + "is known."
            )
        }
        let compared = metrics.filter { !$0.metric.isCount }
        if compared.isEmpty { sentences.append("There are no reports to compare yet.") }
        let unidentified = metrics.first { $0.metric == .unidentified }?.variants.reduce(0) { $0 + $1.total.count } ?? 0
        if unidentified > 0 {
            sentences.append(
                "\(unidentified) results came without an installation token, so their origin is unknown; they are not compared."
            )
        }
        for metric in compared {
            guard let control = metric.variants.first else { continue }
            for variant in metric.variants.dropFirst() {
                sentences.append(Self.sentence(variant, against: control.total, metric.metric))
            }
        }
        return sentences
    }

    private static func sentence(
        _ variant: VariantOutcome,
        against control: OutcomeTotal,
        _ metric: OutcomeMetric
    ) -> String {
        let name = metric.name
        guard let comparison = variant.comparison, let mean = variant.total.sums.mean, let other = control.sums.mean
        else {
            let missing = variant.total.count == 0 ? variant.total.variant : control.variant
            return "\(name): \(missing) has no reports yet."
        }
        let unit = metric == .latency ? " ms" : ""
        let (low, high) = (comparison.interval.lowerBound, comparison.interval.upperBound)
        let facts =
            "\(FigureText.value(mean))\(unit) against \(FigureText.value(other))\(unit), difference "
            + "\(FigureText.signed(comparison.difference))\(unit)"
        let interval =
            low.isFinite
            ? ", 95 % interval \(FigureText.signed(low)) to \(FigureText.signed(high)), p \(FigureText.probability(comparison.pValue))"
            : ""
        let effective = min(variant.total.sums.effectiveDevices, control.sums.effectiveDevices)
        return switch comparison.verdict {
        case .tooFew
        where min(variant.total.sums.devices, control.sums.devices) >= VariantComparison.fewestInstallations
            && effective < VariantComparison.fewestEffectiveInstallations:
            "\(name): no verdict on \(variant.total.variant), because a few installations sent most of the results, which weigh as much as those of "
                + "\(Int(effective.rounded())) equal installations: \(facts). Look for a fault or a forgery."
        case .tooFew:
            "\(name): too few installations or results for a comparison of \(variant.total.variant) (\(variant.total.sums.devices) and "
                + "\(control.sums.devices) installations; the minimum is \(VariantComparison.fewestInstallations) each): \(facts)."
        case .notSignificant:
            "\(name): no significant difference between \(variant.total.variant) and \(control.variant): \(facts)\(interval)."
        case .better: "\(name): \(variant.total.variant) is better than \(control.variant): \(facts)\(interval)."
        case .worse: "\(name): \(variant.total.variant) is worse than \(control.variant): \(facts)\(interval)."
        }
    }
}

extension OutcomeMetric {
    /// The name for people.
    package var name: String {
        switch self {
        case .results: "results"
        case .unidentified: "results without an installation"
        case .latency: "latency"
        case .score(let name): name
        }
    }
}

/// Formats numbers for people.
enum FigureText {
    /// A number with four significant digits.
    static func value(_ value: Double) -> String {
        guard value != 0, value.isFinite else { return value == 0 ? "0" : "\(value)" }
        let digits = max(0, 3 - Int(log10(abs(value)).rounded(.down)))
        return String(format: "%.\(min(digits, 9))f", value)
    }

    static func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + Self.value(value) }

    static func probability(_ value: Double) -> String {
        value < 0.001 ? "< 0.001" : "= " + String(format: "%.3f", value)
    }
}
