/// What the commands' help says about the built-in models.
enum BuiltInModels {
    static let detectorHelp = """
        Without --model the built-in localizer finds the most prominent objects of any kind, and the built-in \
        classifier says whether each is a fashion good, home good, food, place or plant; what it holds to be none of these \
        has no label. The two are small and fast rather than good: on photos of everyday scenes the localizer finds about \
        half of the larger objects and often boxes a group as one; the classifier names about three in ten of the things \
        that it knows and is right five times in six. For more, name a detector with --model; `sightline models list` has some.
        """

    static let labelerHelp = """
        Without --model the built-in classifier says whether a picture shows a fashion good, home good, food, place or \
        plant, and nothing of other pictures; of its labels about five in six are right on photos of everyday things.
        """
}
