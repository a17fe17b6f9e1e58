// The public declarations of this module use these types. They are exported again, so that a user needs only one
// import.
@_exported import Pledge
@_exported import enum PledgeCoding.JSONValue
@_exported import struct PledgeCoding.UnreadableItem
