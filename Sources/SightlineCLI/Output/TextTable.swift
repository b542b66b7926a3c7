/// Rows of text in aligned columns, for a terminal.
struct TextTable {
    enum Alignment {
        case left, right
    }

    /// A column's heading and where its cells stand.
    struct Column {
        let heading: String
        let alignment: Alignment

        static func text(_ heading: String) -> Column { Column(heading: heading, alignment: .left) }
        static func number(_ heading: String) -> Column { Column(heading: heading, alignment: .right) }
    }

    let columns: [Column]
    let rows: [[String]]

    /// No cell is shown wider than this; longer text ends in an ellipsis.
    static let maximumCellWidth = 48

    /// The lines, without spaces at their ends, each ended by a line feed.
    var text: String {
        let cells = ([columns.map(\.heading)] + rows).map { row in
            row.map { TerminalText.shortened(TerminalText.printable($0), to: Self.maximumCellWidth) }
        }
        let widths = columns.indices.map { column in
            cells.map { column < $0.count ? TerminalText.width($0[column]) : 0 }.max() ?? 0
        }
        return cells.map { row in
            let padded = zip(zip(row, widths), columns).map { cell, column in
                let space = String(repeating: " ", count: max(cell.1 - TerminalText.width(cell.0), 0))
                return column.alignment == .left ? cell.0 + space : space + cell.0
            }
            let line = padded.joined(separator: "  ")
            return line.prefix(through: line.lastIndex { $0 != " " } ?? line.startIndex) + "\n"
        }.joined()
    }
}
