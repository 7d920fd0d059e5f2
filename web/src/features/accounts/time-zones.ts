/** The time zone of this device, an IANA name. */
export const getDeviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Options for all time zones that this browser knows; `required` ones are always among them. */
export const getTimeZoneOptions = (...required: string[]): { value: string; label: string }[] =>
  [...new Set(['UTC', ...required, ...Intl.supportedValuesOf('timeZone')])]
    .toSorted()
    .map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
