/// The description of the built-in models in the commands' help.
enum BuiltInModels {
    static let detectorHelp = """
        Without --model, the built-in detector finds objects of any kind. It names COCO's 80 kinds, for example person and cup; \
        where it is unsure of the kind it names a group, for example animal, and otherwise says object. The model is small and \
        fast rather than accurate: on photos of everyday scenes it finds three of four larger objects and names half of them; \
        seven of ten names are right.
        """

    static let labelerHelp = """
        Without --model, the built-in labeler labels a picture with everyday things, places and activities; `sightline \
        inspect` lists its labels. It stretches the picture. On everyday photos about nine of ten labels are right, and the \
        labeler finds half of the labels that apply.
        """

    /// The next step for a person who sees objects without a name.
    static let namelessAdvice = """
        Most objects have no name, because the built-in detector names what it is sure of; `sightline models use \
        \(DefaultModelHelp.best)` installs a model that names more and makes it the default.
        """
}
