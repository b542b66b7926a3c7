/// The results of an experiment, in the hub's own API.
package struct OutcomeResource: Codable, Sendable {
    /// The values of a metric in a variant, or for a model of it.
    package struct Total: Codable, Sendable {
        /// In milliseconds.
        package struct Percentiles: Codable, Sendable {
            package var p50, p90, p99: Double?

            /// Creates percentiles.
            package init(p50: Double?, p90: Double?, p99: Double?) { (self.p50, self.p90, self.p99) = (p50, p90, p99) }
        }

        /// The difference from the first variant.
        package struct Comparison: Codable, Sendable {
            package var difference: Double
            /// Absent if there is no interval.
            package var lower, upper: Double?
            package var pValue: Double
            package var verdict: String

            /// Creates a comparison.
            package init(difference: Double, lower: Double?, upper: Double?, pValue: Double, verdict: String) {
                self.difference = difference
                (self.lower, self.upper) = (lower, upper)
                (self.pValue, self.verdict) = (pValue, verdict)
            }
        }

        package var variantId: String
        package var model: String?
        package var installations: Int
        package var count: Int
        package var mean: Double?
        /// The standard error of the mean.
        package var error: Double?
        package var percentiles: Percentiles?
        package var comparison: Comparison?
        package var models: [Total]?

        /// Creates a total without statistics.
        package init(variantId: String, model: String?, installations: Int, count: Int) {
            (self.variantId, self.model) = (variantId, model)
            (self.installations, self.count) = (installations, count)
        }
    }

    /// A metric and its values in each variant.
    package struct Metric: Codable, Sendable {
        package var metric: String
        package var variants: [Total]

        /// Creates a metric.
        package init(metric: String, variants: [Total]) { (self.metric, self.variants) = (metric, variants) }
    }

    package var experiment: ExperimentResource
    package var metrics: [Metric]
    /// The probability that chance alone divides the installations as unevenly.
    package var divisionProbability: Double?
    /// The results in words.
    package var sentences: [String]

    /// Creates results.
    package init(
        experiment: ExperimentResource,
        metrics: [Metric],
        divisionProbability: Double?,
        sentences: [String]
    ) {
        self.experiment = experiment
        self.metrics = metrics
        self.divisionProbability = divisionProbability
        self.sentences = sentences
    }
}
