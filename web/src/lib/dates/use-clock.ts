import { useSyncExternalStore } from 'react'
import { type PlainDate, today } from './plain-date.ts'

const CHECK_INTERVAL_MS = 60_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const check = (): void => {
  for (const listener of [...listeners]) listener()
}

/**
 * Calls a listener every minute, and when the page is shown again; returns a function that ends it. A
 * timer for the next change would be late after the computer has slept, so the time is checked.
 */
export function subscribeToClock(listener: () => void): () => void {
  if (listeners.size === 0) {
    timer = setInterval(check, CHECK_INTERVAL_MS)
    document.addEventListener('visibilitychange', check)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    document.removeEventListener('visibilitychange', check)
  }
}

const readToday = (): PlainDate => today()

/** A text that depends on the present time. The component renders again when it has changed. */
export const useTimedText = (format: () => string): string =>
  useSyncExternalStore(subscribeToClock, format)

/** Today's date in the time zone of the viewer. A component renders again when a new day begins. */
export const useToday = (): PlainDate => useSyncExternalStore(subscribeToClock, readToday)
