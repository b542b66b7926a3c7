import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Live updates: `POST /v1/projects/{project}/namespaces/firebase:streamFetchInvalidations`.
extension ConfigFetchRoutes {
    /// The end of the path of live updates.
    static let liveUpdatesVerb = ":streamFetchInvalidations"

    /// The pause that the hub asks for when it stops.
    private static let returnSeconds = 5

    /// Streams a line of JSON for each new template, until the app disconnects or the hub stops.
    ///
    /// The SDKs look for a pair of braces in each piece that arrives, so every object is sent at once. The Android SDK
    /// reads lines. An empty line is the sign of life; the SDKs skip it. The iOS SDK gives up a stream that is silent
    /// for 330 s.
    ///
    /// The app gives its place back as soon as its connection closes, and not when the next write fails. Before each line
    /// its key or token is looked up again, so that a revocation ends the stream.
    ///
    /// A hub that stops says when to come back, so that the end of the stream does not count as a failure: after a failure
    /// the SDKs wait for minutes.
    @Sendable
    func liveUpdates(_ request: APIRequest) async throws -> Response {
        let reader = ConfigReader(request)
        let (project, _) = try await configuration(of: reader)
        let client = try await client(request, of: project)
        let updates: TemplateWatch.Updates
        do {
            updates = try await hub.templateWatch.versions(of: project.id, atMost: maximumLiveUpdates)
        } catch {
            throw HubError(
                .unavailable,
                "As many apps as this hub allows wait for live updates already; try again later.",
                retryAfter: .seconds(300)
            )
        }
        request.connection?.closeFuture.whenComplete { _ in updates.end() }
        let known = client.templateVersion
        let body = ResponseBody { writer in
            var sent = known
            for await version in updates.versions {
                guard await isStillPermitted(reader) else { return try await writer.finish(nil) }
                if version > sent {
                    sent = version
                    try await writer.write(ByteBuffer(string: "{\"latestTemplateVersionNumber\":\"\(version)\"}\n"))
                } else {
                    try await writer.write(ByteBuffer(string: "\n"))
                }
            }
            // The loop ends when the hub stops, or with the task when the app is gone.
            if !Task.isCancelled {
                let line = "{\"retryIntervalSeconds\":\"\(Self.returnSeconds)\"}\n"
                try await writer.write(ByteBuffer(string: line))
            }
            try await writer.finish(nil)
        }
        var headers: HTTPFields = [.contentType: "application/json; charset=UTF-8", .cacheControl: "no-store"]
        // Otherwise nginx collects lines until its buffer is full.
        headers[.accelBuffering] = "no"
        return Response(status: .ok, headers: headers, body: body)
    }
}

extension ConfigFetchRoutes {
    /// Whether a reader may still read the configuration. A database that cannot be reached now refuses no reader.
    private func isStillPermitted(_ reader: ConfigReader) async -> Bool {
        // A separate task returns the memory of its deepest call, as in `HubAPI.respond`.
        await Task {
            do {
                _ = try await configuration(of: reader)
            } catch let error as HubError {
                return ![.unauthenticated, .permissionDenied, .notFound, .invalidArgument].contains(error.code)
            } catch {}
            return true
        }.value
    }
}

/// Notifies waiting apps of new templates as soon as the records change.
struct LiveUpdateService: Service {
    let hub: Hub

    func run() async throws {
        for try await change in hub.records.changes().cancelOnGracefulShutdown() {
            await hub.templateWatch.follow(change)
        }
    }
}

/// Ends live updates when the server stops, so that it need not wait for the apps.
struct LiveUpdateStopService: Service {
    let hub: Hub

    func run() async throws {
        try? await gracefulShutdown()
        await hub.templateWatch.end()
    }
}
