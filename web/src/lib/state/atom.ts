import { useSyncExternalStore } from 'react'

/** An observable value. */
export interface Atom<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

/** Creates state outside of React. Setting an identical value notifies no listener. */
export function atom<T>(initial: T): Atom<T> {
  let value = initial
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

/** Subscribes a component to the value. */
export const useAtom = <T>(of: Atom<T>): T => useSyncExternalStore(of.subscribe, of.get)

/**
 * A snapshot of an object for `useSyncExternalStore`. It stays the same until one of these parts of
 * the object has changed, and when there is no object any more, since components that are about to
 * be removed may read it once more.
 */
export function createPartsSnapshot<T extends object, K extends keyof T>(
  of: Atom<T | undefined>,
  names: readonly K[],
): () => Pick<T, K> | undefined {
  let last: T | undefined
  return () => {
    const now = of.get()
    if (now && !names.every((name) => last?.[name] === now[name])) last = now
    return last
  }
}
