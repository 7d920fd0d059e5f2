import { delay } from '../browser/delay.ts'
import { type Atom, atom } from '../state/atom.ts'

/** Until when requests wait for a rate limit of the API, in ms since 1970; 0 if they do not. */
export const rateLimitPause = atom(0)

/** Pauses requests after the session or the workspace has reached its limit for the web app. */
export function pauseForRateLimit(seconds: number): void {
  const until = Date.now() + seconds * 1000
  if (until <= rateLimitPause.get()) return
  rateLimitPause.set(until)
  // A clock that was set back meanwhile must not prolong the pause.
  setTimeout(
    () => {
      if (rateLimitPause.get() === until) rateLimitPause.set(0)
    },
    seconds * 1000 + 10,
  )
}

/** Whether reads wait and writes fail because the browser's session is not the page's. */
export const sessionPause = atom(false)

const renewals = new Set<Promise<unknown>>()

/**
 * Makes reads wait for a write whose reply may give the browser a new session: from its commit until
 * then, the server refuses the present one, as if the person were signed out.
 */
export function holdReadsDuring<T>(write: Promise<T>): Promise<T> {
  renewals.add(write)
  const end = () => renewals.delete(write)
  write.then(end, end)
  return write
}

/** Resolves once no write is under way that may renew the session. */
export async function waitForRenewals(): Promise<void> {
  while (renewals.size > 0) await Promise.allSettled(renewals)
}

/** Resolves once the browser's session is the page's again. */
export async function waitForSessionPause(abortSignal?: AbortSignal): Promise<void> {
  await waitForRenewals()
  abortSignal?.throwIfAborted()
  if (!sessionPause.get()) return
  await waitForEnd(sessionPause)
  abortSignal?.throwIfAborted()
}

const waitForEnd = (pause: Atom<boolean> | Atom<number>): Promise<void> =>
  new Promise((resolve) => {
    const stop = pause.subscribe(() => {
      if (pause.get()) return
      stop()
      resolve()
    })
  })

/** Resolves after both pauses and a random delay, so that not all clients continue at once. */
export async function waitForRateLimitPause(abortSignal?: AbortSignal): Promise<void> {
  await waitForSessionPause(abortSignal)
  while (rateLimitPause.get() > 0) {
    await waitForEnd(rateLimitPause)
    await delay(Math.random() * 500)
    abortSignal?.throwIfAborted()
  }
}
