import type { ProjectIndex, ProjectIndexGroup } from '../../../data/cache/project-index.ts'
import { isTaskFinished } from '../../../data/tasks/task-patch.ts'

/** The fields of a task that decide its place and the sums. */
export interface PlaceableTask {
  number: number
  status_category: string
  due_date: string | null
  estimate_seconds: number | null
  time_spent_seconds: number
}

/** A task that was changed after the server built the index. */
export interface LocalTaskChange<T extends PlaceableTask> {
  number: number
  /** As it was in the index; undefined if it is new. */
  was: T | undefined
  /** As it is now; undefined if it is deleted. */
  now: T | undefined
  /** The task before or after which the user has put it. */
  anchor?: { number: number; after: boolean } | undefined
  parent?: number | undefined
  /** The server has made the change: the task goes where it would put it. */
  isSettled?: boolean
  /** Whether this page has made a settled change. */
  isOwn?: boolean
}

export interface PlacementRules<T extends PlaceableTask> {
  /** The groups that contain a task; none if the filter excludes it. */
  keysOf(task: T): readonly string[]
  /** Whether the page puts a group that the index does not have at its place. */
  placesNewGroups: boolean
  today: string
  /** The value by which tasks are sorted. */
  sortValue(task: T): string | number | null
  /** Negative if the first comes before the second; undefined if one of them is not loaded. */
  compare(a: number, b: number): number | undefined
}

/**
 * Applies later local changes to the index, so that a changed task is shown at its new place at
 * once.
 */
export function applyLocalChanges<T extends PlaceableTask>(
  index: ProjectIndex,
  locals: readonly LocalTaskChange<T>[],
  rules: PlacementRules<T>,
): ProjectIndex {
  if (locals.length === 0) return index
  const changed = new Map(locals.map((local) => [local.number, local]))
  const keys = new Map(locals.map(({ number, now }) => [number, now ? rules.keysOf(now) : []]))
  const indexed = new Set<string>()
  const groups: (ProjectIndexGroup & { numbers: number[] })[] = index.groups.map((group) => {
    const numbers: number[] = group.numbers.filter((number) => {
      const local = changed.get(number)
      if (!local) return true
      indexed.add(`${group.key} ${number}`)
      const stays = local.isSettled ? !isResorted(local, rules) : local.anchor === undefined
      return stays && (keys.get(number)?.includes(group.key) ?? false)
    })
    return { ...group, numbers }
  })
  for (const local of locals) {
    for (const key of keys.get(local.number) ?? []) {
      let group = groups.find((one) => one.key === key)
      if (!group) {
        group = { ...EMPTY_SUMS, key, numbers: [] }
        groups.push(group)
      }
      if (!group.numbers.includes(local.number)) insert(group.numbers, local, rules)
    }
  }
  const parents = { ...index.parents }
  for (const { number, now, parent } of locals) {
    if (now && parent !== undefined) parents[number] = parent
    else delete parents[number]
  }
  const summed = groups.map((group) => updateSums(group, locals, indexed, keys))
  return {
    ...index,
    ...updateTotals(index, locals, indexed, keys, rules.today),
    groups: summed,
    parents,
  }
}

/** Whether a task sorts elsewhere than before; one that the page did not know may. */
const isResorted = <T extends PlaceableTask>(
  { was, now }: LocalTaskChange<T>,
  { sortValue }: Pick<PlacementRules<T>, 'sortValue'>,
): boolean => was !== undefined && now !== undefined && sortValue(was) !== sortValue(now)

const EMPTY_SUMS = { count: 0, estimate_seconds: 0, time_spent_seconds: 0 }

/**
 * Inserts at the place chosen by hand, else before the first loaded task that sorts later, else at
 * the end.
 */
function insert<T extends PlaceableTask>(
  numbers: number[],
  { number, anchor, was, isSettled }: LocalTaskChange<T>,
  { compare }: PlacementRules<T>,
): void {
  const beside = anchor ? numbers.indexOf(anchor.number) : -1
  if (beside >= 0) {
    numbers.splice(beside + (anchor?.after ? 1 : 0), 0, number)
    return
  }
  const at = was || isSettled ? numbers.findIndex((other) => (compare(number, other) ?? 1) < 0) : -1
  numbers.splice(at < 0 ? numbers.length : at, 0, number)
}

function updateSums<T extends PlaceableTask>(
  group: ProjectIndexGroup,
  locals: readonly LocalTaskChange<T>[],
  indexed: ReadonlySet<string>,
  keys: ReadonlyMap<number, readonly string[]>,
): ProjectIndexGroup {
  let { count, estimate_seconds, time_spent_seconds } = group
  const add = (task: T | undefined, times: 1 | -1) => {
    count += times
    estimate_seconds += times * (task?.estimate_seconds ?? 0)
    time_spent_seconds += times * (task?.time_spent_seconds ?? 0)
  }
  for (const { number, was, now } of locals) {
    if (indexed.has(`${group.key} ${number}`)) add(was, -1)
    if (keys.get(number)?.includes(group.key)) add(now, 1)
  }
  return { ...group, count, estimate_seconds, time_spent_seconds }
}

/** The sums of the whole view, which count each task once. */
function updateTotals<T extends PlaceableTask>(
  index: ProjectIndex,
  locals: readonly LocalTaskChange<T>[],
  indexed: ReadonlySet<string>,
  keys: ReadonlyMap<number, readonly string[]>,
  today: string,
) {
  let { total, open, overdue, estimate_seconds, time_spent_seconds } = index
  const add = (task: T | undefined, times: 1 | -1) => {
    total += times
    estimate_seconds += times * (task?.estimate_seconds ?? 0)
    time_spent_seconds += times * (task?.time_spent_seconds ?? 0)
    if (!task || isTaskFinished(task)) return
    open += times
    if (task.due_date !== null && task.due_date < today) overdue += times
  }
  for (const { number, was, now } of locals) {
    if (index.groups.some(({ key }) => indexed.has(`${key} ${number}`))) add(was, -1)
    if ((keys.get(number)?.length ?? 0) > 0) add(now, 1)
  }
  return { total, open, overdue, estimate_seconds, time_spent_seconds }
}

/** The groups in which the index does not have a task at its place. */
function getNewKeys<T extends PlaceableTask>(
  local: LocalTaskChange<T>,
  { keysOf, ...rules }: PlacementRules<T>,
): readonly string[] {
  const { was, now } = local
  const earlierKeys = was && !isResorted(local, rules) ? keysOf(was) : []
  return (now ? keysOf(now) : []).filter((key) => !earlierKeys.includes(key))
}

/**
 * Whether all tasks that the server has changed can be counted and placed. It cannot be told if the
 * index has a task that the page did not know as it was.
 */
export const isPlaceable = <T extends PlaceableTask>(
  { groups }: ProjectIndex,
  locals: readonly LocalTaskChange<T>[],
  rules: PlacementRules<T>,
): boolean =>
  locals.every(
    (local) =>
      !local.isSettled ||
      ((local.was || !groups.some(({ numbers }) => numbers.includes(local.number))) &&
        (rules.placesNewGroups ||
          getNewKeys(local, rules).every((key) => groups.some((group) => group.key === key)))),
  )

/**
 * How many of the tasks that the server has changed stand beside one that is not loaded. Each is
 * somewhere among rows that nobody sees, and moves to its place as these are loaded.
 */
export function countLoosePlaces<T extends PlaceableTask>(
  { groups }: ProjectIndex,
  locals: readonly LocalTaskChange<T>[],
  rules: PlacementRules<T>,
): number {
  // Beside each other, such tasks would hide from one another that they are among unknown ones.
  const placed = new Set(locals.map(({ number }) => number))
  const isLoose = ({ number }: LocalTaskChange<T>, key: string) => {
    const { numbers = [] } = groups.find((group) => group.key === key) ?? {}
    const at = numbers.indexOf(number)
    const isOther = (other: number) => !placed.has(other)
    const neighbors = [numbers.slice(0, at).findLast(isOther), numbers.slice(at).find(isOther)]
    return neighbors.some(
      (other) => other !== undefined && rules.compare(number, other) === undefined,
    )
  }
  return locals.filter(
    (local) => local.isSettled && getNewKeys(local, rules).some((key) => isLoose(local, key)),
  ).length
}

/** A task in its group, and its nesting depth below parents that are in the same group. */
export interface NestedTask {
  number: number
  depth: number
}

const MAX_DEPTH = 5

/** Puts subtasks directly below their parents; otherwise the order stays. */
export function nestSubtasks(
  numbers: readonly number[],
  parents: ProjectIndex['parents'],
): readonly NestedTask[] {
  const inGroup = new Set(numbers)
  const children = new Map<number, number[]>()
  const tops: number[] = []
  for (const number of numbers) {
    const parent = parents[number]
    if (parent === undefined || !inGroup.has(parent)) tops.push(number)
    else {
      const siblings = children.get(parent)
      if (siblings) siblings.push(number)
      else children.set(parent, [number])
    }
  }
  if (children.size === 0) return numbers.map((number) => ({ number, depth: 0 }))
  const lines: NestedTask[] = []
  const append = (number: number, depth: number) => {
    lines.push({ number, depth })
    for (const child of children.get(number) ?? []) append(child, Math.min(depth + 1, MAX_DEPTH))
  }
  for (const number of tops) append(number, 0)
  return lines
}
