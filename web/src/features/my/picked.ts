import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { signal, useSignal } from '../../lib/signal.ts'

/** What is selected of a list of tasks of several projects, by id, and from where a range goes. */
export class Picked {
  readonly ids = signal<ReadonlySet<string>>(new Set())
  #anchor: string | undefined

  set(ids: Iterable<string>): void {
    this.ids.set(new Set(ids))
  }

  toggle(id: string): void {
    const next = new Set(this.ids.get())
    if (!next.delete(id)) next.add(id)
    this.#anchor = id
    this.ids.set(next)
  }

  /** All from where the range began to a task, beside what is selected. */
  extend(order: readonly string[], from: string, to: string): void {
    this.#anchor ??= from
    const [a, b] = [order.indexOf(this.#anchor), order.indexOf(to)]
    const range = a < 0 ? [to] : order.slice(Math.min(a, b), Math.max(a, b) + 1)
    this.set([...this.ids.get(), ...range])
  }

  /** Takes off what is not in the list any more. */
  keep(order: readonly string[]): void {
    const there = new Set(order)
    const all = [...this.ids.get()]
    if (!all.every((id) => there.has(id))) this.set(all.filter((id) => there.has(id)))
  }
}

const PickedContext = createContext<{ picked: Picked; order: readonly string[] } | undefined>(
  undefined,
)
export const PickedOf = PickedContext.Provider

/** The selection of a list whose tasks stand in this order; what leaves the list leaves it, too. */
export function useNewPicked(order: readonly string[]) {
  const picked = useMemo(() => new Picked(), [])
  useEffect(() => picked.keep(order), [picked, order])
  const ids = useSignal(picked.ids)
  const value = useMemo(() => ({ picked, order }), [picked, order])
  return { ...value, ids, value }
}

/** Whether a task of the list is selected, and how that is changed; undefined where nothing can be. */
export function usePick(id: string) {
  const found = useContext(PickedContext)
  const isPicked = useSyncExternalStore(
    found?.picked.ids.subscribe ?? never,
    () => found?.picked.ids.get().has(id) ?? false,
  )
  if (!found) return undefined
  const { picked, order } = found
  const pick = (range: boolean) => (range ? picked.extend(order, id, id) : picked.toggle(id))
  return { isPicked, pick }
}

const never = () => () => undefined
