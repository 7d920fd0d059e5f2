import { setViewer } from './viewer.ts'

/** Days with which a week may begin: Monday, Saturday, Sunday. */
export const WEEK_STARTS = [1, 6, 7] as const
export type WeekStart = (typeof WEEK_STARTS)[number]

const NAME = 'docket.week'
const USUAL: WeekStart = 1

/** The first day of the week as it was chosen in this browser. */
export const weekStart = (): WeekStart =>
  WEEK_STARTS.find((day) => String(day) === localStorage.getItem(NAME)) ?? USUAL

/** Chooses it, for now and for later. */
export function setWeekStart(day: WeekStart): void {
  if (day === USUAL) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, String(day))
  applyWeekStart()
}

/** Lets calendars begin as it was chosen. */
export const applyWeekStart = (): void => setViewer({ weekStart: weekStart() })
