/// Rows of text in aligned columns.
package struct TextTable {
    package enum Alignment {
        case left, right
    }

    /// A column's heading and the alignment of its cells.
    package struct Column {
        package let heading: String
        package let alignment: Alignment

        package static func text(_ heading: String) -> Column { Column(heading: heading, alignment: .left) }
        package static func number(_ heading: String) -> Column { Column(heading: heading, alignment: .right) }
    }

    package let columns: [Column]
    package let rows: [[String]]

    /// Creates a table.
    package init(columns: [Column], rows: [[String]]) {
        self.columns = columns
        self.rows = rows
    }

    /// The widest cell in columns; longer text ends with an ellipsis.
    package static let maximumCellWidth = 48

    /// The lines of the table, without trailing spaces. Each ends with a line feed.
    package var text: String {
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
