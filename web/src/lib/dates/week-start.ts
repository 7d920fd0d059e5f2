import { setViewer } from '../locale/viewer.ts'
import { localStore } from '../state/browser-storage.ts'

/** The possible first days of a week: Monday, Saturday, Sunday. */
export const WEEK_STARTS = [1, 6, 7] as const
type WeekStart = (typeof WEEK_STARTS)[number]

const STORAGE_KEY = 'docket.week'
const DEFAULT_WEEK_START: WeekStart = 1

/** The first day of the week that was chosen in this browser. */
export const getWeekStart = (): WeekStart =>
  WEEK_STARTS.find((day) => String(day) === localStore.read(STORAGE_KEY)) ?? DEFAULT_WEEK_START

/** Stores the first day of the week and applies it. */
export function saveWeekStart(day: WeekStart): void {
  localStore.write(STORAGE_KEY, day === DEFAULT_WEEK_START ? undefined : String(day))
  applyWeekStart()
}

/** Applies the stored first day of the week to the viewer's settings. */
export const applyWeekStart = (): void => setViewer({ weekStart: getWeekStart() })
