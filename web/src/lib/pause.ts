import { signal } from './signal.ts'

/** Until when reads wait because the workspace has used its requests: ms since 1970, or 0. */
export const pausedUntil = signal(0)

/** The workspace's limit is reached: whatever reads waits so many seconds. */
export function noteLimit(seconds: number): void {
  const until = Date.now() + seconds * 1000
  if (until <= pausedUntil.get()) return
  pausedUntil.set(until)
  setTimeout(() => {
    if (pausedUntil.get() <= Date.now()) pausedUntil.set(0)
  }, seconds * 1000 + 10)
}

/** Waits for the end of the pause, and a random moment more so that not everybody goes on at once. */
export async function pauseOver(aborted?: AbortSignal): Promise<void> {
  while (pausedUntil.get() > Date.now()) {
    const ms = pausedUntil.get() - Date.now() + Math.random() * 500
    await new Promise((resolve) => setTimeout(resolve, ms))
    aborted?.throwIfAborted()
  }
}
