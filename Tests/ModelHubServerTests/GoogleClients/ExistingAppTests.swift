import Foundation
import SightlineTestSupport
import Testing

/// The settings with which an app was built for Firebase, given to the hub on the command line.
@Suite(.hangLimit)
struct ExistingAppTests {
    private static let key = "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"

    private func withHub(_ body: (([String], String) async throws -> HubProgram.Result) async throws -> Void)
        async throws
    {
        try await withTemporaryFolder { folder in
            try await body { arguments, input in
                try await HubProgram.run(arguments, environment: ["SIGHTLINE_HUB_DATA": folder.path], input: input)
            }
        }
    }

    @Test func aProjectTakesTheNumberThatItHasAtFirebase() async throws {
        try await withHub { run in
            let made = try await run(["project", "create", "my-plants", "--number", "987654321098"], "")
            #expect(made.output.hasPrefix("my-plants: number 987654321098, in "), "\(made.errors)")
            let again = try await run(["project", "create", "my-trees", "--number", "987654321098"], "")
            #expect(again.status == 2)
            #expect(
                again.errors
                    == "sightline: The number 987654321098 belongs to the project \"my-plants\"; check the number in Firebase's console.\n"
            )
            for number in ["0", "-5", "1000000000000000"] {
                let refused = try await run(["project", "create", "my-trees", "--number=\(number)"], "")
                #expect(refused.status == 2)
                #expect(refused.errors.contains("\(number) cannot be the number of a project"))
            }
            #expect(
                try await run(["project", "create", "my-trees"], "").output.hasPrefix("my-trees: number 987654321099")
            )
        }
    }

    @Test func anAPIKeyThatAppsWereBuiltWithIsTakenFromStandardInput() async throws {
        try await withHub { run in
            #expect(try await run(["project", "create", "my-plants"], "").status == 0)
            let taken = try await run(["key", "create", "--api-key", "ios-app", "--existing"], "\(Self.key)\n")
            #expect(taken.status == 0, "\(taken.errors)")
            #expect(taken.output.wholeMatch(of: /ios-app: taken over, id [0-9a-f]{12}\n/) != nil)
            let again = try await run(["key", "create", "--api-key", "android-app", "--existing"], Self.key)
            #expect(again.status == 2)
            #expect(again.errors.contains("The project \"my-plants\" already has this key, as \"ios-app\" (id "))
            #expect(!again.errors.contains(Self.key))
            let id = try #require(taken.output.split(separator: " ").last).trimmingCharacters(in: .newlines)
            #expect(try await run(["key", "revoke", id], "").status == 0)
            let revoked = try await run(["key", "create", "--api-key", "android-app", "--existing"], Self.key)
            #expect(revoked.errors.contains("and it was revoked; a revocation is permanent"))
            // Without the flag there is a new one, whatever is on standard input.
            let random = try await run(["key", "create", "--api-key", "web-app"], Self.key).output
            #expect(random.wholeMatch(of: /AIzaSy[A-Za-z0-9_-]{33}\n/) != nil && !random.contains(Self.key))
        }
    }

    @Test(arguments: [
        "", "AIzaSyShort", "BIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6ü",
    ])
    func whatIsNoAPIKeyOfGoogleIsRefused(_ key: String) async throws {
        try await withHub { run in
            #expect(try await run(["project", "create", "my-plants"], "").status == 0)
            let refused = try await run(["key", "create", "--api-key", "ios-app", "--existing"], "\(key)\n")
            #expect(refused.status == 2)
            #expect(refused.errors.contains("This is not an API key of Google"))
        }
    }

    @Test func onlyAPIKeysAreTakenOver() async throws {
        try await withHub { run in
            let refused = try await run(["key", "create", "--token", "ci", "--existing"], "")
            #expect(refused.status == 64)
            #expect(refused.errors.contains("--existing is for API keys"))
        }
    }
}
