import Foundation
import HubTestSupport
import ModelHub
import ModelHubServer
import SightlineTestSupport
import Testing

extension ClientHub {
    /// The editor of templates on the hub's machine.
    func caller() async throws -> Caller { .local(try #require(try await hub.projects().first)) }

    /// Publishes a template over whatever there is.
    func setConfig(_ json: String) async throws {
        _ = try await hub.publishConfig(json, replacing: "*", by: try await caller())
    }

    /// Publishes a template with one parameter.
    func setParameter(_ key: String, _ value: String) async throws {
        try await setConfig(#"{"parameters":{"\#(key)":{"defaultValue":{"value":"\#(value)"}}}}"#)
    }
}

extension RemoteConfig.Settings {
    /// Asks the hub every time.
    static var always: RemoteConfig.Settings {
        var settings = RemoteConfig.Settings()
        settings.minimumFetchInterval = .zero
        return settings
    }
}

@Suite(.hangLimit)
struct RemoteConfigClientTests {
    @Test func whatIsFetchedCountsOnceItIsActivated() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.setParameter("model", "plants_v2")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let config = RemoteConfig(manager: manager, defaults: ["model": "plants", "other": "5"])
            #expect(await config.value("model").string == "plants")
            #expect(try await config.fetch() == .updated)
            #expect(await config.value("model").source == .default)
            #expect(try await config.activate())
            #expect(await config.value("model").string == "plants_v2")
            #expect(await config.value("model").source == .remote)
            #expect(await config.value("other").int == 5)
            #expect(await config.value("none").source == .static)
            #expect(await config.templateVersion == "1")
            #expect(try await !config.activate())
        }
    }

    @Test func valuesStayForTheNextStartWithoutANetwork() async throws {
        try await withTemporaryFolder { folder in
            try await ClientHub.with { hub in
                try await hub.setParameter("a", "active")
                let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
                let config = RemoteConfig(manager: manager, settings: .always)
                try await config.fetchAndActivate()
                try await hub.setParameter("a", "fetched")
                try await config.fetch()
            }
            let manager = try ModelManager.testing("http://127.0.0.1:9", folder: folder)
            let config = RemoteConfig(manager: manager, settings: .always)
            #expect(await config.value("a").string == "active")
            await #expect(throws: RemoteConfigError.self) { try await config.fetch() }
            #expect(try await config.activate())
            #expect(await config.value("a").string == "fetched")
        }
    }

    @Test func theHubIsNotAskedBeforeTheIntervalIsOver() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.setParameter("a", "1")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let config = RemoteConfig(manager: manager)
            #expect(try await config.fetch() == .updated)
            try await hub.setParameter("a", "2")
            #expect(try await config.fetch() == .notDue)
            // Nor by another start of the app.
            #expect(try await RemoteConfig(manager: manager).fetch() == .notDue)
            #expect(try await config.fetch(minimumInterval: .zero) == .updated)
            #expect(try await config.fetch(minimumInterval: .zero) == .unchanged)
            try await config.activate()
            #expect(await config.value("a").string == "2")
        }
    }

    @Test func whatTheAppSaysOfItselfDecides() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.setConfig(
                """
                {"conditions":[{"name":"c","expression":"app.customSignal['city'].exactlyMatches(['Graz']) && \
                app.customSignal['age'] >= 18 && app.version.>=(['2.1']) && device.os == 'linux' && percent <= 100"}],
                 "parameters":{"p":{"defaultValue":{"value":"no"},"conditionalValues":{"c":{"value":"yes"}}}}}
                """
            )
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key, app: "1:1:linux:a")
            var settings = RemoteConfig.Settings.always
            settings.appVersion = "2.10"
            let config = RemoteConfig(manager: manager, settings: settings)
            try await config.fetchAndActivate()
            #expect(await config.value("p").string == "no")
            try await config.setCustomSignals(["city": "Graz", "age": 18])
            try await config.fetchAndActivate()
            #expect(await config.value("p").string == "yes")
            // They stay for the next start, and go when they are taken back.
            let again = RemoteConfig(manager: manager, settings: settings)
            try await again.setCustomSignals(["age": CustomSignal?.none])
            try await again.fetchAndActivate()
            #expect(await again.value("p").string == "no")
            await #expect(throws: RemoteConfigError.self) {
                try await again.setCustomSignals(["x": .number(.infinity)])
            }
        }
    }

    @Test func aProjectThatDemandsInstallationsGetsOne() async throws {
        try await ClientHub.with(requiresInstallation: true) { hub, folder in
            try await hub.setParameter("a", "1")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key, app: "1:1:linux:a")
            let config = RemoteConfig(manager: manager)
            #expect(try await config.fetchAndActivate())
        }
    }

    /// Two processes that share a folder.
    @Test func aConfigurationKeepsWhatAnotherProcessStored() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.setParameter("a", "1")
            let manager = try ModelManager.testing(hub.address, folder: folder, key: hub.key)
            let (one, other) = (
                RemoteConfig(manager: manager, settings: .always), RemoteConfig(manager: manager, settings: .always)
            )
            try await other.setCustomSignals(["city": "Graz"])
            try await one.setCustomSignals(["age": 18])
            try await one.fetch()
            try await hub.setParameter("a", "2")
            try await other.fetchAndActivate()
            // The values of a process change only when it activates them.
            #expect(await one.value("a").string == "")
            try await one.activate()
            #expect(await one.value("a").string == "1")
            try await one.fetchAndActivate()
            #expect(await one.value("a").string == "2")
            let stored = String(
                decoding: try Data(contentsOf: folder.appending(path: "remote-config.json")),
                as: UTF8.self
            )
            #expect(stored.contains("Graz") && stored.contains("18"))
        }
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504, 507])
    func aHubThatCannotAnswerNowIsNotCalledBroken(status: Int) async throws {
        try await ScriptedServer.with { _, _ in
            .init(status: status)
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let error = await #expect(throws: RemoteConfigError.self) {
                    try await RemoteConfig(manager: manager).fetch()
                }
                guard case .unavailable = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test(arguments: [429, 500, 503])
    func afterFailuresTheHubIsLeftInPeaceForAWhile(status: Int) async throws {
        try await ScriptedServer.with { _, _ in
            .init(status: status)
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let config = RemoteConfig(manager: manager, settings: .always)
                await #expect(throws: RemoteConfigError.self) { try await config.fetch() }
                let count = server.requests.count
                for config in [config, RemoteConfig(manager: manager, settings: .always)] {
                    let error = await #expect(throws: RemoteConfigError.self) { try await config.fetch() }
                    guard case .throttled(let date) = error else {
                        Issue.record("\(String(describing: error))")
                        return
                    }
                    #expect((50...200).contains(date.timeIntervalSinceNow))
                }
                #expect(server.requests.count == count)
            }
        }
    }

    @Test(arguments: [
        "", "[]", "{", #"{"state":"SOMETHING"}"#, #"{"state":"UPDATE","entries":{"a":1}}"#,
        #"{"state":"UPDATE","experimentDescriptions":[{}]}"#,
    ])
    func answersThatMakeNoSenseChangeNothing(body: String) async throws {
        try await ScriptedServer.with { _, _ in
            .init(body: Data(body.utf8))
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let config = RemoteConfig(manager: manager, defaults: ["a": "d"], settings: .always)
                let error = await #expect(throws: RemoteConfigError.self) { try await config.fetchAndActivate() }
                guard case .wrongAnswer = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(await config.value("a").string == "d")
            }
        }
    }

    @Test func aDamagedFileIsNoReasonNotToBegin() async throws {
        try await withTemporaryFolder { folder in
            try Data("{\"active\":".utf8).write(to: folder.appending(path: "remote-config.json"))
            let manager = try ModelManager.testing("http://127.0.0.1:9", folder: folder)
            #expect(await RemoteConfig(manager: manager, defaults: ["a": "d"]).value("a").string == "d")
        }
    }

    @Test func fetchesAtOneTimeShareOneRequest() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        try await ScriptedServer.with { _, _ in
            // Nothing is answered before all have asked.
            for await _ in gate { break }
            return .init(body: Data(#"{"state":"UPDATE","entries":{"a":"1"}}"#.utf8))
        } _: { server in
            try await withTemporaryFolder { folder in
                let manager = try ModelManager.testing(server.address, folder: folder)
                let config = RemoteConfig(manager: manager)
                let asked = Log<Int>()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<10 {
                        group.addTask {
                            asked.add(number)
                            try await config.fetch()
                        }
                    }
                    try await wait(while: { asked.all.count < 10 || server.requests.isEmpty })
                    // The last one is on its way from its note to its question.
                    try await Task.sleep(for: .milliseconds(100))
                    opening.finish()
                    try await group.waitForAll()
                }
                #expect(server.requests.count == 1)
            }
        }
    }

    /// A value with a text.
    private func value(_ text: String) async throws -> ConfigValue {
        try await withTemporaryFolder { folder in
            let manager = try ModelManager.testing("http://127.0.0.1:9", folder: folder)
            return await RemoteConfig(manager: manager, defaults: ["key": text]).value("key")
        }
    }

    @Test(arguments: [("TRUE", true), ("1", true), ("on", true), ("no", false), ("", false), ("2", false)])
    func textsAreTrueAsInFirebase(text: String, isTrue: Bool) async throws {
        #expect(try await value(text).bool == isTrue)
    }

    @Test func valuesAreReadAsNumbersAndJSON() async throws {
        #expect(try await value(" 7 ").int == 7)
        #expect(try await value("7.5").int == nil)
        #expect(try await value("7.5").double == 7.5)
        #expect(try await value("nan").double == nil)
        #expect(try await value("[1,2]").decoded(as: [Int].self) == [1, 2])
    }
}
