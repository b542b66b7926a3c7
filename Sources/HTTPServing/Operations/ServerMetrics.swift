import Foundation
import Metrics
import Synchronization

/// A server's metrics: requests by area, method and status, their duration, and the memory of the process.
package final class ServerMetrics: Sendable {
    private struct Kind: Hashable {
        var area: String
        var method: String
        var status: Int
    }

    private let name: String
    private let backend = PrometheusMetrics()
    private let requests = Mutex<[Kind: Counter]>([:])
    private let durations = Mutex<[String: Metrics.Timer]>([:])
    private let memory: Gauge

    /// - Parameter name: The beginning of the names of the server's own metrics, such as `hub`.
    package init(name: String) {
        self.name = name
        memory = Gauge(label: "process_resident_memory_bytes", dimensions: [], factory: backend)
        backend.describe("process_resident_memory_bytes", "The resident memory of the process in bytes.")
        backend.describe("\(name)_requests_total", "Requests that were answered, by area, method and status.")
        backend.describe("\(name)_request_seconds", "The time from a request's head to its response, by area.")
    }

    /// A counter of something else, such as `downloads_total`.
    ///
    /// - Parameter help: Explains the counter in one sentence.
    package func counter(_ label: String, help: String, dimensions: [(String, String)] = []) -> Counter {
        backend.describe("\(name)_\(label)", help)
        return Counter(label: "\(name)_\(label)", dimensions: dimensions, factory: backend)
    }

    /// A number that goes up and down, such as `waiting_pictures`.
    ///
    /// - Parameter help: Explains the number in one sentence.
    package func gauge(_ label: String, help: String, dimensions: [(String, String)] = []) -> Gauge {
        backend.describe("\(name)_\(label)", help)
        return Gauge(label: "\(name)_\(label)", dimensions: dimensions, factory: backend)
    }

    /// Counts an answered request.
    func count(area: String, method: String, status: Int, duration: Duration) {
        let kind = Kind(area: area, method: method, status: status)
        let counter = requests.withLock { counters in
            if let counter = counters[kind] { return counter }
            let counter = Counter(
                label: "\(name)_requests_total",
                dimensions: [("area", area), ("method", method), ("status", "\(status)")],
                factory: backend
            )
            counters[kind] = counter
            return counter
        }
        counter.increment()
        let timer = durations.withLock { timers in
            if let timer = timers[area] { return timer }
            let timer = Timer(label: "\(name)_request_seconds", dimensions: [("area", area)], factory: backend)
            timers[area] = timer
            return timer
        }
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(
            seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue + attoseconds / 1_000_000_000
        )
    }

    /// All metrics in the text format of Prometheus.
    package var text: String {
        if let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            .dropFirst().first,
            let count = Int64(pages)
        {
            memory.record(count * Int64(sysconf(Int32(_SC_PAGESIZE))))
        }
        return backend.text
    }
}
