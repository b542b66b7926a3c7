/// The frame of a report: a self-contained HTML file.
///
/// It follows the system's light or dark appearance, can be printed, and fits a phone. It contains no script.
struct ReportPage {
    let title: String
    let subtitle: HTML
    /// The command that created the report.
    var author = "sightline evaluate"
    var sections: [HTML] = []

    /// The numbers at the top of the page.
    static func figures(_ figures: [ReportFigure]) -> HTML {
        let items: [HTML] = figures.compactMap { figure in
            figure.file.map { caption in
                "<div><dt>\(caption.name)</dt><dd>\(ReportNumbers.text(figure.value))<small>\(caption.note)</small></dd></div>"
            }
        }
        return #"<dl class="figures">\#(items)</dl>"#
    }

    static func section(_ title: String, _ note: String = "", _ content: HTML) -> HTML {
        let text: HTML? = note.isEmpty ? nil : #"<p class="note">\#(note)</p>"#
        return "<section><h2>\(title)</h2>\(text)\(content)</section>"
    }

    /// A table that scrolls sideways if it is too wide. All columns except the first contain numbers.
    static func table(_ headings: [String], _ rows: [HTML], label: String, kind: String = "") -> HTML {
        let head: [HTML] = headings.map { #"<th scope="col">\#($0)</th>"# }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(label)"><table class="\(kind)">\
            <thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }

    /// A share with a bar behind it.
    static func bar(_ share: Double?, _ text: String) -> HTML {
        let width = (share ?? 0).isFinite ? min(max(share ?? 0, 0), 1) * 100 : 0
        return #"<td class="share"><span><i style="width:\#(width)%"></i></span>\#(text)</td>"#
    }

    /// The whole file.
    var text: String {
        let page: HTML = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
            <title>\(title)</title><style>\(ReportStyle.css)</style></head>
            <body><header><h1>\(title)</h1><p>\(subtitle)</p></header><main>\(sections)</main>
            <footer>Created by <code>\(author)</code></footer></body></html>

            """
        return page.text
    }
}
