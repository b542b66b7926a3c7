import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs, and so names it.
    ///
    /// Tests share the cores, and without a limit on their number all start at once, so a test may take nearly as long as all tests
    /// together. The limit is nearly three times as long as all tests take on two cores, and says nothing about speed.
    public static var hangLimit: Self { .timeLimit(.minutes(20)) }
}
