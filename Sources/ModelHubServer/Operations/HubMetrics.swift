import HTTPServing
import Metrics

/// The hub's metrics: those of its server, and downloads.
struct HubMetrics: Sendable {
    let server: ServerMetrics
    let downloadInfos: Counter
    let downloads: Counter

    init() {
        server = ServerMetrics(name: "hub")
        downloadInfos = server.counter(
            "download_infos_total",
            help: "Requests of apps for the newest version of a model that were answered."
        )
        downloads = server.counter("downloads_total", help: "Files of models that were sent to apps.")
    }
}
