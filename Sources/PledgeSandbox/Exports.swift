// The types of the server are part of this module's interface: whoever imports it can declare routes and faults.
@_exported import PledgeServer
