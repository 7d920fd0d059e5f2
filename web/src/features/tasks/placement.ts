import type { IndexGroup, ProjectIndex } from '../../data/project-index.ts'

/** What placing needs to know of a task. */
export interface Placeable {
  number: number
  status_category: string
  due_date: string | null
  estimate_seconds: number | null
  time_spent_seconds: number
}

/** A task that was changed here after the server made the index. */
export interface Local<T extends Placeable> {
  number: number
  /** As it was in the index; undefined: it is new. */
  was: T | undefined
  /** As it is now; undefined: it is deleted. */
  now: T | undefined
  /** The task before or after which it was put by hand. */
  anchor?: { number: number; after: boolean } | undefined
  parent?: number | undefined
}

export interface Rules<T extends Placeable> {
  /** The groups in which a task is to be seen; none if the filter leaves it out. */
  keysOf(task: T): readonly string[]
  today: string
  /** Below 0 if the first stands before the second; undefined if that is not known of one of them. */
  compare(a: number, b: number): number | undefined
}

/** The index with what has been changed here since, so that a change is seen at its new place at once. */
export function place<T extends Placeable>(
  index: ProjectIndex,
  locals: readonly Local<T>[],
  rules: Rules<T>,
): ProjectIndex {
  if (locals.length === 0) return index
  const changed = new Map(locals.map((local) => [local.number, local]))
  const keys = new Map(locals.map(({ number, now }) => [number, now ? rules.keysOf(now) : []]))
  const stood = new Set<string>()
  const groups: (IndexGroup & { numbers: number[] })[] = index.groups.map((group) => {
    const numbers: number[] = group.numbers.filter((number) => {
      const local = changed.get(number)
      if (!local) return true
      stood.add(`${group.key} ${number}`)
      return local.anchor === undefined && (keys.get(number)?.includes(group.key) ?? false)
    })
    return { ...group, numbers }
  })
  for (const local of locals) {
    for (const key of keys.get(local.number) ?? []) {
      let group = groups.find((one) => one.key === key)
      if (!group) {
        group = { ...EMPTY, key, numbers: [] }
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
  const summed = groups.map((group) => resum(group, locals, stood, keys))
  return { ...index, ...totalsOf(index, locals, stood, keys, rules.today), groups: summed, parents }
}

const EMPTY = { count: 0, estimate_seconds: 0, time_spent_seconds: 0 }

/** At the place that was chosen by hand, else before the first known task that comes later, else at the end. */
function insert<T extends Placeable>(
  numbers: number[],
  { number, anchor, was }: Local<T>,
  { compare }: Rules<T>,
): void {
  const beside = anchor ? numbers.indexOf(anchor.number) : -1
  if (beside >= 0) {
    numbers.splice(beside + (anchor?.after ? 1 : 0), 0, number)
    return
  }
  const at = was ? numbers.findIndex((other) => (compare(number, other) ?? 1) < 0) : -1
  numbers.splice(at < 0 ? numbers.length : at, 0, number)
}

function resum<T extends Placeable>(
  group: IndexGroup,
  locals: readonly Local<T>[],
  stood: ReadonlySet<string>,
  keys: ReadonlyMap<number, readonly string[]>,
): IndexGroup {
  let { count, estimate_seconds, time_spent_seconds } = group
  const add = (task: T | undefined, times: 1 | -1) => {
    count += times
    estimate_seconds += times * (task?.estimate_seconds ?? 0)
    time_spent_seconds += times * (task?.time_spent_seconds ?? 0)
  }
  for (const { number, was, now } of locals) {
    if (stood.has(`${group.key} ${number}`)) add(was, -1)
    if (keys.get(number)?.includes(group.key)) add(now, 1)
  }
  return { ...group, count, estimate_seconds, time_spent_seconds }
}

/** The sums of the whole view, each task once. */
function totalsOf<T extends Placeable>(
  index: ProjectIndex,
  locals: readonly Local<T>[],
  stood: ReadonlySet<string>,
  keys: ReadonlyMap<number, readonly string[]>,
  today: string,
) {
  let { total, open, overdue, estimate_seconds, time_spent_seconds } = index
  const add = (task: T | undefined, times: 1 | -1) => {
    total += times
    estimate_seconds += times * (task?.estimate_seconds ?? 0)
    time_spent_seconds += times * (task?.time_spent_seconds ?? 0)
    if (!task || task.status_category === 'completed' || task.status_category === 'canceled') return
    open += times
    if (task.due_date !== null && task.due_date < today) overdue += times
  }
  for (const { number, was, now } of locals) {
    if (index.groups.some(({ key }) => stood.has(`${key} ${number}`))) add(was, -1)
    if ((keys.get(number)?.length ?? 0) > 0) add(now, 1)
  }
  return { total, open, overdue, estimate_seconds, time_spent_seconds }
}

/** A task in its group: how deep under parents that are in the group, too. */
export interface Line {
  number: number
  depth: number
}

const DEEPEST = 5

/** The tasks of a group with subtasks directly under their parents; their order stays otherwise. */
export function arrange(
  numbers: readonly number[],
  parents: ProjectIndex['parents'],
): readonly Line[] {
  const here = new Set(numbers)
  const under = new Map<number, number[]>()
  const tops: number[] = []
  for (const number of numbers) {
    const parent = parents[number]
    if (parent === undefined || !here.has(parent)) tops.push(number)
    else {
      const siblings = under.get(parent)
      if (siblings) siblings.push(number)
      else under.set(parent, [number])
    }
  }
  if (under.size === 0) return numbers.map((number) => ({ number, depth: 0 }))
  const lines: Line[] = []
  const put = (number: number, depth: number) => {
    lines.push({ number, depth })
    for (const child of under.get(number) ?? []) put(child, Math.min(depth + 1, DEEPEST))
  }
  for (const number of tops) put(number, 0)
  return lines
}
