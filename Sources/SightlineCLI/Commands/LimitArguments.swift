import ArgumentParser
import Sightline
import SightlineMedia

/// The limit on the size of pictures and frames.
struct LimitArguments: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Refuse pictures with more pixels, before memory is used for them, for example 50M (default: \
            \(ImageLimits.standard.maximumPixels / 1_000_000)M; for videos, 67M).
            """,
            valueName: "number"
        )
    )
    var maxPixels: CountArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Refuse files with more bytes, for example 500M (default: \(ImageLimits.standard.maximumBytes >> 20) MiB; not for videos).",
            valueName: "number"
        )
    )
    var maxBytes: CountArgument?

    /// The limits for pictures.
    var forPictures: ImageLimits {
        ImageLimits(
            maximumPixels: maxPixels?.count ?? ImageLimits.standard.maximumPixels,
            maximumBytes: maxBytes?.count ?? ImageLimits.standard.maximumBytes
        )
    }

    /// The largest frame of a video in pixels.
    var forVideos: Int { maxPixels?.count ?? VideoReaderOptions().maximumPixels }

    /// A sentence for an error about a picture or frame that exceeds a limit, with the option that raises it; nil for other errors.
    static func sentence(for error: any Error) -> String? {
        switch error {
        case ImageError.tooLarge(let size, let maximum):
            "the picture of \(size.width) × \(size.height) pixels exceeds the limit of \(maximum) pixels; shrink it, or raise "
                + "--max-pixels."
        case ImageError.tooManyBytes(let count, let maximum):
            "the picture's \(count) bytes exceed the limit of \(maximum); compress it, or raise --max-bytes."
        case VideoError.tooLarge(let input, let size, let maximum):
            "\(input): frames of \(size.width) × \(size.height) exceed the limit of \(maximum) pixels; raise --max-pixels if "
                + "the source is trusted."
        case VideoError.picture(let path, let error): sentence(for: error).map { "\(path): \($0)" }
        default: nil
        }
    }
}

/// A number of pixels or bytes, for example `800000` or `50M`.
struct CountArgument: ExpressibleByArgument, Sendable, Hashable {
    let count: Int

    private static let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]
    /// More than any format can store.
    private static let maximum = 1e15

    init?(argument: String) {
        let factor = argument.last.flatMap { Self.factors[$0] }
        let number = factor == nil ? argument[...] : argument.dropLast()
        guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number) else {
            return nil
        }
        let count = (value * (factor ?? 1)).rounded()
        guard (1...Self.maximum).contains(count) else { return nil }
        self.count = Int(count)
    }
}
