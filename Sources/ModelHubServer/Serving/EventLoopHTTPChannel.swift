import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 of which all that concerns a connection runs on the connection's own event loop, unless it goes elsewhere itself.
///
/// A request that is answered from memory or with a lookup thus changes no thread on its way; between the loops and the threads
/// of Swift's tasks it would, four times, which takes longer than the answer. What may take long must not stay on a loop, since
/// other connections wait for it; see ``RequestKind`` and ``BlockingExecutor``.
struct EventLoopHTTPChannel: ServerChildChannel {
    let base: HTTP1Channel
    /// Nil where all connections come from a proxy.
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
