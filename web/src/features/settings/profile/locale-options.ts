/** The offered locales; another one that was set elsewhere stays selectable. */
const OFFERED_LOCALES = 'en en-GB en-US de de-CH fr es it pt-BR nl pl sv tr ja ko zh-CN'.split(' ')

/** Options for the offered locales and the current one, each named in its own language. */
export const getLocaleOptions = (current: string): { value: string; label: string }[] =>
  [...new Set([...OFFERED_LOCALES, current])].map((value) => ({
    value,
    label: formatLocaleName(value),
  }))

function formatLocaleName(locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  } catch {
    return locale
  }
}

/** A date and a number in the format of a locale: "Tuesday 24 November 2026, 1,204.5". */
export function formatLocaleExample(locale: string, now: number = Date.now()): string {
  try {
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' }).format(now)
    return `${day}, ${new Intl.NumberFormat(locale).format(1204.5)}`
  } catch {
    return locale
  }
}

/** The current time in a time zone: "14:02". */
export function formatTimeInZone(zone: string, now: number = Date.now()): string {
  const style = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-GB', { ...style, timeZone: zone }).format(now)
}
