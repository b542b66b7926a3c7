import TextFormatting

/// Objects that `--allow` leaves out although they could be of an allowed kind.
enum UnnamedObjects {
    /// A sentence about them; nil if there are none.
    static func sentence(about count: Int) -> String? {
        guard count > 0 else { return nil }
        return "\(NumberText.count(count, "object")) without an allowed name "
            + "\(count == 1 ? "was" : "were") left out: the model gave no name, or only that of a group. "
            + "Without --allow, results have them."
    }
}
