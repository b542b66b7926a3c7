import Foundation
import SightlineTestSupport
import Testing

/// The one sentence about a command line that cannot be understood.
@Suite(.hangLimit) struct WrongCommandLineTests {
    @Test(arguments: [
        (["detectx", "a.png"], "There is no command 'detectx'. Did you mean 'detect'? See `sightline --help`."),
        (
            ["models", "installx"],
            "There is no command 'installx'. Did you mean 'install'? See `sightline models --help`."
        ),
        (["detect"], "See `sightline detect --help`."),
        (["detect", "a.png", "--nonsense"], "Unknown option '--nonsense'. See `"),
        (["detect", "a.png", "--conf", "0.5"], "Unknown option '--conf'. Did you mean '--threshold'? See `"),
        (
            ["detect", "--stdin-format", "frames", "--treshold", "1"],
            "Unknown option '--treshold'. Did you mean '--threshold'? See `"
        ),
        (["detect", "a.png", "--json"], "Unknown option '--json'. Write --format json. See `"),
        (["detect", "a.png", "--imgsz", "640"], "--slice 640 searches large pictures in parts. See `"),
        (["detect", "a.png", "--device", "cpu"], "Models run on the processor; --threads "),
        (["detect", "--source", "a.png"], "The input needs no option: write its name alone. See `"),
        (["detect", "a.png", "--min-confidence", "0.5"], "Did you mean '--threshold'? See `"),
        (["detect", "a.png", "-t", "0.5"], "Unknown option '-t'. Did you mean '--threshold'? See `"),
        (["detect", "photos", "--recursive"], "A folder is searched with all folders in it. See `"),
        (["classify", "a.png"], "There is no command 'classify'. Did you mean 'label'? See `sightline --help`."),
        (["predict", "a.png"], "Did you mean 'detect' or 'label'? See `sightline --help`."),
        (["train", "photos"], "There is no command 'photos'. See `sightline train --help`."),
        (["list"], "Did you mean 'models list'? See `sightline --help`."),
        (["version"], "Did you mean '--version'? See `sightline --help`."),
        (["help", "detectx"], "There is no command 'detectx'. Did you mean 'detect'? See `sightline --help`."),
        (["help", "models", "installx"], "There is no command 'installx'. Did you mean 'install'? See `"),
        (["detect", "a.png", "--treshold=0.5"], "Unknown option '--treshold'. Did you mean '--threshold'? See `"),
        (["detect", "a.png", "--format", "xml"], "Please provide one of the following: table, json, "),
        (["models", "install"], "See `sightline models install --help`."),
        (["--model", "a.tflite"], "Name a command before '--model', because only commands have this option. See `"),
        (
            ["models", "--from", "a.tflite"],
            "Name a command before '--from', because only commands have this option. See `"
        ),
        (
            ["a.png", "--model", "a.tflite"],
            "There is no command 'a.png'. To find objects in a file, write 'detect' before "
        ),
        (["detect", "a.png", "--sha", "1"], "Unknown option '--sha'. See `"),
    ])
    func isOneSentenceWithTheNextStep(arguments: [String], expected: String) async throws {
        let result = try await Command.run(arguments)
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("sightline: ") && result.errors.contains(expected), "\(result.errors)")
        #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test func theVersionHasTheUsualShortOption() async throws {
        let (short, long) = try await (Command.run(["-V"]), Command.run(["--version"]))
        #expect(short.status == 0 && short.output == long.output)
    }

    @Test(arguments: [["models", "help", "install"], ["help", "models", "install"]])
    func helpMayStandBeforeOrAfterAGroup(arguments: [String]) async throws {
        let result = try await Command.run(arguments)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("OVERVIEW: Download, verify and install models."))
    }
}
