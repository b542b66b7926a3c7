import Hummingbird

/// Where apps ask to be told of new configurations: `POST /v1/projects/{project}/namespaces/firebase:streamFetchInvalidations`.
extension HubAPI {
    /// Tells an app that there are no live updates, in the way that makes its SDK give up at once.
    ///
    /// Android's and Apple's SDKs take any error for a passing one and try up to eight times. They stop at `featureDisabled`.
    /// The JavaScript SDK takes that for a stream that ended, and connects again without end. It stops at an error.
    func refuseLiveUpdates(_ request: APIRequest, project: String, namespace: String) async throws -> Response {
        guard request.method == .post else { throw HubError.methodNotAllowed }
        guard namespace == ConfigNamespace.client.rawValue else { throw HubError.entityNotFound }
        _ = try await configuration(request, project: project)
        let body = try await request.smallBody(upTo: Self.fetchLimit)
        if try ClientContext(Array(body.readableBytesView)).os == "web" {
            throw HubError(.unimplemented, "This hub has no live updates; the app fetches its configuration instead.")
        }
        return .json(text: #"{"featureDisabled":true}"#)
    }
}
