import { signal } from './signal.ts'

/** Until when reads wait because the workspace has used its requests: ms since 1970, or 0. */
export const pausedUntil = signal(0)

/** The workspace's limit is reached: whatever reads waits so many seconds. */
export function noteLimit(seconds: number): void {
  const until = Date.now() + seconds * 1000
  if (until <= pausedUntil.get()) return
  pausedUntil.set(until)
  setTimeout(
    () => {
      if (pausedUntil.get() <= Date.now()) pausedUntil.set(0)
    },
    seconds * 1000 + 10,
  )
}

/** Whether reads wait, and writes are refused: the browser's session is another than the page's just now. */
export const readsHeld = signal(false)

/** Waits until the session is the page's again. */
export async function released(aborted?: AbortSignal): Promise<void> {
  if (!readsHeld.get()) return
  await new Promise<void>((resolve) => {
    const stop = readsHeld.subscribe(() => {
      if (readsHeld.get()) return
      stop()
      resolve()
    })
  })
  aborted?.throwIfAborted()
}

/** Waits for the end of the pause, and a random moment more so that not everybody goes on at once. */
export async function pauseOver(aborted?: AbortSignal): Promise<void> {
  await released(aborted)
  while (pausedUntil.get() > Date.now()) {
    const ms = pausedUntil.get() - Date.now() + Math.random() * 500
    await new Promise((resolve) => setTimeout(resolve, ms))
    aborted?.throwIfAborted()
  }
}
