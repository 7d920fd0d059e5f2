import { atom } from '../state/atom.ts'
import { pageLanguage } from './language.ts'

/** The viewer's settings for dates and numbers. */
interface Viewer {
  /** IANA time zone; "today" and times follow it. */
  zone: string
  /** How numbers and dates are written, e.g. `en-GB`. */
  locale: string
  /** First day of the week: 1 is Monday, 7 is Sunday. */
  weekStart: number
}

/** The viewer's settings: those of the device until the profile is loaded. */
export const viewer = atom<Viewer>({
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  locale: pageLanguage === 'en' ? 'en-GB' : pageLanguage,
  weekStart: 1,
})

/** Applies the profile's settings; an unknown time zone or locale is ignored. */
export function setViewer(change: Partial<Viewer>): void {
  const next = { ...viewer.get(), ...change }
  try {
    new Intl.DateTimeFormat(next.locale, { timeZone: next.zone })
  } catch {
    return
  }
  viewer.set(next)
}

const formattersByKey = new Map<string, Intl.DateTimeFormat>()

/** A date formatter in the viewer's locale and, by default, zone; cached, as creation is slow. */
export function getDateFormatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { zone, locale } = viewer.get()
  const all = { timeZone: zone, ...options }
  const key = `${locale} ${JSON.stringify(all)}`
  let cached = formattersByKey.get(key)
  if (!cached) {
    cached = new Intl.DateTimeFormat(locale, all)
    formattersByKey.set(key, cached)
  }
  return cached
}
