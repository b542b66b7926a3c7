// The program of `Scripts/tools check transfers`: the client's exchanges over URLSession, on Linux.
import DurableFiles
import Foundation
import ModelHubProtocol

/// In the module it lies beside types of the vision stack, which transfers do not need.
package struct DownloadProgress: Sendable, Hashable {
    var completedByteCount: Int
    var totalByteCount: Int
}

@main
enum Transfers {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let hub = URL(string: arguments[1]), let size = Int(arguments[2]) else { exit(64) }
        let program = Exchanges(hub: hub, size: size, hash: arguments[3], folder: arguments[4])
        let failures = await program.run()
        for failure in failures { print("error: \(failure)") }
        exit(failures.isEmpty ? 0 : 1)
    }
}

struct Exchanges: Sendable {
    let hub: URL
    let size: Int
    let hash: String
    let folder: String

    private var transport: HubTransport {
        HubTransport(hub: hub, credentials: .app(key: "a-key", bundleID: nil), trusting: nil, idleTimeout: .seconds(3))
    }

    /// The checks that failed.
    func run() async -> [String] {
        var failures: [String] = []
        func check(_ name: String, _ body: () async throws -> Bool) async {
            do {
                if try await !body() { failures.append(name) }
            } catch {
                failures.append("\(name): \(error)")
            }
        }
        await check("a posted body comes back, and the key arrived") {
            let reply = try await transport.send(.post, "/echo", body: Data("hello".utf8), upTo: 100)
            return reply.status == 200 && reply.body == Data("hello".utf8)
                && reply.headers.first(name: "X-KEY") == "a-key"
        }
        await check("a refusal has its message") {
            let reply = try await transport.send(.get, "/missing", upTo: 1000)
            return reply.failure == .refused(status: 404, message: "no such model", retryAfter: nil)
        }
        await check("a redirect is not followed") {
            try await transport.send(.get, "/redirect", upTo: 1000).status == 302
        }
        await check("a body over the limit fails") {
            await failure(of: "/file", upTo: 1000)
                == .invalidReply(reason: "it is longer than 1000 bytes")
        }
        await check("a file arrives whole") { try await download("/file") }
        await check("a file that the server cuts off is resumed") { try await download("/cut") }
        await check("a canceled request ends at once") {
            try await cancelled("/hang") == .cancelled
        }
        await check("a request that is canceled in its body ends at once") {
            try await cancelled("/hang-in-body") == .cancelled
        }
        await check("a silent server is given up") {
            await failure(of: "/hang", upTo: 10)?.isTransient == true
        }
        await check("200 requests at once get their own answers") {
            let transport = transport
            return await withTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let body = Data("number \(number)".utf8)
                        return (try? await transport.send(.post, "/echo", body: body, upTo: 100))?.body == body
                    }
                }
                return await group.allSatisfy { $0 }
            }
        }
        return failures
    }

    private func failure(of path: String, upTo limit: Int) async -> HubFailure? {
        do throws(HubFailure) {
            _ = try await transport.send(.get, path, upTo: limit)
            return nil
        } catch {
            return error
        }
    }

    private func cancelled(_ path: String) async throws -> HubFailure? {
        let transport = transport
        let start = ContinuousClock.now
        let task = Task { () -> HubFailure? in
            do throws(HubFailure) {
                _ = try await transport.send(.get, path, upTo: 100_000)
                return nil
            } catch {
                return error
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        let failure = await task.value
        return ContinuousClock.now - start < .seconds(2) ? failure : nil
    }

    private func download(_ path: String) async throws -> Bool {
        let resource = """
            {"downloadUri": "\(hub.absoluteString)\(path)", "expireTime": "2099-01-01T00:00:00Z", "sizeBytes": "\(size)"}
            """
        let info = try ModelInfo(Data(resource.utf8), etag: EntityTag("\"\(hash)\""))
        let place = folder + path
        let download = FileDownload(
            over: transport,
            retry: RetryPolicy(),
            renew: { () async throws(HubFailure) in info },
            open: { (_) throws(DurableFileError) in
                guard let file = try PartialFile.opened(place) else {
                    throw DurableFileError(path: place, code: EBUSY)
                }
                return file
            },
            report: { _ in }
        )
        return try await finish(download, info)
    }

    private func finish(_ download: consuming FileDownload, _ info: ModelInfo) async throws -> Bool {
        let (file, _) = try await download.run(info)
        return file.byteCount == size && file.sha256 == hash
    }
}
