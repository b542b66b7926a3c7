extension ThresholdCurve {
    /// Precision, recall and F1 by threshold, with an optional line at a threshold. The line's label states whether
    /// this threshold is the best.
    func plot(marking threshold: Double?, best: Double?) -> Plot {
        Plot(
            title: "Precision and recall by threshold",
            xTitle: "confidence threshold",
            series: [
                .init(name: "precision", color: 1, points: points.map { ($0.threshold, $0.precision) }),
                .init(name: "recall", color: 2, points: points.map { ($0.threshold, $0.recall) }),
                .init(name: "F1", color: 3, points: points.map { ($0.threshold, $0.f1) }),
            ],
            marker: threshold.map { ($0, "\(ReportNumbers.threshold($0))\($0 == best ? ", best F1" : "")") }
        )
    }
}
