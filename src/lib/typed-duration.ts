const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3_600, m: 60, s: 1 }
const MAX_SECONDS = 31_536_000
/** No duration is longer, and matching a longer text could stop the page. */
const MAX_TYPED_LENGTH = 64
const FRACTIONS: Readonly<Record<string, number>> = { '½': 0.5, '¼': 0.25, '¾': 0.75 }

/**
 * Parses a typed duration to seconds: `1h 30m`, `1:30` (hours and minutes), `90m`, `1.5h`, `1,5h`, `1 1/2h`,
 * `~30m`. A bare number means hours if it has a fraction, otherwise minutes. Undefined if it is not a
 * duration or longer than a year.
 */
export function parseDuration(typed: string): number | undefined {
  if (typed.length > MAX_TYPED_LENGTH) return
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^~ ?/, '')
    .replaceAll(',', '.')
    .replace(/(?:(\d+) )?(?<![\d/])([13])\/([24])(?= ?h)/, (_, whole = 0, over, under) =>
      String(Number(whole) + over / under),
    )
    .replace(/(\d*) ?([½¼¾])/, (_, whole, sign) => String(Number(whole) + (FRACTIONS[sign] ?? 0)))
    .replace(/h(\d{1,2}|\s+[0-5]\d)$/, 'h$1m')
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
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0)
  }
  return limitDuration(seconds)
}

const limitDuration = (seconds: number): number | undefined =>
  Number.isFinite(seconds) && seconds <= MAX_SECONDS ? Math.round(seconds) : undefined
