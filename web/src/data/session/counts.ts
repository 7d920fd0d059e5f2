import type { getCounts } from '#resources/web-app/boot/contract.ts'
import { today } from '../../lib/dates/plain-date.ts'
import { subscribeToClock } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { numberBootRequest, showCounts } from './boot.ts'
import { hasCurrentSession, waitForSessionMatch } from './current-session.ts'

const DELAY_MS = 250
const MIN_INTERVAL_MS = 1_000
/** On the clock of `performance.now()`, which nobody sets back. */
let requestedAt = Number.NEGATIVE_INFINITY
let timer: ReturnType<typeof setTimeout> | undefined

/** Reads only the numbers in the sidebar again, soon after what they count has changed. */
export function scheduleCountsReload(): void {
  if (timer !== undefined || !hasCurrentSession()) return
  const pauseMs = requestedAt + MIN_INTERVAL_MS - performance.now()
  timer = setTimeout(
    async () => {
      await waitForSessionMatch()
      timer = undefined
      requestedAt = performance.now()
      // The next change reads them again.
      await loadCounts().catch(() => undefined)
    },
    Math.max(DELAY_MS, pauseMs),
  )
}

async function loadCounts(): Promise<void> {
  const request = numberBootRequest()
  showCounts(request, await requestEndpoint<typeof getCounts>('GET /internal/counts', {}))
}

/** Reads the numbers again when a day begins: what is overdue grows without a change. Returns a function that ends it. */
export function recountOnNewDays(): () => void {
  let countedOn = today()
  return subscribeToClock(() => {
    if (today() === countedOn) return
    countedOn = today()
    scheduleCountsReload()
  })
}
