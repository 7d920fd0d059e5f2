/** "1h 30m", "45m", "20s", "0m". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole > 0 && whole < 60) return `${whole}s`
  const minutes = Math.round(whole / 60)
  const parts = [`${Math.floor(minutes / 60)}h`, `${minutes % 60}m`]
  return minutes === 0 ? '0m' : parts.filter((part) => !/^0\D/.test(part)).join(' ')
}

/** Formats a running timer: "0:42:10". */
export function formatTimer(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${Math.floor(whole / 3_600)}:${padTwo(Math.floor(whole / 60) % 60)}:${padTwo(whole % 60)}`
}

const padTwo = (n: number) => String(n).padStart(2, '0')

const HOURS_CHOICES = [2, 3, 4, 5, 6, 7, 8, 10]

/** How many hours of estimates a person may plan for a day; others, which the API allows, stay selectable. */
export const listHoursPerDay = (current: number): number[] =>
  [...new Set([...HOURS_CHOICES, current])].toSorted((a, b) => a - b)
