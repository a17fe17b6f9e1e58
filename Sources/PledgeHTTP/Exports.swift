// The types that the declarations of this module use, so that one import is enough.
@_exported import Pledge
@_exported import enum PledgeCoding.JSONValue
@_exported import struct PledgeCoding.UnreadableItem
