extension Float {
    /// The number if it is a valid confidence, otherwise nil: an invalid threshold counts as not set.
    var validConfidence: Float? { (0...1).contains(self) ? self : nil }
}
