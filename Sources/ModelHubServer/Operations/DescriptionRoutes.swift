import Hummingbird
import NIOCore

/// `/openapi.json`: the description of the hub's HTTP API in the form of OpenAPI 3.1.
struct DescriptionRoutes {
    func add(to routes: inout RouteTable) {
        routes.on(.get, .head, at: "openapi.json") { _ in .json(text: Self.text) }
    }

    private static let text = String(decoding: PackageResources.openapi_json, as: UTF8.self)
}
