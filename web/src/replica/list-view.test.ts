import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#test/delivery/simulated-time.ts'
import { type ListRules, ListView } from './list-view.ts'

interface TestRow {
  readonly id: string
  readonly title: string
  readonly priority: number | null
  readonly tags: readonly string[]
  readonly seconds: number
}

type RandomChoices<T> = readonly [T, ...T[]]

type SortKey = string | number | null

const FILTERS: RandomChoices<(row: TestRow) => boolean> = [
  () => true,
  ({ priority }) => priority !== null,
  ({ tags }) => tags.includes('a'),
  ({ seconds, title }) => seconds > 2 && title < 'm',
]
const GROUPINGS: RandomChoices<(row: TestRow) => readonly string[]> = [
  () => ['all'],
  ({ priority }) => [String(priority)],
  // A row is in the group of each of its tags.
  ({ tags }) => (tags.length === 0 ? ['none'] : tags),
]
const SORT_KEYS: RandomChoices<(row: TestRow) => SortKey> = [
  ({ title }) => title,
  ({ priority }) => priority,
  () => null,
]

/** Rows without a value come last, in either direction. */
const compareValues = (sign: 1 | -1) => (a: SortKey, b: SortKey) => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -sign : sign
}

test('updates a view to what computing it from all rows gives', () => {
  for (let seed = 1; seed <= 100; seed++) compareWithFullComputation(createSeededRandom(seed))
})

test('leaves rows that have to wait as they are until a later update', () => {
  const row = { id: '1', title: 'first', priority: null, tags: [], seconds: 0 }
  const rules: ListRules<TestRow, string> = {
    place: ({ title }) => ({ groupKeys: ['all'], sortKey: title, amounts: [1] }),
    compareSortKeys: (a, b) => (a < b ? -1 : 1),
  }
  const view = new ListView(rules, [row])
  const titles = () => view.groups.get('all')?.rows.map(({ title }) => title)
  view.update(
    ['1', '2'],
    (id) => ({ ...row, id, title: 'second' }),
    () => true,
  )
  assert.deepEqual([titles(), [...view.waitingIds]], [['first'], ['1', '2']])
  view.update(
    [],
    (id) => ({ ...row, id, title: 'second' }),
    () => false,
  )
  assert.deepEqual([titles(), view.sums, view.waitingIds.size], [['second', 'second'], [2], 0])
})

test('keeps a group that has not changed the same object', () => {
  const rules: ListRules<TestRow, string> = {
    place: ({ title, tags }) => ({ groupKeys: tags, sortKey: title, amounts: [] }),
    compareSortKeys: (a, b) => (a < b ? -1 : 1),
  }
  const rows = ['a', 'b'].map((tag) => ({
    ...{ id: tag, title: tag, priority: null, seconds: 0 },
    tags: [tag],
  }))
  const view = new ListView(rules, rows)
  const before = view.groups
  view.update(
    ['a'],
    () => undefined,
    () => false,
  )
  assert.equal(view.groups.get('b'), before.get('b'))
  assert.equal(view.groups.has('a'), false)
})

/** Changes random rows in a random view, and computes everything anew after each update. */
function compareWithFullComputation(random: () => number): void {
  const pick = <T>(from: RandomChoices<T>): T => from[Math.floor(random() * from.length)] ?? from[0]
  const isIncluded = pick(FILTERS)
  const groupKeysOf = pick(GROUPINGS)
  const sortKeyOf = pick(SORT_KEYS)
  const compareSortKeys = compareValues(pick([1, -1]))
  const rules: ListRules<TestRow, SortKey> = {
    place: (row) =>
      isIncluded(row)
        ? { groupKeys: groupKeysOf(row), sortKey: sortKeyOf(row), amounts: [1, row.seconds] }
        : undefined,
    compareSortKeys,
  }
  const createRow = (): TestRow => ({
    id: String(Math.floor(random() * 40)),
    title: pick(['alpha', 'beta', 'kappa', 'omega', 'zeta']),
    priority: pick([null, 1, 2, 3]),
    tags: pick([[], ['a'], ['b'], ['a', 'b']]),
    seconds: Math.floor(random() * 5),
  })
  const rows = new Map<string, TestRow>()
  for (let count = 0; count < 20; count++) {
    const row = createRow()
    rows.set(row.id, row)
  }
  const view = new ListView(rules, rows.values())
  for (let round = 0; round < 15; round++) {
    // Few changes are put into their places one by one, many are merged.
    const changed = Array.from({ length: 1 + Math.floor(random() * pick([4, 40])) }, createRow)
    for (const row of changed) {
      if (random() < 0.3) rows.delete(row.id)
      else rows.set(row.id, row)
    }
    view.update(
      changed.map(({ id }) => id),
      (id) => rows.get(id),
      () => false,
    )
    assert.deepEqual(describeView(view), computeView([...rows.values()]))
  }

  function computeView(all: readonly TestRow[]): unknown {
    const included = all
      .filter(isIncluded)
      .toSorted((a, b) => compareSortKeys(sortKeyOf(a), sortKeyOf(b)) || (a.id < b.id ? -1 : 1))
    const groups = [...new Set(included.flatMap(groupKeysOf))].sort().map((key) => {
      const inGroup = included.filter((row) => groupKeysOf(row).includes(key))
      return [key, inGroup, sumsOf(inGroup)]
    })
    return [included.length, sumsOf(included), groups]
  }
}

const sumsOf = (rows: readonly TestRow[]): number[] =>
  rows.length === 0 ? [] : [rows.length, rows.reduce((sum, { seconds }) => sum + seconds, 0)]

const describeView = (view: ListView<TestRow, SortKey>): unknown => [
  view.total,
  view.sums,
  [...view.groups]
    .map(([key, { rows, sums }]) => [key, rows, sums] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
]
