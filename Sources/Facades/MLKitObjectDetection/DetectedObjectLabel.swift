/// The texts of the built-in classifier's labels. (`MLKDetectedObjectLabel`)
public struct DetectedObjectLabel: RawRepresentable, Sendable, Hashable {
    /// The text.
    public let rawValue: String

    /// Creates a label from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Clothes, shoes, bags.
    public static let fashionGood = DetectedObjectLabel(rawValue: "Fashion good")
    /// Furniture, dishes, appliances.
    public static let homeGood = DetectedObjectLabel(rawValue: "Home good")
    /// Food and drinks.
    public static let food = DetectedObjectLabel(rawValue: "Food")
    /// Buildings, landmarks, sights.
    public static let place = DetectedObjectLabel(rawValue: "Place")
    /// Flowers, trees, leaves.
    public static let plant = DetectedObjectLabel(rawValue: "Plant")
}

/// The indices of the built-in classifier's labels. (`MLKDetectedObjectLabelIndex`)
public struct DetectedObjectLabelIndex: RawRepresentable, Sendable, Hashable {
    /// The index.
    public let rawValue: Int

    /// Creates a label from its index.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Clothes, shoes, bags.
    public static let fashionGood = DetectedObjectLabelIndex(rawValue: 0)
    /// Furniture, dishes, appliances.
    public static let homeGood = DetectedObjectLabelIndex(rawValue: 1)
    /// Food and drinks.
    public static let food = DetectedObjectLabelIndex(rawValue: 2)
    /// Buildings, landmarks, sights.
    public static let place = DetectedObjectLabelIndex(rawValue: 3)
    /// Flowers, trees, leaves.
    public static let plant = DetectedObjectLabelIndex(rawValue: 4)
}
