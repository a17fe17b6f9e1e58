// This module's declarations use these types, so that one import is enough for its users.
@_exported import Pledge
@_exported import enum PledgeCoding.JSONValue
@_exported import struct PledgeCoding.UnreadableItem
