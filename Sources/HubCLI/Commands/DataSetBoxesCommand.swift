import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import TextFormatting

struct DataSetBoxesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxes",
        abstract: "Show or change the boxes of a photo.",
        discussion: """
            Boxes are in pixels of the upright photo: the left and the upper edge, the width and the height. Those that are given replace the \
            photo's. A photo without things of any label has no boxes, which --none says; --forget says that nobody has drawn them yet, so that \
            nothing is learned from the photo.

            Examples:
              sightline hub dataset boxes parts 3f0c9a12bc45
              sightline hub dataset boxes parts 3f0c9a12bc45 --propose
              sightline hub dataset boxes parts 3f0c9a12bc45 --box bolt=20,30,64,60 \\
                --box nut=120,40,30,30
              sightline hub dataset boxes parts 3f0c9a12bc45 --none

            \(HubCommand.exitCodes)
            """
    )

    @OptionGroup var location: HubLocation
    @Argument(help: "The data set.")
    var name: String
    @Argument(help: "The id of the photo, or its first characters, at least eight.")
    var photo: String
    @Option(help: ArgumentHelp("A box; may be repeated.", valueName: "label=x,y,width,height"))
    var box: [DrawnBox] = []
    @Flag(help: "None of the things is in the photo.")
    var none = false
    @Flag(help: "Forget the boxes, as if nobody had drawn them.")
    var forget = false
    @Flag(help: "Let the built-in detector propose boxes, where nobody has drawn some.")
    var propose = false
    @OptionGroup var list: ListOptions

    /// A box of the command line.
    struct DrawnBox: ExpressibleByArgument {
        var value: PhotoBox

        init?(argument: String) {
            guard let place = argument.lastIndex(of: "="), place > argument.startIndex else { return nil }
            let numbers = argument[argument.index(after: place)...].split(separator: ",").map { Double($0) }
            guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
                let height = numbers[3], numbers.allSatisfy({ $0?.isFinite == true }), width >= 1, height >= 1
            else { return nil }
            value = PhotoBox(label: String(argument[..<place]), x: x, y: y, width: width, height: height)
        }
    }

    func validate() throws {
        guard [!box.isEmpty, none, forget, propose].count(where: \.self) <= 1 else {
            throw ValidationError("Give --box, --none, --forget or --propose alone.")
        }
    }

    func run() async throws {
        let found = try await reporting {
            let connection = try await location.connect()
            let target = connection.extensions("datasets", name, "photos", photo)
            if propose {
                return try await connection.resource(
                    PhotoResource.self,
                    .post,
                    connection.extensions("datasets", name, "photos", photo, verb: ":propose")
                )
            }
            guard !box.isEmpty || none || forget else {
                return try await connection.resource(PhotoResource.self, .get, target)
            }
            let found = try await connection.resource(
                PhotoResource.self,
                .put,
                connection.extensions("datasets", name, "photos", photo, "boxes"),
                json: PhotoBoxes(boxes: forget ? nil : box.map(\.value))
            )
            let leftOut = box.count - (found.boxes?.count ?? 0)
            if leftOut > 0 {
                throw CommandError(
                    "\(NumberText.grouped(leftOut, "box", "boxes")) of the photo, which has \(found.width) × \(found.height) pixels, \(leftOut == 1 ? "lies" : "lie") outside of it; left out."
                )
            }
            return found
        }
        let shown = found.boxes ?? found.proposals ?? []
        if found.boxes == nil {
            StandardError.report(
                shown.isEmpty
                    ? "Nobody has drawn the boxes of this photo."
                    : "These are proposals, from which nothing is learned; nobody has drawn the boxes of this photo."
            )
        }
        try list.format.print(shown) {
            TextTable(
                columns: [
                    .text("LABEL"), .number("X"), .number("Y"), .number("WIDTH"), .number("HEIGHT"),
                    .number("CONFIDENCE"),
                ],
                rows: shown.map { box in
                    [box.label.isEmpty ? "(no label)" : box.label + (box.isGroup == true ? " (group)" : "")]
                        + [box.x, box.y, box.width, box.height].map { NumberText.decimal($0, 1) }
                        + [box.confidence.map { NumberText.percent($0) } ?? ""]
                }
            ).text
        }
    }
}
