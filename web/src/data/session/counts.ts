import type { getCounts } from '#resources/web-app/boot/contract.ts'
import { type PlainDate, today } from '../../lib/dates/plain-date.ts'
import { subscribeToClock } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { numberBootRequest, showCounts } from './boot.ts'
import { hasCurrentSession, waitForSessionMatch } from './current-session.ts'

const DELAY_MS = 250
const MIN_INTERVAL_MS = 1_000
const RETRY_DELAY_MS = 30_000
/** On the clock of `performance.now()`, which nobody sets back. */
let requestedAt = Number.NEGATIVE_INFINITY
let timer: ReturnType<typeof setTimeout> | undefined
let startsAt = Number.POSITIVE_INFINITY
/** The day on which the server has counted last. */
let countedOn: PlainDate | undefined

/**
 * Reads only the numbers in the sidebar again, soon after what they count has changed: after
 * `delayMs`, and `intervalMs` after the last time at the earliest, or with what is to be read earlier.
 */
export function scheduleCountsReload({
  delayMs = DELAY_MS,
  intervalMs = MIN_INTERVAL_MS,
} = {}): void {
  if (!hasCurrentSession()) return
  const now = performance.now()
  const at = Math.max(now + delayMs, requestedAt + intervalMs)
  if (at >= startsAt) return
  clearTimeout(timer)
  startsAt = at
  timer = setTimeout(async () => {
    await waitForSessionMatch()
    startsAt = Number.POSITIVE_INFINITY
    requestedAt = performance.now()
    await loadCounts().catch(() => scheduleCountsReload({ delayMs: RETRY_DELAY_MS }))
  }, at - now)
}

async function loadCounts(): Promise<void> {
  const request = numberBootRequest()
  const day = today()
  showCounts(request, await requestEndpoint<typeof getCounts>('GET /internal/counts', {}))
  countedOn = day
}

/** Reads the numbers again when a day begins: what is overdue grows without a change. Returns a function that ends it. */
export function recountOnNewDays(): () => void {
  countedOn = today()
  return subscribeToClock(() => {
    if (today() !== countedOn) scheduleCountsReload()
  })
}
