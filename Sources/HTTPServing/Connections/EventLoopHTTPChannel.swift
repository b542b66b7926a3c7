import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 channel that runs all work of a connection on the connection's own event loop, unless the work moves
/// elsewhere itself.
///
/// A request that is answered from memory or with a lookup therefore changes no thread. Otherwise it would change
/// threads four times, which takes longer than the response. Long work must not stay on a loop, because other
/// connections wait for it; see ``RouteKind`` and ``BlockingExecutor``.
struct EventLoopHTTPChannel: ServerChildChannel {
    let base: HTTP1Channel
    /// Nil if all connections come from a proxy.
    let limit: ConnectionLimit?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        do throws(ConnectionLimit.Exceeded) {
            try limit?.admit(channel, logger: logger)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs tasks on an event loop.
private final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
