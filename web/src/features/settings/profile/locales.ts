/** Ways of writing dates and numbers that are offered; any other stays if it was set elsewhere. */
const OFFERED = 'en en-GB en-US de de-CH fr es it pt-BR nl pl sv tr ja ko zh-CN'.split(' ')

/** Languages by their own names, the present one among them. */
export const localesWith = (present: string): { value: string; label: string }[] =>
  [...new Set([...OFFERED, present])].map((value) => ({ value, label: nameOf(value) }))

function nameOf(locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  } catch {
    return locale
  }
}

/** A date and a number as a locale writes them: "Tuesday 24 November 2026, 1,204.5". */
export function exampleOf(locale: string, now: number = Date.now()): string {
  try {
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' }).format(now)
    return `${day}, ${new Intl.NumberFormat(locale).format(1204.5)}`
  } catch {
    return locale
  }
}

/** What the clock says in a zone: "14:02". */
export function timeIn(zone: string, now: number = Date.now()): string {
  const style = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-GB', { ...style, timeZone: zone }).format(now)
}
