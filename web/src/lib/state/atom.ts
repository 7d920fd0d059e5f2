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

/** A value that follows from another one. */
type DerivedAtom<T> = Omit<Atom<T>, 'set'>

/** Creates state that follows from other state. It stays as it is as long as it is the same. */
export function derive<R>(
  from: readonly Pick<Atom<unknown>, 'subscribe'>[],
  compute: () => R,
  isSame: (before: R, now: R) => boolean,
): DerivedAtom<R> {
  const derived = atom(compute())
  const update = () => {
    const now = compute()
    if (!isSame(derived.get(), now)) derived.set(now)
  }
  for (const one of from) one.subscribe(update)
  return derived
}

/** Whether two lists consist of the same objects or values. */
export const hasSameItems = (before: readonly unknown[], now: readonly unknown[]): boolean =>
  before.length === now.length && now.every((one, at) => one === before[at])

/** Subscribes a component to the value. */
export const useAtom = <T>(of: DerivedAtom<T>): T => useSyncExternalStore(of.subscribe, of.get)

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
