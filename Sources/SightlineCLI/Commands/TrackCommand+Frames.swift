import ArgumentParser
import SightlineMedia

/// The ways in which a video comes on standard input, apart from that of a file.
enum StreamInputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case frames
}

/// The options by which a program sends frames, or gets their pixels.
struct FrameExchangeArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            Read this from standard input: frames, each after a line with the number of its bytes, a space and its time in seconds, \
            or another text for the time that follows from --frame-rate.
            """,
            valueName: "format"
        )
    )
    var stdinFormat: StreamInputFormat?

    @Flag(
        help: """
            Write the pixels of each frame behind its line of --format jsonl on standard output, for programs: red, green and blue of \
            the upright frame, "width" × "height" × 3 bytes.
            """
    )
    var pixels = false
}

extension TrackCommand {
    /// Refuses options that frames of another program cannot have.
    func checkFrames(_ format: StreamInputFormat) throws {
        let option = "--stdin-format \(format.rawValue)"
        guard inputs.isEmpty, detections == nil else {
            throw ValidationError("Give either an input, --detections or \(option).")
        }
        guard output.output == nil, output.resultFormat(default: .jsonLines) == .jsonLines else {
            throw ValidationError(
                "\(option) answers with lines of JSON on standard output; leave out --format and --output."
            )
        }
        let others = [
            "--annotate": drawing.annotate != nil, "--blur": drawing.blur || drawing.blurFaces,
            "--draw": drawing.draw != nil, "--check": checking.check != nil,
            "--trace": trace, "--crop": cropping.crop != nil, "--preview": preview != nil, "--pixels": exchange.pixels,
            "--offline": offline, "--keyframes": keyframes, "--decoder": decoder != .software, "--fps": fps != nil,
            "--from": from != nil, "--to": to != nil, "--events": events != nil, "--counts": counts != nil,
            "--period": period != nil, "--state": !state.isEmpty,
            "--mqtt and --webhook": sending.isUsed,
        ]
        let given = others.filter(\.value).keys.sorted()
        guard given.isEmpty else {
            throw ValidationError(
                "\(given.joined(separator: ", ")) cannot be used with \(option), whose answers have all results."
            )
        }
        if confirm != nil, line.isEmpty, zone.isEmpty { throw ValidationError("--confirm needs a --line or a --zone.") }
        try checkAnchor()
        try checkNames()
        try check(every, isIn: 1...100_000, name: "every")
        if let frameRate { try check(frameRate, isIn: 0.001...100_000, name: "frame-rate") }
    }
}
