import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia

struct DrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draw",
        abstract: "Draw earlier results on a picture.",
        discussion: """
            Standard input has one line of JSON, as detect, label and track write it, and then the bytes of the picture. The line may \
            have been changed, for example to draw only some of the objects. Without --output, the picture goes to standard \
            output in the format PPM: a line P6, a line with width and height, a line 255, and red, green and blue of each pixel.

            The commands that find objects draw with --annotate, without reading the picture again.

            Examples:
              (sightline detect photo.jpg --format jsonl; cat photo.jpg) | \\
                sightline draw --output found.png

            \(ExitStatus.help(success: "the picture is drawn", failure: "the line or the picture cannot be read, or the picture cannot be written"))
            """
    )

    @Option(
        help: ArgumentHelp(
            "The marks to draw, separated by commas: --draw blur,box (default: mask,box,point,label).",
            valueName: "names"
        )
    )
    var draw: AnnotatorArgument?

    @Option(
        name: .shortAndLong,
        help: "Write the picture to this .png or .jpg file instead of standard output.",
        completion: .file()
    )
    var output: String?

    @OptionGroup var limits: LimitArguments

    /// The largest number of bytes of the line of results.
    private static let maximumLine = 64 << 20

    /// The part of a line of results that can be drawn.
    private struct Findings: Decodable {
        let objects: [DetectedObject]?
        let labels: [Label]?

        /// Whether there are objects or labels, whose numbers can be those of a picture.
        var areDrawable: Bool {
            guard objects != nil || labels != nil else { return false }
            let frames = (objects ?? []).map(\.frame)
            let confidences =
                (objects ?? []).map(\.confidence)
                + ((labels ?? []) + (objects ?? []).flatMap(\.labels)).map(\.confidence)
            return frames.allSatisfy { frame in
                [frame.x, frame.y, frame.width, frame.height].allSatisfy { (-1e6...1e6).contains($0) }
            } && confidences.allSatisfy { (0...1).contains($0) }
        }
    }

    func run() async throws {
        let limits = limits.forPictures
        try await reporting {
            let format = try output.map { try ImageFormat(writingTo: $0) }
            let data = try await StandardInput.read(atMost: limits.maximumBytes + Self.maximumLine)
            guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else {
                throw InputError(
                    reason: "standard input has no line of results; send a line of JSON and then a picture."
                )
            }
            let findings = try Self.findings(data[..<end])
            let image = try VisionImage(data: Data(data[(end + 1)...]), limits: limits)
            let chosen = Set((draw?.kinds ?? AnnotatorKind.standard).map(\.name))
            var renderer = PictureRenderer(
                AnnotatorKind.all.filter { chosen.contains($0.name) }.map { $0.makeAnnotator() }
            )
            let scene = AnnotatedScene(objects: findings.objects ?? [], labels: findings.labels ?? [])
            let drawn = try renderer.render(scene, on: image)
            try await Task(executorPreference: FileExecutor.shared) {
                guard let output, let format else {
                    StandardOutput.writeExactly(Data("P6\n\(drawn.width) \(drawn.height)\n255\n".utf8))
                    return PixelOutput.write(drawn)
                }
                try PictureFile.write(drawn.encoded(as: format), to: output, createsFolder: false)
            }.value
        }
    }

    private static func findings(_ line: Data) throws(InputError) -> Findings {
        guard let findings = try? JSONDecoder().decode(Findings.self, from: line), findings.areDrawable else {
            throw InputError(
                reason:
                    "the first line of standard input is not a result of detect, label or track; send a line of --format "
                    + "jsonl, and then the picture."
            )
        }
        return findings
    }
}
