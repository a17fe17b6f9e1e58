@_exported import Pledge

// Operators without `on:` whose closures are isolated to the main actor, for the files of a user interface: those that
// import this module. They are preferred there, because Pledge's own are disfavored, and each forwards to the variant with
// `on: MainActor.shared`. That variant has the complete documentation, as the plain operator has.
//
// A module of its own, because an overload in Pledge would cost every chain twice the work of the type checker, and an
// operator that takes closures of any isolation costs an allocation and a quarter of a hop.
