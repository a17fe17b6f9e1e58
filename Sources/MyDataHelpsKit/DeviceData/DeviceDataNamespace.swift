/// The namespace of device data, which identifies its origin. Fitbit, Apple Health, and Garmin exist in both versions; each
/// version spells their types in its own way.
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
    /// Data from the participant's Google Health account, Fitbit's successor; version 2 only.
    public static let googleHealth = DeviceDataNamespace(rawValue: "GoogleHealth")
    /// Data from Health Connect on the participant's Android phone; version 2 only.
    public static let healthConnect = DeviceDataNamespace(rawValue: "HealthConnect")
    /// Data from the participant's Oura account; version 2 only.
    public static let oura = DeviceDataNamespace(rawValue: "Oura")
    /// Data from the participant's Dexcom account; version 2 only.
    public static let dexcom = DeviceDataNamespace(rawValue: "Dexcom")
}
