#if canImport(Network)
    import Foundation
    import SightlineLocks

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// A `URLSession` that keeps nothing on disk, follows no redirects, and hands bodies over in pieces.
    ///
    /// Redirects are not followed: hubs send no redirects, and the API key belongs to this hub.
    final class HubSession: Sendable {
        private let session: URLSession
        private let delegate: SessionDelegate

        /// Creates a session.
        ///
        /// - Parameter roots: A PEM file of certificates to trust in addition to those of the system.
        /// - Throws: ``UnusableSettings`` if the file holds no certificate.
        init(trusting roots: URL?) throws(UnusableSettings) {
            let settings = URLSessionConfiguration.ephemeral
            settings.urlCache = nil
            settings.httpCookieStorage = nil
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            delegate = SessionDelegate(trust: try ServerTrust(roots))
            session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
        }

        /// Sends a request.
        func start(_ request: URLRequest) -> SessionTransfer {
            let task = session.dataTask(with: request)
            let transfer = SessionTransfer(task)
            delegate.add(transfer, for: task)
            task.resume()
            return transfer
        }
    }

    /// Passes the reports of a session to the transfer that they concern.
    private final class SessionDelegate: NSObject, URLSessionDataDelegate {
        /// A transfer that ends with its reader.
        private struct Reference {
            weak var transfer: SessionTransfer?
        }

        private let transfers = Mutex<[Int: Reference]>([:])
        private let trust: ServerTrust

        init(trust: ServerTrust) { self.trust = trust }

        func add(_ transfer: SessionTransfer, for task: URLSessionTask) {
            transfers.withLock { $0[task.taskIdentifier] = Reference(transfer: transfer) }
        }

        private func transfer(of task: URLSessionTask) -> SessionTransfer? {
            transfers.withLock { $0[task.taskIdentifier]?.transfer }
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            transfer(of: dataTask)?.begin(response)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            transfer(of: dataTask)?.receive(data)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier)?.transfer }
            transfer?.end(error)
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            trust.answer(challenge, completionHandler)
        }
    }
#endif
