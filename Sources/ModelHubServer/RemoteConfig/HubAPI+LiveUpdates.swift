import Hummingbird

/// The endpoint for live updates: `POST /v1/projects/{project}/namespaces/firebase:streamFetchInvalidations`.
extension HubAPI {
    /// Tells an app that there are no live updates, in a way that makes its SDK stop at once.
    ///
    /// The SDKs of Android and Apple treat every error as temporary and try up to eight times. They stop at
    /// `featureDisabled`. The JavaScript SDK treats that as the end of a stream and connects again without end. It
    /// stops at an error.
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
