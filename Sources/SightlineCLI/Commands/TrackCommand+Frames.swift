import ArgumentParser
import SightlineMedia

/// The ways in which a video comes on standard input, apart from that of a file.
enum StreamInputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case frames
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
            "--annotate": drawing.annotate != nil, "--blur": drawing.blur, "--draw": drawing.draw != nil,
            "--trace": trace, "--crop": cropping.crop != nil, "--preview": preview != nil, "--pixels": pixels,
            "--offline": offline, "--keyframes": keyframes, "--decoder": decoder != .software, "--fps": fps != nil,
            "--from": from != nil, "--to": to != nil, "--events": events != nil, "--counts": counts != nil,
            "--period": period != nil,
            "--mqtt and --webhook": sending.isUsed,
        ]
        let given = others.filter(\.value).keys.sorted()
        guard given.isEmpty else {
            throw ValidationError(
                "\(given.joined(separator: ", ")) cannot be used with \(option), whose answers have all results."
            )
        }
        if confirm != nil, line.isEmpty, zone.isEmpty { throw ValidationError("--confirm needs a --line or a --zone.") }
        try checkNames()
        try check(every, isIn: 1...100_000, name: "every")
        if let frameRate { try check(frameRate, isIn: 0.001...100_000, name: "frame-rate") }
    }
}
