// The pod's name for its module.
@_exported import Firebase
