export const HOUR_MS = 60 * 60 * 1000
/** Of the clock; a day of a calendar may have an hour less or more (`days.ts`). */
export const DAY_MS = 24 * HOUR_MS
export const DAY_SECONDS = DAY_MS / 1000
