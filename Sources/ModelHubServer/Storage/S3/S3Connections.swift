import AsyncHTTPClient
import NIOCore
import Synchronization

/// The connections of this process to storage, kept until the process ends.
enum S3Connections {
    private static let clients = Mutex<[Duration: HTTPClient]>([:])

    /// The client whose connections end after some time without a byte from the server.
    static func client(silence: Duration) -> HTTPClient {
        clients.withLock { clients in
            if let client = clients[silence] { return client }
            // A redirect leads to another region, for which the signature is not valid.
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = TimeAmount(min(silence, .seconds(5)))
            configuration.timeout.read = TimeAmount(silence)
            configuration.timeout.write = TimeAmount(silence)
            configuration.httpVersion = .http1Only
            configuration.connectionPool.retryConnectionEstablishment = false
            // Downloads to clients of the hub can occupy connections for a long time.
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
            let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
            clients[silence] = client
            return client
        }
    }
}
