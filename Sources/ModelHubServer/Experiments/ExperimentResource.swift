import ModelHubProtocol

extension ExperimentResource {
    /// Describes an experiment.
    init(_ experiment: Experiment) {
        self.init(
            experimentId: experiment.id,
            state: experiment.isRunning ? "RUNNING" : "STOPPED",
            parameter: experiment.parameter,
            condition: experiment.condition,
            variants: experiment.variants.map { Variant(variantId: $0.id, value: $0.value, weight: $0.weight) },
            exposurePercent: experiment.exposurePercent,
            startTime: "\(experiment.startTime)",
            stopTime: experiment.stopTime.map { "\($0)" },
            winner: experiment.winner
        )
    }
}

extension OutcomeResource {
    /// Describes the results of an experiment.
    init(_ outcome: ExperimentOutcome) {
        self.init(
            experiment: ExperimentResource(outcome.experiment),
            metrics: outcome.metrics.map { metric in
                Metric(
                    metric: metric.metric.text,
                    variants: metric.variants.map { Total($0.total, $0.comparison, models: $0.models) }
                )
            },
            divisionProbability: outcome.divisionProbability,
            sentences: outcome.sentences
        )
    }
}

extension OutcomeResource.Total {
    fileprivate init(_ total: OutcomeTotal, _ comparison: VariantComparison? = nil, models: [OutcomeTotal] = []) {
        self.init(
            variantId: total.variant,
            model: total.model.isEmpty ? nil : total.model,
            installations: total.sums.devices,
            count: total.count
        )
        mean = total.metric.isCount ? nil : total.sums.mean
        error = total.metric.isCount ? nil : total.sums.varianceOfMean?.squareRoot()
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
        self.models = models.isEmpty ? nil : models.map { OutcomeResource.Total($0) }
    }
}
