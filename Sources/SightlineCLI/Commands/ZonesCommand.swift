import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

struct ZonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones",
        abstract: "Draw lines and zones on a frame of a video, and copy them as options.",
        discussion: """
            The inputs are those of `sightline track`: a video file, a picture, a folder of pictures or a pattern, a camera, an address, or \
            - for a video on standard input.

            The command shows one frame on a page that only browsers of this machine can open, and prints the address of the page. There you \
            draw lines and zones with the mouse, a finger or the keyboard, and give them names. The page writes them as the options --line and \
            --zone of `sightline track`, and as the entries line and zone of a camera of `sightline watch`. Coordinates are pixels of the \
            upright frame. The command stores no lines and zones; copy the text before you end it.

            From a recording, the page also makes a model for the state of a thing, such as a gate: draw a zone around it, and click the \
            label of the moments that differ most. The examples are then in a folder beside the model, so that those of another recording, for \
            example of a night, join them. The page says how often the model is right, by day and by night, and writes the entry state of \
            `sightline watch`.

            Examples:
              sightline zones street.mp4
              sightline zones street.mp4 --at 1:30
              sightline zones rtsp://door.local/
              sightline zones /dev/video0 --port 8080
              sightline zones yard.mp4 --models models/

            From another machine: `ssh -L 8080:127.0.0.1:8080 host`, with --port 8080.

            Ctrl-C ends the command.

            \(exitCodes)
            """
    )

    private static let exitCodes = ExitStatus.help(
        success: "Ctrl-C or SIGTERM ended the command",
        failure: "there is no frame to show, or another program uses the port"
    )

    @Argument(
        help: ArgumentHelp(
            "A video, a picture, a folder or pattern of pictures, a camera, an address, or - for standard input.",
            valueName: "input"
        ),
        completion: .file()
    )
    var input: String

    @Option(
        help: ArgumentHelp(
            """
            Show the frame at this time: seconds, mm:ss or hh:mm:ss (default: 1; for a camera or a stream, the first frame without damage).
            """,
            valueName: "time"
        ),
        transform: TimeArgument.init
    )
    var at: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port of the page (default: any free port).", valueName: "port")
    )
    var port: Int?

    @Option(
        help: ArgumentHelp("The folder for models of states (default: the current one).", valueName: "folder"),
        completion: .directory
    )
    var models: String?

    @Option(
        help: ArgumentHelp("The classifier from which they start, as of `sightline train labels`.", valueName: "model"),
        completion: .modelOrFile
    )
    var start: String?

    func validate() throws {
        if input.isEmpty {
            throw ValidationError("The name of the input is empty; perhaps a variable on the command line is not set.")
        }
        if let port { try check(port, isIn: 0...65_535, name: "port") }
    }

    func run() async throws {
        let source = VideoInput(input, frameRate: 30)
        let name = source.printedName(input)
        let list = VideoList([input], excludedFolders: [])
        guard list.isSingle, let video = list.videos.first else {
            StandardError.report("\(name) is a folder of videos; name one of them.")
            throw ExitStatus.failure.code
        }
        if let failure = video.failure {
            StandardError.report("\(name): \(failure)")
            throw ExitStatus.failure.code
        }
        let collector =
            source.canBeReadAgain
            ? MomentCollector(
                source,
                named: EventArguments.camera(ofUnnamed: input),
                folder: URL(filePath: models ?? ".", directoryHint: .isDirectory),
                start: start
            ) : nil
        let server = try await reporting {
            let frame = try await SampleFrame(of: source, named: name, at: at?.time)
            return try PreviewServer(port: port ?? 0, site: ZonesSite(frame, collector))
        }
        let (signals, signal) = AsyncStream<Void>.makeStream()
        await Termination.stopping(by: { signal.finish() }) {
            StandardOutput.writeLine("Draw lines and zones at \(server.address); Ctrl-C ends the command.")
            for await _ in signals {}
        }
        collector?.cancel()
        await server.stop()
    }
}
