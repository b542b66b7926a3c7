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
            help: "Answers to clients that ask which version of a model to download."
        )
        downloads = server.counter("downloads_total", help: "Downloads of models that began.")
    }
}
