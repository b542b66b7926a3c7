import Foundation
import SightlineTestSupport
import Testing

/// Projects, people, keys and tokens from the command line, on the machine and over the network.
@Suite(.hangLimit)
struct AccessCommandTests {
    private static func trimmed(_ result: HubProgram.Result) -> String {
        result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func aConsoleLinkBelongsToTheProjectOfTheEnvironment() async throws {
        try await HubProgram.withProject { folder, run in
            #expect(try await run(["project", "create", "garden-team"]).status == 0)
            #expect(try await run(["console"]).status == 2)
            let data = folder.appending(path: "hub").path
            let link = try await HubProgram.run(
                ["console"],
                environment: ["SIGHTLINE_HUB_DATA": data, "SIGHTLINE_HUB_PROJECT": "garden-team"]
            )
            #expect(link.status == 0)
            #expect(link.output.contains("/console/sign-in?code="))
        }
    }

    @Test(arguments: [["console"], ["person", "add", "ada@example.com"]])
    func aLinkToAHubThatDoesNotAnswerHasAWarning(_ command: [String]) async throws {
        try await HubProgram.withProject { folder, run in
            let silent = try await run(command + ["--address", "http://127.0.0.1:1"])
            #expect(silent.status == 0)
            #expect(silent.output.hasPrefix("http://127.0.0.1:1/console/sign-in?code="))
            #expect(silent.errors.contains("No hub answers at http://127.0.0.1:1 ("))
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            let served = try await run(command + ["--address", "http://127.0.0.1:\(server.port)/"])
            #expect(served.output.hasPrefix("http://127.0.0.1:\(server.port)/console/sign-in?code="))
            #expect(served.errors == "")
            _ = try await server.stop()
        }
    }

    @Test(arguments: [["console"], ["person", "add", "ada@example.com"]])
    func aLinkHasTheAddressOfTheHubThatServesTheFolder(_ command: [String]) async throws {
        try await HubProgram.withProject { folder, run in
            let data = folder.appending(path: "hub")
            let file = data.appending(path: "serving-address")
            let killed = try await HubProgram.Server(data: data)
            killed.kill()
            _ = try await killed.process.result()
            // The file of a killed hub is not believed.
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(try await run(command).output.hasPrefix("http://127.0.0.1:8080/console/sign-in?code="))
            let server = try await HubProgram.Server(data: data)
            let served = try await run(command)
            #expect(served.output.hasPrefix("http://127.0.0.1:\(server.port)/console/sign-in?code="))
            #expect(served.errors == "")
            #expect(try await server.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let open = try await HubProgram.Server(
                data: data,
                arguments: ["--public-address", "http://127.0.0.1:1/"]
            )
            #expect(try await run(command).output.hasPrefix("http://127.0.0.1:1/console/sign-in?code="))
            _ = try await open.stop()
        }
    }

    @Test func aConsoleLinkIsMadeOnlyOnTheHubsMachine() async throws {
        try await HubProgram.withProject { _, run in
            let result = try await run(["console", "--hub", "http://127.0.0.1:1"])
            #expect(result.status == 2)
            #expect(result.errors.contains("http://127.0.0.1:1/console"))
        }
    }

    @Test func theSameCommandsManageAHubOnTheMachineAndOverTheNetwork() async throws {
        try await HubProgram.withProject { folder, run in
            let link = try await Self.trimmed(run(["person", "add", "ada@example.com", "--administrator"]))
            #expect(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:8080\/console\/sign-in\?code=[\w\-]{43}/) != nil)
            let created = try await run(
                ["token", "create", "operator", "--hub-wide", "--role", "administrator", "--expires", "2h"]
            )
            let file = folder.appending(path: "token.txt")
            try Data(created.output.utf8).write(to: file)
            let server = try await HubProgram.Server(data: folder.appending(path: "hub"))
            defer { server.kill() }
            let address = "http://127.0.0.1:\(server.port)"
            func remote(_ arguments: [String], project: String? = nil) async throws -> HubProgram.Result {
                let place = ["--hub", address, "--token-file", file.path] + (project.map { ["--project", $0] } ?? [])
                return try await HubProgram.run(arguments + place)
            }
            let made = try await remote(["project", "create", "second-project", "--quota", "5"])
            #expect(made.output.hasPrefix("second-project: number ") && made.output.hasSuffix(", at \(address)\n"))
            #expect(try await remote(["project", "set", "second-project", "--quota", "6"]).status == 0)
            #expect(try await remote(["project", "list"]).output.contains("6.0 MB"))
            let ambiguous = try await remote(["key", "list"])
            #expect(ambiguous.status == 2 && ambiguous.errors.contains("several projects"))

            let bob = try await remote(
                ["person", "add", "bob@example.com", "--role", "owner"],
                project: "second-project"
            )
            #expect(bob.output.hasPrefix("\(address)/console/sign-in?code="))
            let people = try await remote(["person", "list"], project: "second-project").output
            #expect(people.contains("bob@example.com") && people.contains("owner") && !people.contains("never"))
            let token = try await Self.trimmed(
                remote(["token", "create", "ci", "--role", "owner", "--expires", "30m"], project: "second-project")
            )
            #expect(token.hasPrefix("slt_"))
            let tooLong = try await remote(["token", "create", "ci", "--expires", "3h"], project: "second-project")
            #expect(tooLong.status == 2 && tooLong.errors.contains("cannot be valid longer"))
            let environment = ["SIGHTLINE_HUB": address, "SIGHTLINE_HUB_TOKEN": token]
            let foreign = try await HubProgram.run(["key", "list", "--project", "my-plants"], environment: environment)
            #expect(foreign.status == 2 && foreign.errors.contains("belongs to another project"))
            let own = try await HubProgram.run(["key", "list", "--format", "json"], environment: environment)
            #expect(own.output.contains(#""name" : "ci""#) && !own.output.contains("slt_"))
            #expect(try await remote(["session", "list"], project: "second-project").status == 0)
            let removed = try await remote(["person", "remove", "bob@example.com"], project: "second-project")
            #expect(removed.status == 0, "\(removed.errors)")
            let last = try await run(["person", "remove", "ada@example.com", "--administrator"])
            #expect(last.status == 2 && last.errors.contains("is the last administrator of the hub"))
            #expect(try await run(["audit", "--hub-wide"]).output.contains("person.grant"))

            let list = try await run(["token", "list", "--hub-wide", "--format", "jsonl"]).output
            let id = try #require(list.firstMatch(of: /"id":"([0-9a-f]+)"/)).1
            #expect(try await run(["token", "revoke", String(id.prefix(8)), "--hub-wide"]).status == 0)
            let late = try await HubProgram.run(["project", "list"], environment: environment)
            #expect(late.status == 2 && late.errors.contains("unknown, expired or revoked"))
        }
    }

    @Test(
        arguments: [
            (["token", "create", "ci", "--expires", "soon"], 64), (["token", "create", "CI"], 2),
            (["token", "list", "--personal", "--hub-wide"], 64), (["person", "add", "ada"], 2),
            (["person", "add", "ada@example.com", "--role", "king"], 64), (["key", "create", "ci"], 64),
            (["token", "list", "--personal"], 2),
        ] as [([String], Int32)]
    )
    func aWrongCommandSaysWhy(_ arguments: [String], _ status: Int32) async throws {
        try await HubProgram.withProject { _, run in
            let result = try await run(arguments)
            #expect(result.status == status)
            #expect(!result.errors.isEmpty && result.output.isEmpty)
        }
    }

    @Test func rolesHaveTheirEarlierNamesToo() async throws {
        try await HubProgram.withProject { _, run in
            for (name, role) in [("read", "viewer"), ("publish", "publisher"), ("admin", "editor")] {
                #expect(try await run(["key", "create", "--token", name, "--role", name]).status == 0)
                let listed = try await run(["key", "list"]).output
                #expect(listed.contains(try Regex("\(name) +token +\(role)")))
            }
        }
    }
}
