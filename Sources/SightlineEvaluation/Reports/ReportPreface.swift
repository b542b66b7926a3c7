import Sightline

/// The first part of a report, by the program that made the model: facts, warnings, and pictures to look at.
package struct ReportPreface: Sendable {
    /// A picture whose label is perhaps wrong.
    package struct Doubt: Sendable {
        let path: String
        let label: String
        let answer: String
        let confidence: Float

        /// - Parameters:
        ///   - path: The picture's path within the folder or archive.
        ///   - label: The picture's label.
        ///   - answer: The label that it seems to have.
        ///   - confidence: The confidence of the answer.
        package init(path: String, label: String, answer: String, confidence: Float) {
            (self.path, self.label, self.answer, self.confidence) = (path, label, answer, confidence)
        }
    }

    let title: String
    let author: String
    let facts: [String]
    let warnings: [String]
    let doubts: [Doubt]

    /// - Parameters:
    ///   - title: The title of the page.
    ///   - author: The command that made the page.
    ///   - facts: Sentences about how the figures came about.
    ///   - warnings: Sentences about possible problems of the pictures.
    ///   - doubts: The pictures that look mislabeled, the worst first.
    package init(title: String, author: String, facts: [String], warnings: [String], doubts: [Doubt]) {
        (self.title, self.author, self.facts, self.warnings, self.doubts) = (title, author, facts, warnings, doubts)
    }

    func html(of files: PictureFiles?) -> HTML {
        var page: HTML = #"<section>\#(facts.map { sentence -> HTML in "<p>\(sentence)</p>" })</section>"#
        if !warnings.isEmpty {
            page += #"<section class="warn">\#(warnings.map { sentence -> HTML in "<p>\(sentence)</p>" })</section>"#
        }
        guard !doubts.isEmpty else { return page }
        let figures: [HTML] = doubts.map { doubt in
            let address = (try? files?.image(at: doubt.path)).flatMap { Thumbnail.address($0, side: 240) }
            let picture: HTML =
                address.map { #"<img src="\#($0)" alt="\#(doubt.label)" loading="lazy">"# }
                ?? #"<div class="missing">no picture</div>"#
            return """
                <figure>\(picture)<figcaption>labeled <b>\(doubt.label)</b><br>looks like <b class="bad">\(doubt.answer)</b> \
                \(ReportNumbers.percent(Double(doubt.confidence)))<span class="path" title="\(doubt.path)">\(doubt.path)</span>\
                </figcaption></figure>
                """
        }
        page += ReportPage.section(
            "Perhaps mislabeled",
            "Pictures that a model which never saw them is surest to have another label, the worst first. Correct what is wrong, "
                + "and train again.",
            #"<div class="pictures">\#(figures)</div>"#
        )
        return page
    }
}
