import { atom, useAtom } from '../../lib/state/atom.ts'
import { localStore } from '../../lib/state/browser-storage.ts'

const STORAGE_KEY = 'docket.today.'

/** The ids of today's tasks in the person's own order, by workspace; this browser keeps them. */
const orders = atom<ReadonlyMap<string, readonly string[]>>(new Map())

const readOrder = (workspaceId: string): readonly string[] =>
  localStore.read(STORAGE_KEY + workspaceId)?.split(' ') ?? []

/** The person's own order of today's tasks; it also names those that have left since it was written. */
export function useTodayOrder(workspaceId: string): readonly string[] {
  const changed = useAtom(orders).get(workspaceId)
  return changed ?? readOrder(workspaceId)
}

/** Keeps the order of today's tasks; the ids of tasks that are not in today any more go. */
export function setTodayOrder(workspaceId: string, ids: readonly string[]): void {
  localStore.write(STORAGE_KEY + workspaceId, ids.join(' '))
  orders.set(new Map([...orders.get(), [workspaceId, ids]]))
}

/** Sorts records as their ids are ordered; the others follow as they are. */
export function sortByOwnOrder<T extends { id: string }>(
  all: readonly T[],
  ids: readonly string[],
): T[] {
  const placeOf = new Map(ids.map((id, index) => [id, index]))
  const place = ({ id }: T) => placeOf.get(id) ?? ids.length
  return all.toSorted((a, b) => place(a) - place(b))
}

/** The ids with one of them before another, or at the end if that is undefined. */
export function moveBefore(
  ids: readonly string[],
  id: string,
  before: string | undefined,
): readonly string[] {
  if (id === before) return ids
  const others = ids.filter((one) => one !== id)
  const index = before === undefined ? -1 : others.indexOf(before)
  return index < 0 ? [...others, id] : others.toSpliced(index, 0, id)
}
