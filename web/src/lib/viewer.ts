import { language } from './language.ts'
import { signal } from './signal.ts'

/** How the person in front of the page reads dates. */
export interface Viewer {
  /** IANA name; "today" and times follow it. */
  zone: string
  /** How numbers and dates are written, e.g. `en-GB`. */
  locale: string
  /** First day of the week: 1 is Monday, 7 is Sunday. */
  weekStart: number
}

/** Where and how the viewer reads dates: of this device until the profile is known. */
export const viewer = signal<Viewer>({
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  locale: language === 'en' ? 'en-GB' : language,
  weekStart: 1,
})

/** Takes what the profile says; an unknown zone or locale is left aside. */
export function setViewer(change: Partial<Viewer>): void {
  const next = { ...viewer.get(), ...change }
  try {
    new Intl.DateTimeFormat(next.locale, { timeZone: next.zone })
  } catch {
    return
  }
  viewer.set(next)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** A formatter in the viewer's locale and zone (or another zone); made once, for making one is slow. */
export function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { zone, locale } = viewer.get()
  const all = { timeZone: zone, ...options }
  const key = `${locale} ${JSON.stringify(all)}`
  let made = formats.get(key)
  if (!made) {
    made = new Intl.DateTimeFormat(locale, all)
    formats.set(key, made)
  }
  return made
}
