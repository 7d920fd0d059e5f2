/** The time zone of this device, an IANA name. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** All zones that this browser knows, with those that have to be offered in any case. */
export const allZones = (...also: string[]): { value: string; label: string }[] =>
  [...new Set(['UTC', ...also, ...Intl.supportedValuesOf('timeZone')])]
    .toSorted()
    .map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
