// The name that the pod gives its module.
@_exported import Firebase
