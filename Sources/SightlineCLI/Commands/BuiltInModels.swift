/// The description of the built-in models in the commands' help.
enum BuiltInModels {
    static let detectorHelp = """
        Without --model, the built-in localizer finds the most prominent objects of any kind, and the built-in classifier \
        labels each object as fashion good, home good, food, place or plant. Other objects get no label. Both models are small \
        and fast rather than accurate: on photos of everyday scenes, the localizer finds about half of the larger objects and \
        often puts one box around a group, and the classifier labels about three in ten of the things that it knows and is \
        right five times in six. For better results, choose a detector with --model; `sightline models list` lists some.
        """

    static let labelerHelp = """
        Without --model, the built-in classifier labels pictures of fashion goods, home goods, food, places and plants. Other \
        pictures get no label. On photos of everyday things, about five in six of its labels are right.
        """
}
