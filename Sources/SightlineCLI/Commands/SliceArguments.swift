import ArgumentParser
import Sightline

/// The slices in which a detector looks for small objects.
struct SliceArguments: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Also search overlapping slices of this width and height, which finds small objects in large pictures, for example 640. \
            The model runs once more for each slice.
            """,
            valueName: "pixels"
        )
    )
    var slice: Int?

    func validate() throws {
        if let slice { try check(slice, isIn: PictureSlices.minimumPixels...100_000, name: "slice") }
    }

    /// The slices; nil for none.
    var slices: PictureSlices? { slice.map(PictureSlices.init(pixels:)) }
}
