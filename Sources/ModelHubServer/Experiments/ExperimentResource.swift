/// An experiment in the API.
struct ExperimentResource: Encodable {
    struct Variant: Encodable {
        var variantId: String
        var value: String?
        var noChange: Bool?
        var weight: Int
    }

    var experimentId: String
    var state: String
    var parameter: String
    var condition: String?
    var variants: [Variant]
    var exposurePercent: Double
    var startTime: String
    var stopTime: String?
    var winner: String?

    init(_ experiment: Experiment) {
        experimentId = experiment.id
        state = experiment.isRunning ? "RUNNING" : "STOPPED"
        parameter = experiment.parameter
        condition = experiment.condition
        variants = experiment.variants.map {
            Variant(variantId: $0.id, value: $0.value, noChange: $0.value == nil ? true : nil, weight: $0.weight)
        }
        exposurePercent = experiment.exposurePercent
        startTime = "\(experiment.startTime)"
        stopTime = experiment.stopTime.map { "\($0)" }
        winner = experiment.winner
    }
}

/// The results of an experiment in the API.
struct OutcomeResource: Encodable {
    struct Total: Encodable {
        struct Percentiles: Encodable {
            var p50, p90, p99: Double?
        }

        struct Comparison: Encodable {
            var difference: Double
            /// Absent if there is no interval.
            var lower, upper: Double?
            var pValue: Double
            var verdict: String
        }

        var variantId: String
        var model: String?
        var installations: Int
        var count: Int
        var mean: Double?
        /// The standard error of the mean.
        var error: Double?
        /// In milliseconds.
        var percentiles: Percentiles?
        var comparison: Comparison?
        var models: [Total]?

        init(_ total: OutcomeTotal, _ comparison: VariantComparison? = nil, models: [OutcomeTotal] = []) {
            variantId = total.variant
            model = total.model.isEmpty ? nil : total.model
            installations = total.installations
            count = total.count
            mean = total.metric.isCount ? nil : total.mean
            error = total.metric.isCount ? nil : total.varianceOfMean?.squareRoot()
            if total.metric == .latency {
                percentiles = Percentiles(
                    p50: LatencyBucket.percentile(0.5, of: total.histogram),
                    p90: LatencyBucket.percentile(0.9, of: total.histogram),
                    p99: LatencyBucket.percentile(0.99, of: total.histogram)
                )
            }
            self.comparison = comparison.map {
                Comparison(
                    difference: $0.difference,
                    lower: $0.interval.lowerBound.isFinite ? $0.interval.lowerBound : nil,
                    upper: $0.interval.upperBound.isFinite ? $0.interval.upperBound : nil,
                    pValue: $0.pValue,
                    verdict: $0.verdict.rawValue
                )
            }
            self.models = models.isEmpty ? nil : models.map { Total($0) }
        }
    }

    struct Metric: Encodable {
        var metric: String
        var variants: [Total]
    }

    var experiment: ExperimentResource
    var metrics: [Metric]
    var divisionProbability: Double?
    var sentences: [String]

    init(_ outcome: ExperimentOutcome) {
        experiment = ExperimentResource(outcome.experiment)
        metrics = outcome.metrics.map { metric in
            Metric(
                metric: metric.metric.text,
                variants: metric.variants.map { Total($0.total, $0.comparison, models: $0.models) }
            )
        }
        divisionProbability = outcome.divisionProbability
        sentences = outcome.sentences
    }
}
