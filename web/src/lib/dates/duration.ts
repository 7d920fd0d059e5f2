const SECONDS_PER_UNIT: Record<string, number> = { h: 3_600, m: 60, s: 1 }
const MAX_SECONDS = 31_536_000

/**
 * Parses a typed duration to seconds: `1h 30m`, `1:30` (hours and minutes), `90m`, `1.5h`, `1,5h`.
 * A bare number means hours if it has a fraction, otherwise minutes. Undefined if it is not a
 * duration or longer than a year.
 */
export function parseDuration(typed: string): number | undefined {
  const text = typed
    .trim()
    .toLowerCase()
    .replaceAll(',', '.')
    .replace(/h\s*(\d+)$/, 'h$1m')
  const clock = /^(\d{1,5}):([0-5]\d)(?::([0-5]\d))?$/.exec(text)
  if (clock) {
    return limitDuration(Number(clock[1]) * 3_600 + Number(clock[2]) * 60 + Number(clock[3] ?? 0))
  }
  if (/^\d+$/.test(text)) return limitDuration(Number(text) * 60)
  if (/^\d*\.\d+$/.test(text)) return limitDuration(Number(text) * 3_600)
  if (!/^(?:\d*\.?\d+\s*(?:hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\s*)+$/.test(text))
    return
  let seconds = 0
  for (const [, amount, unit = ''] of text.matchAll(/(\d*\.?\d+)\s*([a-z])/g)) {
    seconds += Number(amount) * (SECONDS_PER_UNIT[unit] ?? 0)
  }
  return limitDuration(seconds)
}

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

const limitDuration = (seconds: number): number | undefined =>
  Number.isFinite(seconds) && seconds <= MAX_SECONDS ? Math.round(seconds) : undefined
