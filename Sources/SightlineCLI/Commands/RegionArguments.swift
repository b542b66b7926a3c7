import ArgumentParser
import CommandLineSupport
import Sightline
import Synchronization

/// The part of a picture that a model sees.
struct RegionArguments: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use only this part, in pixels of the upright picture, for example 100,50,640,480.",
            valueName: "x,y,width,height"
        )
    )
    var roi: RegionArgument?

    @Option(
        help: """
            How to fit the picture into the model's input: stretch it, or crop it to its largest centered part (default: \
            crop for labels; for objects, as the model was trained).
            """
    )
    var fit: FitArgument?
}

/// The fit of a picture into a model's input.
enum FitArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
    case stretch, crop

    var imageFit: ImageFit { self == .stretch ? .stretch : .crop }
}

/// A region as `x,y,width,height`.
struct RegionArgument: ExpressibleByArgument, Sendable, Hashable {
    let rect: PixelRect

    init?(argument: String) {
        guard let numbers = coordinates(argument, separatedBy: ","), numbers.count == 4,
            numbers[2] > 0, numbers[3] > 0
        else { return nil }
        rect = PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}

/// Reports once in a run that the region reaches beyond a picture.
final class RegionCheck: Sendable {
    private let region: PixelRect?
    private let hasReported = Mutex(false)

    init(_ region: RegionArgument?) { self.region = region?.rect }

    /// Looks at the next picture.
    func check(_ size: PixelSize) {
        guard let region, region.intersection(PixelRect(size)) != region else { return }
        let isFirst = hasReported.withLock { reported in
            defer { reported = true }
            return !reported
        }
        guard isFirst else { return }
        StandardError.report(
            "--roi reaches beyond a picture of \(size.width) × \(size.height) pixels, of which only the part inside is used."
        )
    }
}
