import Hummingbird

extension HubAPI {
    /// Evaluates a configuration for a client.
    ///
    /// A long evaluation leaves the connection's event loop. For each millisecond it counts as one more request of the client's
    /// address.
    ///
    /// - Throws: `.resourceExhausted` if the address has no requests left for it.
    func reply(
        _ config: CompiledConfig,
        to client: ClientContext,
        _ request: APIRequest
    ) async throws -> CompiledConfig.Reply {
        let now = hub.now()
        let work = config.work.nanoseconds(for: client)
        guard work > EvaluationWork.quick else { return config.reply(to: client, now: now) }
        if request.local == nil, let limiter,
            let wait = limiter.wait(for: request.peer, cost: min(Double(work) / 1_000_000, limiter.burst / 2))
        {
            throw HubError(
                .resourceExhausted,
                "Too many fetches of a large configuration from this address; wait \(max(wait.components.seconds, 1)) s, then try again."
            )
        }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { config.reply(to: client, now: now) }
    }
}
