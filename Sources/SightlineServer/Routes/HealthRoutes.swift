import HTTPServing
import Hummingbird
import NIOCore

/// `/healthz`, `/readyz` and `/metrics`, for operators of the server.
struct HealthRoutes {
    let service: AnswerService

    private static let tag = AnswerAPI.operators

    func add(to routes: inout AnswerRoutes) {
        routes.on(.get, .head, at: "healthz", for: .everybody) { _ in
            .json(text: #"{"status":"alive"}"#)
        } describedBy: {
            APIOperation(tag: Self.tag, "getHealth", "See whether the server runs")
                .answers("The server runs.", .fields(["status": .constant("alive")]))
        }
        routes.on(.get, .head, at: "readyz", for: .everybody) { _ in
            let missing = service.servedModels().filter { $0.version == nil }.map(\.name)
            guard missing.isEmpty else {
                let names = missing.joined(separator: ", ")
                throw AnswerError(
                    .serviceUnavailable,
                    "Not downloaded yet: \(names); the log says why.",
                    retryAfter: .seconds(5)
                )
            }
            return .json(text: #"{"status":"ready"}"#)
        } describedBy: {
            APIOperation(tag: Self.tag, "getReadiness", "See whether all models are ready")
                .answers("All models are ready.", .fields(["status": .constant("ready")]))
        }
        routes.on(.get, at: "metrics", for: .metrics) { _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: service.metrics.server.text))
            )
        } describedBy: {
            APIOperation(tag: Self.tag, "getMetrics", "Get metrics for Prometheus")
                .answers("The metrics in Prometheus' text format.", ["text/plain": .text()])
        }
        for path in ["healthz", "readyz", "metrics"] { routes.refuseOtherMethods(at: path) }
    }
}
