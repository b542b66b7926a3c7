import HTTPServing
import Hummingbird

extension ConfigFetchRoutes {
    /// Evaluates a configuration for a client.
    ///
    /// A long evaluation runs outside the connection's event loop. Each of its milliseconds counts as another request
    /// of the client's address.
    func reply(
        _ config: CompiledConfig,
        to client: ClientContext,
        _ request: APIRequest
    ) async -> CompiledConfig.Reply {
        let now = hub.now()
        let work = config.work.nanoseconds(for: client)
        guard work > EvaluationWork.quick else { return config.reply(to: client, now: now) }
        request.limiter?.charge(Double(work) / 1_000_000, to: request.client.network)
        return await BlockingExecutor.run { config.reply(to: client, now: now) }
    }
}
