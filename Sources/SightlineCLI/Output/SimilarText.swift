import SightlineMedia
import SightlineTraining
import TextFormatting

/// The pictures that are like a photo, as a record for programs and as text for people.
struct SimilarAnswer: Encodable {
    let photo: String
    /// Whether the photo itself is in the folder.
    let leavesOutItself: Bool
    let pictures: [SimilarPicture]

    /// The percentage from which pictures are taken for the same thing.
    private static let likely = 50.0

    /// Whether a picture probably shows the same thing; nil if the network was not measured.
    var found: Bool? {
        guard let first = pictures.first else { return false }
        if pictures.contains(where: \.isCopy) { return true }
        return first.probability.map { ($0 * 100).rounded() >= Self.likely }
    }

    private enum CodingKeys: String, CodingKey {
        case photo, found, pictures
    }

    /// A picture as programs read it.
    private struct Picture: Encodable {
        let path: String
        let likeness: Double
        let probability: Double?
        let isCopy: Bool
    }

    func encode(to encoder: any Encoder) throws {
        func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(photo, forKey: .photo)
        try container.encodeIfPresent(found, forKey: .found)
        let records = pictures.map {
            Picture(
                path: $0.path,
                likeness: rounded($0.likeness),
                probability: $0.probability.map(rounded),
                isCopy: $0.isCopy
            )
        }
        try container.encode(records, forKey: .pictures)
    }

    /// A table, and a sentence about the first picture.
    func text(of index: PictureIndex) -> String {
        guard let first = pictures.first else { return "There is no other picture in the folder.\n" }
        let table = TextTable(
            columns: [.number("LIKENESS"), .number("SAME THING"), .text("COPY"), .text("PICTURE")],
            rows: pictures.map {
                [NumberText.hundredths($0.likeness), $0.probabilityText ?? "–", $0.isCopy ? "yes" : "no", $0.path]
            }
        )
        let count = NumberText.count(index.count, "picture")
        guard let probability = first.probabilityText else {
            return
                "\(table.text)\nOf \(count); for this network, the probability that two show the same thing was not measured.\n"
        }
        let nearest = "the nearest of \(count) shows the same thing with a probability of \(probability)."
        return "\(table.text)\n"
            + (found == true ? nearest.prefix(1).uppercased() + nearest.dropFirst() : "Nothing like it: \(nearest)")
            + "\n"
    }
}

extension SimilarPicture {
    /// The probability in percent, for example `87 %`.
    fileprivate var probabilityText: String? {
        probability.map { share in
            let percent = (share * 100).rounded()
            return percent < 1 ? "< 1 %" : percent > 99 ? "> 99 %" : "\(Int(percent)) %"
        }
    }

    /// The text below the picture on a contact sheet.
    var caption: String { isCopy ? "copy" : probabilityText ?? NumberText.hundredths(likeness) }

    /// Green for the same thing, orange for another one.
    var color: AnnotationColor {
        isCopy || probability ?? 1 >= 0.5
            ? AnnotationColor(red: 0, green: 110, blue: 80) : AnnotationColor(red: 230, green: 159, blue: 0)
    }
}

extension NumberText {
    /// A number with two digits after the point, for example `0.90`.
    static func hundredths(_ value: Double) -> String {
        let hundredths = Int((value.magnitude * 100).rounded())
        let digits = hundredths % 100
        return "\(value < 0 && hundredths > 0 ? "-" : "")\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
    }
}

/// The groups of copies as a table, and their totals.
struct DuplicateTotal {
    private let groups: [DuplicateGroup]
    private let count: Int

    init(_ groups: [DuplicateGroup], of count: Int) { (self.groups, self.count) = (groups, count) }

    /// A sentence with the totals.
    var text: String {
        let pictures = NumberText.grouped(count, "picture")
        guard !groups.isEmpty else { return "No copies among \(pictures)." }
        let copies = groups.flatMap { $0.pictures.dropFirst() }
        let near = copies.count { $0.relation == .near }
        let bytes = groups.reduce(0) { $0 + $1.redundantBytes }
        return
            "\(NumberText.grouped(groups.count, "group")) among \(pictures): \(copies.count - near) exact and \(near) near "
            + "\(copies.count == 1 ? "copy" : "copies") of others, \(NumberText.bytes(bytes)). Nothing was deleted."
    }

    /// A row for each picture.
    static func table(_ groups: [DuplicateGroup]) -> String {
        TextTable(
            columns: [.number("GROUP"), .text("COPY"), .text("SIZE"), .number("BYTES"), .text("PICTURE")],
            rows: groups.enumerated().flatMap { number, group in
                group.pictures.map {
                    ["\(number + 1)", $0.relation.text, $0.sizeText, NumberText.bytes($0.byteCount), $0.path]
                }
            }
        ).text
    }
}

extension DuplicateGroup.Relation {
    /// The words for people.
    var text: String {
        switch self {
        case .first: "first"
        case .sameBytes: "same bytes"
        case .samePixels: "same pixels"
        case .near: "near"
        }
    }
}

extension DuplicateGroup.Picture {
    /// For example `640 × 480`.
    var sizeText: String { "\(width) × \(height)" }
}
