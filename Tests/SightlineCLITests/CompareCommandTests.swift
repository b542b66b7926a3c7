import Foundation
import SightlineTestSupport
import Testing

/// `sightline compare`.
@Suite(.hangLimit) struct CompareCommandTests {
    private func withPictures(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let red = try Pictures.png(red: 255)
            try Pictures.write(["p/a.png": red, "p/b.png": red], in: folder)
            try await body(folder)
        }
    }

    private func compare(_ first: String, _ second: String, _ options: String...) -> [String] {
        ["compare", "--model", first, "--model", second, "p"] + options
    }

    @Test(arguments: [Command.detector, Command.classifier]) func aModelAgreesWithItself(model: String) async throws {
        try await withPictures { folder in
            let result = try await Command.run(compare(model, model, "--format", "json"), in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let rows = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
            )
            #expect(rows.count == 2)
            for row in rows {
                let answers = try #require(row["answers"] as? Int)
                #expect(answers > 0 && row["shared"] as? Int == answers)
                #expect((row["milliseconds"] as? Double ?? 0) > 0)
            }
        }
    }

    @Test func aTableNamesBothModels() async throws {
        try await withPictures { folder in
            let result = try await Command.run(compare(Command.detector, Command.detector), in: folder)
            #expect(result.lines.filter { $0.contains("ssd_metadata.tflite") }.count == 2)
            #expect(result.output.contains("100.0 %") && result.output.hasSuffix("2 pictures\n"))
        }
    }

    @Test func labelsOfAModelWithoutNamesAreComparedByTheirNumbers() async throws {
        let unnamed = TestData.fixture("models/classifier_float.tflite").path
        let named = TestData.fixture("models/classifier_float_metadata.tflite").path
        try await withPictures { folder in
            let result = try await Command.run(compare(unnamed, named), in: folder)
            #expect(result.status == 0 && result.output.contains("100.0 %"), "\(result.output) \(result.errors)")
        }
    }

    @Test func modelsOfDifferentPurposesAreRefused() async throws {
        try await withPictures { folder in
            let result = try await Command.run(compare(Command.detector, Command.classifier), in: folder)
            #expect(result.status == 2)
            #expect(result.errors.contains("have different purposes"))
        }
    }

    @Test func oneModelIsTooFew() async throws {
        let result = try await Command.run(["compare", "--model", Command.detector, "p"])
        #expect(result.status == 64)
        #expect(result.errors.contains("Name two models: --model FIRST --model SECOND."))
    }
}
