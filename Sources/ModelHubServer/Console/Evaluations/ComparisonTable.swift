/// Two models beside each other, prepared for a page.
struct ComparisonTable: Sendable {
    struct Cell: Sendable {
        var label: String
        var value: String
    }

    struct Row: Sendable {
        var name: String
        var cells: [Cell]
    }

    var caption: String
    /// When answers are equal.
    var help: String
    var columns: [String]
    var rows: [Row]

    init(caption: String, help: String, rows: [Row]) {
        self.caption = caption
        self.help = help
        self.rows = rows
        columns = rows.first?.cells.map(\.label) ?? []
    }
}
