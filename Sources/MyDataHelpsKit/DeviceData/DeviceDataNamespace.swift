/// The namespace of device data, which identifies its origin.
public struct DeviceDataNamespace: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Data stored by the project's own apps.
    public static let project = DeviceDataNamespace(rawValue: "Project")
    /// Data from the participant's Fitbit account.
    public static let fitbit = DeviceDataNamespace(rawValue: "Fitbit")
    /// Data from Apple Health on the participant's phone.
    public static let appleHealth = DeviceDataNamespace(rawValue: "AppleHealth")
    /// Data from Google Fit on the participant's phone.
    public static let googleFit = DeviceDataNamespace(rawValue: "GoogleFit")
    /// Air quality measurements from AirNow.
    public static let airNowApi = DeviceDataNamespace(rawValue: "AirNowApi")
    /// Weather data for the participant's location.
    public static let weatherBit = DeviceDataNamespace(rawValue: "WeatherBit")
    /// Data from the participant's Omron account.
    public static let omron = DeviceDataNamespace(rawValue: "Omron")
    /// Data from the participant's Garmin account.
    public static let garmin = DeviceDataNamespace(rawValue: "Garmin")
}
