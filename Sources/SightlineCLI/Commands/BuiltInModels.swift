/// The description of the built-in models in the commands' help.
enum BuiltInModels {
    static let detectorHelp = """
        Without --model, the built-in localizer finds the most prominent objects of any kind, and the built-in classifier \
        labels each object as fashion good, home good, food, place or plant. Other objects get no label. Both models are small \
        and fast rather than accurate: on photos of everyday scenes, the localizer finds about half of the larger objects and \
        often puts a single box around a group, and the classifier labels about a third of the objects that it knows, nine of \
        ten correctly. For better results, choose a detector with --model; `sightline models list` lists some.
        """

    static let labelerHelp = """
        Without --model, the built-in labeler labels a picture with everyday things, places and activities; `sightline \
        inspect` lists its labels. It stretches the picture. On everyday photos about seven of eight labels are right, and the \
        labeler finds half of the labels that apply.
        """

    /// The next step for a person who sees objects without a name.
    static let namelessAdvice = """
        The built-in models name five kinds of things. yolox-nano names 80: `sightline models install yolox-nano`, then \
        --model yolox-nano.
        """
}
