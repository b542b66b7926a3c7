import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs.
    ///
    /// All tests start at once and share the cores, so that the time of any may be nearly that of all. The limit is
    /// therefore far above what the slowest machine needs for all of them, and says nothing about speed.
    public static var hangLimit: Self { .timeLimit(.minutes(15)) }
}
