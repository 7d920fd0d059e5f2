import { atom } from '../../../lib/state/atom.ts'
import { localStore } from '../../../lib/state/browser-storage.ts'

const STORAGE_KEY = 'docket.hours-per-day'
const DEFAULT_HOURS = 6
/** What a person may choose. */
export const HOURS_CHOICES = [2, 3, 4, 5, 6, 7, 8, 10] as const

const readHours = (): number => {
  const stored = Number(localStore.read(STORAGE_KEY))
  return HOURS_CHOICES.find((one) => one === stored) ?? DEFAULT_HOURS
}

/** How many hours of estimates the person plans for a day; this browser keeps it. */
export const hoursPerDay = atom<number>(readHours())

export function setHoursPerDay(hours: number): void {
  localStore.write(STORAGE_KEY, String(hours))
  hoursPerDay.set(hours)
}
