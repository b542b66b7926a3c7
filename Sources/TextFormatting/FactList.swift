/// Headings at the left with one or more lines of text beside each.
package struct FactList {
    /// The lines so far. Each ends with a line feed.
    package private(set) var text = ""
    private let indent: Int

    /// Creates an empty list.
    ///
    /// - Parameter indent: the column at which the text beside the headings begins.
    package init(indent: Int) { self.indent = indent }

    /// Adds a heading with its lines, or nothing if there are no lines.
    package mutating func add(_ heading: String, _ lines: [String]) {
        for (number, line) in lines.enumerated() {
            let start = number == 0 ? heading : ""
            let space = String(repeating: " ", count: max(indent - start.count, 1))
            text += "\(start)\(space)\(TerminalText.printable(line))\n"
        }
    }

    /// Adds a heading with its line, or nothing if there is no line.
    package mutating func add(_ heading: String, _ line: String?) { add(heading, [line].compactMap(\.self)) }
}
