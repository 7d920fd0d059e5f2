import { useSyncExternalStore } from 'react'

/** A value that changes and tells whoever listens. */
export interface Signal<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

/** A value of the page outside of React; setting the same again tells nobody. */
export function signal<T>(first: T): Signal<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** The value now, and again whenever it changes. */
export const useSignal = <T>(of: Signal<T>): T => useSyncExternalStore(of.subscribe, of.get)
