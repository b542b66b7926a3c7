import HTTPServing
import HTTPTypes
import Hummingbird

/// Reads of objects by signed address, as the Admin SDKs' `bucket.file(…)` signs them.
///
/// The path is that of a bucket, which may have any name, also the name of a route.
struct SignedObjects: RouterMiddleware {
    typealias Context = ServingContext

    let hub: Hub
    let files: FileResponder

    func handle(
        _ request: Request,
        context: ServingContext,
        next: (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        guard context.target.query[SignedObjectRequest.algorithmField] != nil else {
            return try await next(request, context)
        }
        return try await BlockingExecutor.run { try await object(APIRequest(request, context)) }
    }

    private func object(_ request: APIRequest) async throws -> Response {
        guard request.method == .get || request.method == .head else { throw HubError.methodNotAllowed("GET, HEAD") }
        let signed = try SignedObjectRequest(request)
        let refusal = HubError(
            .permissionDenied,
            "The signature does not belong to a key file of this hub or to this request; sign the address again."
        ).forWrongCredential
        let keys = try await hub.serviceAccountKeys(of: signed.account)
        guard keys.contains(where: { $0.publicKey.map(signed.isSigned) == true }) else { throw refusal }
        guard signed.isValid(at: hub.now()) else {
            throw HubError(.invalidArgument, "The signed address has expired or is not valid yet; sign it again.")
        }
        let address = signed.address
        guard let object = try await hub.records.object(address.name, in: address.bucket, of: signed.project) else {
            throw HubError.entityNotFound
        }
        return try await files.response(for: object, in: hub.blobs, to: request)
    }
}
