import Foundation
import ModelCatalog
import SightlineServer
import SightlineTestSupport
import Testing

/// The models of a server whose command line names none.
struct DefaultSourceTests {
    private func sources(_ names: [String], default model: String) throws -> [String] {
        try SightlineServer.ModelSource.sources(named: names, environment: ["SIGHTLINE_MODEL": model]).map(\.name)
    }

    @Test func theDefaultDetectorStandsBesideTheBuiltInLabeler() throws {
        let file = TestData.fixture("models/ssd_metadata.tflite").path
        #expect(try sources([], default: file) == ["ssd_metadata", "built-in-labeler"])
        #expect(try sources([], default: "built-in") == ["built-in-detector", "built-in-labeler"])
    }

    @Test func namesComeBeforeTheDefault() throws {
        let file = TestData.fixture("models/ssd_metadata.tflite").path
        #expect(try sources(["built-in"], default: file) == ["built-in-detector", "built-in-labeler"])
        #expect(try sources([file], default: "nothing") == ["ssd_metadata"])
    }

    @Test func aDefaultThatIsGoneIsAnError() {
        #expect(throws: DefaultModelError.variable("nothing")) { try sources([], default: "nothing") }
    }
}
