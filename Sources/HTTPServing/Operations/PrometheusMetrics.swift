import Foundation
import Metrics
import Synchronization

/// A backend of swift-metrics with output in the text format of Prometheus (version 0.0.4).
///
/// It supports counters, gauges, and timers, which become histograms in seconds.
final class PrometheusMetrics: MetricsFactory, Sendable {
    /// A name and its labels.
    private struct Key: Hashable, Comparable {
        var name: String
        var labels: String

        init(_ label: String, _ dimensions: [(String, String)]) {
            name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
            labels = dimensions.map { name, value in
                let escaped = value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
                    of: "\"",
                    with: "\\\""
                )
                .replacingOccurrences(of: "\n", with: "\\n")
                return "\(name)=\"\(escaped)\""
            }.joined(separator: ",")
        }

        static func < (left: Key, right: Key) -> Bool { (left.name, left.labels) < (right.name, right.labels) }
    }

    private struct State {
        var counters: [Key: PrometheusCounter] = [:]
        var gauges: [Key: PrometheusGauge] = [:]
        var histograms: [Key: PrometheusHistogram] = [:]
    }

    private let state = Mutex(State())
    private let helps = Mutex<[String: String]>([:])

    /// Sets the text that explains the metrics with a name.
    func explain(_ name: String, _ help: String) { helps.withLock { $0[name] = help } }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        state.withLock { state in
            let key = Key(label, dimensions)
            let counter = state.counters[key] ?? PrometheusCounter()
            state.counters[key] = counter
            return counter
        }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        state.withLock { state in
            let key = Key(label, dimensions)
            let gauge = state.gauges[key] ?? PrometheusGauge()
            state.gauges[key] = gauge
            return gauge
        }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        state.withLock { state in
            let key = Key(label, dimensions)
            let histogram = state.histograms[key] ?? PrometheusHistogram()
            state.histograms[key] = histogram
            return histogram
        }
    }

    // Counts stay until the process ends, as Prometheus expects.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics as text.
    var text: String {
        let state = state.withLock { $0 }
        let helps = helps.withLock { $0 }
        var text = ""
        var lastName = ""
        func line(_ key: Key, _ suffix: String, _ value: String, type: String, extra: String = "") {
            if key.name != lastName {
                if let help = helps[key.name] { text += "# HELP \(key.name) \(help)\n" }
                text += "# TYPE \(key.name) \(type)\n"
            }
            lastName = key.name
            let labels = [key.labels, extra].filter { !$0.isEmpty }.joined(separator: ",")
            text += "\(key.name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
        }
        for (key, counter) in state.counters.sorted(by: { $0.key < $1.key }) {
            line(key, "", "\(counter.count)", type: "counter")
        }
        for (key, gauge) in state.gauges.sorted(by: { $0.key < $1.key }) {
            line(key, "", "\(gauge.latest)", type: "gauge")
        }
        for (key, histogram) in state.histograms.sorted(by: { $0.key < $1.key }) {
            let snapshot = histogram.snapshot
            var sum = 0
            for (bound, count) in zip(PrometheusHistogram.bounds, snapshot.buckets) {
                sum += count
                line(key, "_bucket", "\(sum)", type: "histogram", extra: "le=\"\(bound)\"")
            }
            line(key, "_bucket", "\(snapshot.count)", type: "histogram", extra: "le=\"+Inf\"")
            line(key, "_sum", "\(snapshot.sum)", type: "histogram")
            line(key, "_count", "\(snapshot.count)", type: "histogram")
        }
        return text
    }
}

private final class PrometheusCounter: CounterHandler, Sendable {
    private let value = Atomic<Int64>(0)
    var count: Int64 { value.load(ordering: .relaxed) }
    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }
}

private final class PrometheusGauge: RecorderHandler, Sendable {
    private let value = Mutex(0.0)
    var latest: Double { value.withLock { $0 } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { self.value.withLock { $0 = value } }
}

private final class PrometheusHistogram: TimerHandler, Sendable {
    struct Snapshot {
        var buckets = [Int](repeating: 0, count: PrometheusHistogram.bounds.count)
        var count = 0
        var sum = 0.0
    }

    /// Upper bounds in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    private let state = Mutex(Snapshot())
    var snapshot: Snapshot { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        state.withLock { state in
            if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { state.buckets[index] += 1 }
            state.count += 1
            state.sum += seconds
        }
    }
}
