// The server module is part of this module's interface. So code that imports the sandbox can declare routes and faults.
@_exported import PledgeServer
