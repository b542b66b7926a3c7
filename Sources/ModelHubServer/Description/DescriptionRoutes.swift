import HTTPServing
import Hummingbird
import Synchronization

/// `/openapi.json`: the description of the hub's HTTP API.
struct DescriptionRoutes {
    /// The routes to describe, and their description after the first request for it.
    private final class Document: Sendable {
        private let state = Mutex<(routes: [Route], text: String?)>(([], nil))

        func set(_ routes: [Route]) { state.withLock { $0.routes = routes } }

        var text: String {
            state.withLock { state in
                let text = state.text ?? OpenAPIDocument(state.routes).text
                state.text = text
                return text
            }
        }
    }

    /// Adds the route. It describes itself and the routes before it.
    func add(to routes: inout RouteTable) {
        let document = Document()
        routes.on(.get, .head, at: "openapi.json", use: { _ in .json(text: document.text) }) {
            APIOperation(.health, "getDescription", "Get this description")
                .answers("This description.", .object().open)
        }
        document.set(routes.routes)
    }
}
