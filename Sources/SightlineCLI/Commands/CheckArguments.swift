import ArgumentParser
import CommandLineSupport
import Sightline

/// The sheet of what a person should look at before pictures with hidden faces are published.
struct CheckArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            With --blur faces: write a contact sheet to this .png or .jpg file, of places in the new pictures where a face was found with little \
            confidence and hidden, or may be one and is visible, so that a person can look. For videos, it shows each such moment with its time.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var check: String?

    /// Refuses a sheet where no faces are hidden, or of a format that is not written.
    func check(_ drawing: DrawingArguments) throws {
        guard let check else { return }
        guard drawing.blurFaces else { throw ValidationError("--check belongs to --blur faces.") }
        do { _ = try ImageFormat(writingTo: check) } catch { throw ValidationError(sentence(for: error)) }
    }
}
