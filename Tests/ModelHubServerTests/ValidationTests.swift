import Foundation
import Sightline
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct ValidationTests {
    private static let hubCommand = HubProgram.executable

    private func validation(
        _ validator: ProcessModelValidator,
        on file: URL,
        of project: String = TestHub.project
    ) async throws -> ModelValidation {
        await validator.validation(
            of: BlobFile(hash: try FileHash.read(file.path).hash, path: file.path),
            for: project
        )
    }

    @Test func aModelIsRunAndDescribed() async throws {
        let validator = ProcessModelValidator(executable: Self.hubCommand, arguments: ["validate-model"])
        let validation = try await validation(
            validator,
            on: TestData.fixture("models/classifier_float_metadata.tflite")
        )
        guard case .valid(let inspection) = validation else {
            Issue.record("\(validation)")
            return
        }
        #expect(inspection.contains(#""task":"labeling""#))
        // Where files lie is the hub's own business.
        #expect(!inspection.contains(TestData.package.path))
    }

    @Test func whatIsNoModelIsSaidInTheVendorsWords() async throws {
        try await withTemporaryFolder { folder in
            let validator = ProcessModelValidator(executable: Self.hubCommand, arguments: ["validate-model"])
            for (index, data) in [Data(), Data("no model".utf8), Data(repeating: 0, count: 5000)].enumerated() {
                let file = folder.appending(path: "\(index)")
                try data.write(to: file)
                #expect(try await validation(validator, on: file) == .invalid(message: "Invalid flatbuffer format"))
            }
        }
    }

    @Test func aModelThatIsCutOffIsRefusedWithTheReason() async throws {
        try await withTemporaryFolder { folder in
            let validator = ProcessModelValidator(executable: Self.hubCommand, arguments: ["validate-model"])
            let file = folder.appending(path: "cut")
            try Data(contentsOf: TestData.fixture("models/ssd.tflite")).prefix(1500).write(to: file)
            guard case .invalid(let message) = try await validation(validator, on: file) else {
                Issue.record("accepted")
                return
            }
            #expect(!message.isEmpty)
        }
    }

    @Test func aProcessThatCrashesOrHangsMakesTheModelInvalid() async throws {
        let shell = URL(filePath: "/bin/sh")
        let file = TestData.fixture("models/add.tflite")
        let crashing = ProcessModelValidator(executable: shell, arguments: ["-c", "kill -SEGV $$"])
        guard case .invalid(let crash) = try await validation(crashing, on: file) else {
            Issue.record("accepted")
            return
        }
        #expect(crash.contains("crash"))
        let hanging = ProcessModelValidator(
            executable: shell,
            arguments: ["-c", "exec sleep 60"],
            timeout: .milliseconds(300)
        )
        #expect(
            try await validation(hanging, on: file)
                == .invalid(message: "The model takes too long to run even once; use a smaller one.")
        )
        let silent = ProcessModelValidator(
            executable: shell,
            arguments: ["-c", "exec yes"],
            timeout: .milliseconds(300)
        )
        guard case .invalid = try await validation(silent, on: file) else {
            Issue.record("accepted")
            return
        }
    }

    /// A stranger chooses the names in a model, and they may be very long.
    @Test func whatIsKeptOfAModelIsShort() async throws {
        try await withTemporaryFolder { folder in
            let file = TestData.fixture("models/add.tflite")
            let long = String(repeating: "x", count: 400_000)
            func validation(_ isValid: Bool, _ description: (inout ModelInspection) -> Void) async throws
                -> ModelValidation
            {
                var inspection = try ModelInspection(of: LocalModel(url: file))
                description(&inspection)
                let output = folder.appending(path: UUID().uuidString)
                var report: [String: Any] = ["isValid": isValid, "isRuntimeMissing": false]
                report["inspection"] = try JSONSerialization.jsonObject(with: JSONEncoder().encode(inspection))
                if !isValid { report["message"] = long }
                try JSONSerialization.data(withJSONObject: report).write(to: output)
                // The model's path follows, of which the shell makes its own name.
                let script = "cat '\(output.path)'"
                let validator = ProcessModelValidator(executable: URL(filePath: "/bin/sh"), arguments: ["-c", script])
                return try await self.validation(validator, on: file)
            }
            guard case .valid(let described) = try await validation(true, { $0.metadata["description"] = long }) else {
                Issue.record("refused")
                return
            }
            #expect(described.utf8.count < 64 << 10 && described.contains(#""inputs":[{"#))
            #expect(try await validation(true) { $0.inputs[0].name = long } == .valid(inspection: "null"))
            guard case .invalid(let message) = try await validation(false, { _ in }) else {
                Issue.record("accepted")
                return
            }
            #expect(message.count == 2000)
        }
    }

    @Test func cachedValidationsTakeLittleMemory() throws {
        var cache = ValidationCache()
        let hashes = try (0..<200).map { try #require(BlobHash(sha256(Data([$0])))) }
        let validation = ModelValidation.valid(
            inspection: String(repeating: "x", count: ModelValidation.maximumInspection)
        )
        for hash in hashes { cache.insert(validation, on: hash) }
        #expect(cache[hashes[199]] == validation)
        let remembered = hashes.count { cache[$0] != nil }
        #expect(remembered * ModelValidation.maximumInspection <= 4 << 20)
    }

    @Test func processesOfAValidationDieWithIt() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "child")
            let validator = ProcessModelValidator(
                executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", "sleep 60 & echo $! > '\(file.path)'; wait"],
                timeout: .seconds(5)
            )
            guard case .invalid = try await validation(validator, on: TestData.fixture("models/add.tflite")) else {
                Issue.record("accepted")
                return
            }
            let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            let child = try #require(pid_t(text))
            // The hub that inherits it takes note of its end a little later.
            try await wait(while: { kill(child, 0) == 0 && !Self.isZombie(child) })
        }
    }

    private static func isZombie(_ process: pid_t) -> Bool {
        (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.contains(") Z ") ?? true
    }

    @Test func withoutTheRuntimeNothingIsPublishedAndTheReasonIsSaid() async throws {
        let arguments = ["SIGHTLINE_LITERT=/nowhere/libLiteRt.so", Self.hubCommand.path, "validate-model"]
        let validator = ProcessModelValidator(executable: URL(filePath: "/usr/bin/env"), arguments: arguments)
        try await TestHub.with(validator: validator) { test in
            try await test.serve { client in
                let ready = try await client.send(.get, "/readyz", token: .some(nil))
                #expect(ready.status == 200)
                #expect(ready.text("status") == "degraded")
                let problem = try #require((ready.value("problems") as? [String])?.first)
                #expect(problem.hasPrefix("The hub cannot verify models: "))
                let file = try Data(contentsOf: TestData.fixture("models/add.tflite"))
                let created = try await client.create("plants", file: file)
                #expect(created.value("response.state.validationError.code") as? Int == 14)
                let refusal = try await client.setPublished(true, try #require(created.id))
                #expect(refusal.value("error.code") as? Int == 9)
                #expect(
                    refusal.text("error.message")?.hasPrefix(
                        "Cannot publish a model that is not verified. The hub cannot verify"
                    ) == true
                )
            }
        }
    }

    /// Looks at models with a script: it ends at once for the file that shows whether there is a runtime and for those that
    /// `quick` names, and never for others.
    private func slowValidator(quick: String = "none") -> ProcessModelValidator {
        let script = """
            case "$0" in
                /dev/null|*\(quick)*) echo '{"isValid":false,"isRuntimeMissing":false,"message":"seen"}' ;;
                *) sleep 600 ;;
            esac
            """
        return ProcessModelValidator(
            executable: URL(filePath: "/bin/sh"),
            arguments: ["-c", script],
            timeout: .seconds(900)
        )
    }

    @Test func readinessAndOtherProjectsDoNotWaitBehindSlowModels() async throws {
        let validator = slowValidator(quick: "classifier_float")
        let slow = ["add", "add_int8", "add_uint8", "echo_float"].map { name in
            Task { try await validation(validator, on: TestData.fixture("models/\(name).tflite"), of: "slow-project") }
        }
        #expect(await validator.problem() == nil)
        let file = TestData.fixture("models/classifier_float.tflite")
        #expect(try await validation(validator, on: file, of: "other-project") == .invalid(message: "seen"))
        for task in slow { task.cancel() }
        for task in slow {
            guard case .unavailable = try await task.value else {
                Issue.record("looked at")
                continue
            }
        }
    }

    @Test(arguments: [
        ("stateful", "CALL_ONCE"), ("variable", "\"state\""), ("custom_operator", "Sightline_Unknown"),
        ("saved", "VAR_HANDLE"), ("strings", "string"), ("edge_tpu", "Edge TPU"),
    ])
    func aSoundModelThatCannotRunHereIsToldFromADamagedOne(_ name: String, _ reason: String) async throws {
        let validator = ProcessModelValidator(executable: Self.hubCommand, arguments: ["validate-model"])
        let file = TestData.fixture("models/\(name).tflite")
        guard case .unrunnable(let found) = try await validation(validator, on: file) else {
            Issue.record("not unrunnable")
            return
        }
        #expect(found.contains(reason))
        try await withTemporaryFolder { folder in
            let damaged = folder.appending(path: "damaged.tflite")
            try (try Data(contentsOf: file)).dropLast(200).write(to: damaged)
            guard case .invalid = try await validation(validator, on: damaged) else {
                Issue.record("not invalid")
                return
            }
        }
    }

    @Test func aModelThatTheHubCannotRunIsPublishedWithAWarning() async throws {
        let validator = ProcessModelValidator(executable: Self.hubCommand, arguments: ["validate-model"])
        try await TestHub.with(validator: validator) { test in
            try await test.serve { client in
                let stateful = try Data(contentsOf: TestData.fixture("models/stateful.tflite"))
                let created = try await client.create("counter", file: stateful)
                #expect(created.value("response.state.validationError") == nil)
                #expect(created.text("response.state.warning")?.contains("CALL_ONCE") == true)
                let id = try #require(created.id)
                let published = try await client.setPublished(true, id)
                #expect(published.value("response.state.published") as? Bool == true)
                #expect(published.text("response.modelHash") == sha256(stateful))
                let info = try await client.send(
                    .get,
                    "\(TestClient.models)/counter:download",
                    headers: [.apiKey: test.apiKey],
                    token: .some(nil)
                )
                #expect(info.status == 200)

                let browser = try await ConsoleClient.signedIn(client, test.admin)
                let page = try await browser.get("/console/models/\(id)").text
                #expect(page.contains("The hub cannot run the served file.") && page.contains("CALL_ONCE"))

                // The warning belongs to a version.
                let sound = try await client.upload(
                    try Data(contentsOf: TestData.fixture("models/add.tflite")),
                    as: "add.tflite"
                )
                let patched = try await client.send(
                    .patch,
                    "\(TestClient.models)/\(id)?updateMask=tfliteModel.gcsTfliteUri",
                    json: ["tfliteModel": ["gcsTfliteUri": sound]]
                )
                #expect(patched.value("response.state.warning") == nil)
                let back = try await client.send(
                    .post,
                    "/hub/v1/projects/\(TestHub.project)/models/\(id):promote",
                    json: ["version": 1]
                )
                #expect(back.text("model.state.warning")?.contains("CALL_ONCE") == true)
            }
        }
    }

    @Test func manyModelsAtOnceWaitForOneAnother() async throws {
        let validator = ProcessModelValidator(executable: Self.hubCommand, arguments: ["validate-model"])
        let files = ["add", "add_int8", "add_uint8", "echo_float", "classifier_float", "ssd"].map {
            TestData.fixture("models/\($0).tflite")
        }
        let verdicts = try await withThrowingTaskGroup(of: ModelValidation.self) { group in
            for file in files + files { group.addTask { try await validation(validator, on: file) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts.count == 12)
        for validation in verdicts { if case .unavailable = validation { Issue.record("\(validation)") } }
    }
}
