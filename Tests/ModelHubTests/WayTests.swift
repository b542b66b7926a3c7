import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHub

/// Which way requests take to a hub, and whom they trust.
@Suite(.hangLimit)
struct WayTests {
    private static let plants = RemoteModel(name: "plants")

    @Test func aHubWithACertificateOfItsOwnIsTrustedIfTheConfigurationSaysSo() async throws {
        try await withTemporaryFolder { folder in
            let files = try TestCertificate(in: folder)
            try await ClientHub.with(tls: (files.certificate, files.key)) { hub in
                try await hub.publish("plants", fakeModel())
                let store = folder.appending(path: "models")
                let strict = try ModelManager.testing(hub.address, folder: store, key: hub.key)
                let error = try await failure { try await strict.download(Self.plants) }
                guard case .failedPrecondition("plants", _) = error else { throw error }

                let roots = URL(filePath: files.certificate)
                let manager = try ModelManager.testing(hub.address, folder: store, key: hub.key, trustedRoots: roots)
                #expect(try await manager.download(Self.plants).hash == sha256(fakeModel()))
            }
        }
    }

    @Test func rootsThatCannotBeReadAreSaid() async throws {
        try await withTemporaryFolder { folder in
            for content in [nil, Data(), Data("no certificate".utf8)] {
                let roots = folder.appending(path: "roots-\(content?.count ?? 0).pem")
                try content?.write(to: roots)
                let manager = try ModelManager.testing("https://127.0.0.1:1", folder: folder, trustedRoots: roots)
                let error = try await failure { try await manager.download(Self.plants) }
                guard case .failedPrecondition("plants", let reason) = error else { throw error }
                #expect(reason == "the trusted certificates \(roots.path) cannot be read as PEM; check the file")
            }
        }
    }

    @Test func theProxyOfTheEnvironmentIsAskedForATunnelToTheHub() async throws {
        try await ScriptedServer.with { _, _ in
            ScriptedServer.Reply(status: 403)
        } _: { server in
            try await withTemporaryFolder { folder in
                let proxy = server.proxyAddress.replacing("://", with: "://me:secret@")
                let lines = try await Program("DownloadProbe").lines(
                    ["https://hub.example", "my-plants", "key", folder.path, "plants", "1000000"],
                    environment: ["https_proxy": proxy, "no_proxy": ""]
                )
                #expect(lines.first?.hasPrefix("error The model \"plants\" cannot be downloaded now: the hub") == true)
                let request = try #require(server.requests.first)
                #expect(request.path == "hub.example:443")
                let login = Data("me:secret".utf8).base64EncodedString()
                #expect(request.headers.first(name: "proxy-authorization") == "Basic \(login)")
                // The key is for the hub alone.
                #expect(request.headers.first(name: "x-goog-api-key") == nil)
            }
        }
    }

    private static let proxies: [(String, [String: String], String?)] = [
        ("http://hub.example/x", ["http_proxy": "http://proxy:3128", "all_proxy": "http://proxy:3128"], nil),
        ("https://hub.example/x", ["https_proxy": "http://proxy:3128"], "proxy:3128"),
        ("https://hub.example/x", ["HTTPS_PROXY": "proxy"], "proxy:1080"),
        ("https://hub.example/x", ["https_proxy": ""], nil),
        ("https://hub.example/x", ["all_proxy": "http://me:secret@proxy:80/"], "me:secret@proxy:80"),
        ("https://hub.example/x", ["ALL_PROXY": "http://proxy:80", "NO_PROXY": "*"], nil),
        ("https://hub.example/x", ["ALL_PROXY": "http://proxy:80", "NO_PROXY": "other.org, example"], nil),
        ("https://hub.example/x", ["ALL_PROXY": "http://proxy:80", "no_proxy": ".hub.example"], nil),
        ("https://hub.example/x", ["ALL_PROXY": "http://proxy:80", "no_proxy": "b.example"], "proxy:80"),
        ("https://hub.example/x", ["ALL_PROXY": "http://proxy:80", "no_proxy": "hub.example:444"], "proxy:80"),
        ("https://hub.example:444/x", ["ALL_PROXY": "http://proxy:80", "no_proxy": "hub.example:444"], nil),
        ("https://127.0.0.1:8080/x", ["ALL_PROXY": "http://proxy:80"], nil),
        ("https://[::1]:8080/x", ["ALL_PROXY": "http://proxy:80"], nil),
        ("https://LOCALHOST/x", ["ALL_PROXY": "http://proxy:80"], nil),
    ]

    @Test(arguments: proxies)
    func curlsRulesChooseTheProxy(_ address: String, _ environment: [String: String], _ expected: String?) throws {
        let url = try #require(URL(string: address))
        let proxy = try ProxyEnvironment(environment).proxy(for: url)
        let login = proxy?.user.map { "\($0):\(proxy?.password ?? "")@" } ?? ""
        #expect(proxy.map { "\(login)\($0.host):\($0.port)" } == expected)
    }

    @Test(arguments: ["socks5://proxy", "https://proxy", "http://"])
    func anotherKindOfProxyIsNotPassedBy(_ text: String) throws {
        let url = try #require(URL(string: "https://hub.example"))
        #expect(throws: ProxyEnvironment.Unusable.self) { try ProxyEnvironment(["https_proxy": text]).proxy(for: url) }
    }
}
