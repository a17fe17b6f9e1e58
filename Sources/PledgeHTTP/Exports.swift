// What the signatures of this module mention: one import is enough.
@_exported import Pledge
@_exported import enum PledgeCoding.JSONValue
@_exported import struct PledgeCoding.UnreadableItem
