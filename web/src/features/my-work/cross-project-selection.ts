import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { atom, useAtom } from '../../lib/state/atom.ts'

/** The selected task ids of a list over several projects, and the anchor of range selection. */
export class CrossProjectSelection {
  readonly ids = atom<ReadonlySet<string>>(new Set())
  /** The task whose title is being edited in its row. */
  readonly editedId = atom<string | undefined>(undefined)
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

  /** Adds the tasks from the anchor of the range to the given one. */
  extend(order: readonly string[], from: string, to: string): void {
    // An anchor that was deselected since begins no range.
    const anchor =
      this.#anchor !== undefined && this.ids.get().has(this.#anchor) ? this.#anchor : from
    this.#anchor = anchor
    const [a, b] = [order.indexOf(anchor), order.indexOf(to)]
    const range = a < 0 ? [to] : order.slice(Math.min(a, b), Math.max(a, b) + 1)
    this.set([...this.ids.get(), ...range])
  }

  /** Deselects tasks that are no longer in the list. */
  retain(order: readonly string[]): void {
    const listedIds = new Set(order)
    const all = [...this.ids.get()]
    if (!all.every((id) => listedIds.has(id))) this.set(all.filter((id) => listedIds.has(id)))
  }
}

const SelectionContext = createContext<
  { selection: CrossProjectSelection; order: readonly string[] } | undefined
>(undefined)
export const CrossProjectSelectionProvider = SelectionContext.Provider

/** Creates the selection of a list in this order. Tasks that leave the list are deselected. */
export function useCreateCrossProjectSelection(order: readonly string[]) {
  const selection = useMemo(() => new CrossProjectSelection(), [])
  useEffect(() => selection.retain(order), [selection, order])
  const ids = useAtom(selection.ids)
  const value = useMemo(() => ({ selection, order }), [selection, order])
  return { ...value, ids, value }
}

/** Whether a task is selected or edited, and how to change that; undefined where the list has no selection. */
export function useTaskSelection(id: string) {
  const context = useContext(SelectionContext)
  const isSelected = useSyncExternalStore(
    context?.selection.ids.subscribe ?? subscribeToNothing,
    () => context?.selection.ids.get().has(id) ?? false,
  )
  const isEdited = useSyncExternalStore(
    context?.selection.editedId.subscribe ?? subscribeToNothing,
    () => context?.selection.editedId.get() === id,
  )
  if (!context) return undefined
  const { selection, order } = context
  const endEdit = () => selection.editedId.set(undefined)
  const toggle = (isRange: boolean) =>
    isRange ? selection.extend(order, id, id) : selection.toggle(id)
  return { isSelected, isEdited, endEdit, toggle }
}

const subscribeToNothing = () => () => undefined
