import Foundation
import Metrics
import Synchronization

/// The hub's metrics: requests by kind and status, their duration, and downloads.
final class HubMetrics: Sendable {
    private struct Kind: Hashable {
        var area: String
        var method: String
        var status: Int
    }

    private let backend = PrometheusMetrics()
    private let requests = Mutex<[Kind: Counter]>([:])
    private let durations = Mutex<[String: Metrics.Timer]>([:])
    private let downloadInfos: Counter
    private let downloads: Counter
    private let memory: Gauge

    init() {
        downloadInfos = Counter(label: "hub_download_infos_total", dimensions: [], factory: backend)
        downloads = Counter(label: "hub_downloads_total", dimensions: [], factory: backend)
        memory = Gauge(label: "process_resident_memory_bytes", dimensions: [], factory: backend)
    }

    func countDownloadInfo() { downloadInfos.increment() }
    func countDownload() { downloads.increment() }

    /// Counts an answered request.
    func count(area: String, method: String, status: Int, duration: Duration) {
        let kind = Kind(area: area, method: method, status: status)
        let counter = requests.withLock { counters in
            if let counter = counters[kind] { return counter }
            let counter = Counter(
                label: "hub_requests_total",
                dimensions: [("area", area), ("method", method), ("status", "\(status)")],
                factory: backend
            )
            counters[kind] = counter
            return counter
        }
        counter.increment()
        let timer = durations.withLock { timers in
            if let timer = timers[area] { return timer }
            let timer = Timer(label: "hub_request_seconds", dimensions: [("area", area)], factory: backend)
            timers[area] = timer
            return timer
        }
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(
            seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue + attoseconds / 1_000_000_000
        )
    }

    /// All metrics in the text format of Prometheus.
    var text: String {
        if let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            .dropFirst().first,
            let count = Int64(pages)
        {
            memory.record(count * Int64(sysconf(Int32(_SC_PAGESIZE))))
        }
        return backend.text
    }
}
