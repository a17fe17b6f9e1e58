// The public declarations of this module use the following types. This module exports them again, so that its users
// need only one import.
@_exported import Pledge
@_exported import enum PledgeCoding.JSONValue
@_exported import struct PledgeCoding.UnreadableItem
