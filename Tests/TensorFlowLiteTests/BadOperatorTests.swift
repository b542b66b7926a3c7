import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

/// Damage that the runtime's own check lets pass and that makes a kernel crash. Fuzzing found each kind.
@Suite(.hangLimit) struct BadOperatorTests {
    /// Asserts that the damaged model is refused with a reason that contains `text`.
    private func expectRefused(
        _ name: String,
        _ bytes: [UInt8],
        _ others: [UInt8],
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let data = try fixtureData(name)
        let damaged = data.replacing(bytes, with: others)
        #expect(damaged != data, sourceLocation: sourceLocation)
        let error = #expect(throws: ModelError.self, sourceLocation: sourceLocation) { try Model(data: damaged) }
        guard case .corrupted(let reason) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        #expect(reason.contains(text), sourceLocation: sourceLocation)
    }

    @Test func aLeftOutInput() throws {
        let both: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let one: [UInt8] = [2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]
        try expectRefused("add_uint8", both, one, "input 0 is left out")
    }

    @Test func anOutputWhoseTypeIsNotThatOfTheOperands() throws {
        // Wherever uint8 (3) stands, int8 (9) takes its place; once that is the type of y.
        let data = try fixtureData("add_retyped")
        let reasons = data.indices.filter { data[$0] == 3 }.compactMap { place -> String? in
            var damaged = data
            damaged[place] = 9
            do {
                _ = try Model(data: damaged)
                return nil
            } catch ModelError.corrupted(let reason) {
                return reason
            } catch {
                return nil
            }
        }
        #expect(reasons.contains { $0.contains("incompatible element types") })
    }

    @Test func aScaleTooSmallToDivideBy() throws {
        let one: [UInt8] = [1, 0, 0, 0, 0, 0, 0x80, 0x3f]
        try expectRefused("add_int8", one, [1, 0, 0, 0, 1, 0, 0, 0], "into values of scale")
    }

    @Test func aScaleThatIsNoNumber() throws {
        let one: [UInt8] = [1, 0, 0, 0, 0, 0, 0x80, 0x3f]
        try expectRefused("add_int8", one, [1, 0, 0, 0, 0, 0, 0xc0, 0x7f], "scale or zero point")
    }

    @Test func optionsOfTheDetectorThatAreMissing() throws {
        try expectRefused("ssd", Array("num_classes".utf8), Array("num_klasses".utf8), "num_classes is missing")
    }

    @Test func aDetectorWhoseAnchorsDoNotFit() throws {
        // The anchors' shape [12, 4] becomes [4, 12].
        try expectRefused(
            "ssd",
            [2, 0, 0, 0, 12, 0, 0, 0, 4, 0, 0, 0],
            [2, 0, 0, 0, 4, 0, 0, 0, 12, 0, 0, 0],
            "which do not fit"
        )
    }

    @Test func constantsOfTheWrongSize() throws {
        // The detector's encodings, [1, 12, 4], become [1, 12, 3]: less than their 192 bytes of data.
        try expectRefused(
            "ssd",
            [3, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 4, 0, 0, 0],
            [3, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 3, 0, 0, 0],
            "bytes of data"
        )
    }
}
