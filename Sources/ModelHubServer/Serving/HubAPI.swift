import HTTPServing
import Hummingbird

/// The hub's HTTP interface: the routes of all features, behind the middleware.
struct HubAPI: HTTPResponder {
    private let router: RouterResponder<ServingContext>

    /// Creates the interface of a hub.
    ///
    /// - Parameters:
    ///   - server: The settings of the server; nil for commands on the hub's machine, which need neither limits nor the
    ///     console.
    ///   - sendings: The files that connections send directly, if connections are plain.
    init(_ hub: Hub, server: HTTPService.Options?, sendings: FileSendings? = nil) {
        let guesses = GuessLimiter()
        let metrics = HubMetrics()
        let files = FileResponder(sendings: sendings)
        let table = Self.routes(of: hub, server: server, files: files, metrics: metrics, guesses: guesses)

        let router = Router(context: ServingContext.self)
        if let server {
            router.addMiddleware {
                RequestOrigin(options: server, kinds: table.kinds)
                RequestMetrics(metrics: metrics.server, areas: table.areas)
                RequestLog()
                ResponseProtection(usesTLS: server.tls != nil)
            }
        }
        router.addMiddleware {
            Admission { HubError($0).openResponse }
            CrossOrigin(fallbacks: table.fallbacks)
            ErrorResponses { HubError.answer(to: $0, $1, hub.failures).response }
            GuessLimit(guesses: guesses)
            SignedObjects(hub: hub, files: files)
            Fallbacks(table.fallbacks)
        }
        for route in table.routes {
            router.on(route.path, method: route.method) { request, context in
                try await route.handler(APIRequest(request, context))
            }
        }
        self.router = router.buildResponder()
    }

    /// Google's clients write the names of objects as they like.
    static let spelling = {
        var spelling = RequestTarget.Spelling()
        spelling.freeAreas = ["storage", "upload", "resumable", "download"]
        spelling.freeField = SignedObjectRequest.algorithmField
        // Firebase's SDK for Apple's systems ends the addresses of installations with a slash.
        spelling.areaWithFinalSlash = "v1"
        return spelling
    }()

    /// The routes of all features.
    static func routes(
        of hub: Hub,
        server: HTTPService.Options?,
        files: FileResponder,
        metrics: HubMetrics,
        guesses: GuessLimiter
    ) -> RouteTable {
        let operations = OperationLog()
        var table = RouteTable(hub: hub)
        let downloads = DownloadRoutes(hub: hub, files: files, metrics: metrics)
        downloads.add(to: &table)
        ManifestRoutes(hub: hub, downloads: downloads).add(to: &table)
        ModelRoutes(hub: hub, operations: operations).add(to: &table)
        OperationRoutes(hub: hub, operations: operations).add(to: &table)
        ModelDetailRoutes(hub: hub).add(to: &table)
        ObjectRoutes(hub: hub, files: files).add(to: &table)
        UploadRoutes(hub: hub).add(to: &table)
        InstallationRoutes(hub: hub).add(to: &table)
        ConfigFetchRoutes(hub: hub, maximumLiveUpdates: server?.maximumLiveUpdates ?? 0).add(to: &table)
        ConfigRoutes(hub: hub).add(to: &table)
        ExperimentRoutes(hub: hub).add(to: &table)
        FirebaseExperimentRoutes(hub: hub).add(to: &table)
        RolloutRoutes(hub: hub).add(to: &table)
        ShadowRoutes(hub: hub).add(to: &table)
        DataSetRoutes(hub: hub).add(to: &table)
        TrainingRoutes(hub: hub).add(to: &table)
        WebhookRoutes(hub: hub).add(to: &table)
        DriftRoutes(hub: hub).add(to: &table)
        ProjectRoutes(hub: hub).add(to: &table)
        PersonRoutes(hub: hub).add(to: &table)
        KeyRoutes(hub: hub).add(to: &table)
        SessionRoutes(hub: hub).add(to: &table)
        TokenRoutes(hub: hub, guesses: guesses, address: server?.publicAddress).add(to: &table)
        DeviceSignInRoutes(hub: hub, guesses: guesses).add(to: &table)
        HealthRoutes(hub: hub, metrics: metrics, metricsToken: server?.metricsToken).add(to: &table)
        DescriptionRoutes().add(to: &table)
        if server != nil { Console(hub: hub, files: files, guesses: guesses).add(to: &table) }
        return table
    }

    /// Responds to a request; errors also become responses.
    func respond(to request: Request, context: ServingContext) async throws -> Response {
        guard request.uri.path.hasSuffix(ConfigFetchRoutes.liveUpdatesVerb) else {
            return try await answer(to: request, context: context)
        }
        // A task keeps the memory of its deepest call until it ends, and the connection's task waits for updates for hours. A
        // task of its own, which ends with the head of the response, returns these 40 KB.
        async let response = answer(to: request, context: context)
        return try await response
    }

    /// Routes a request. The function is not part of its caller, whose variables stay in memory while an app waits for updates.
    @inline(never)
    private func answer(to request: Request, context: ServingContext) async throws -> Response {
        var context = context
        let request = context.readTarget(of: request, spelling: Self.spelling)
        let response = try await router.respond(to: request, context: context)
        return request.method == .head ? response.withoutBody : response
    }
}
