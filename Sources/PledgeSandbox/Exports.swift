// The server is part of this module's interface, so that its users can declare routes and faults.
@_exported import PledgeServer
