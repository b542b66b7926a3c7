import SightlineTestSupport
import Testing

/// The text of `--help`.
@Suite(.hangLimit)
struct HelpTests {
    /// Help is broken into lines of fewer than 80 characters.
    @Test(arguments: ["sightline", "sightline-hub"])
    func everyLineOfAnExampleFitsATerminal(_ program: String) async throws {
        let lines = try await HelpExamples.lines(of: Program(program))
        #expect(lines.count > 20)
        #expect(lines.filter { $0.count > 79 } == [])
    }
}
