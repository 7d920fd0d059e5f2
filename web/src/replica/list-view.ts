/** Where a row belongs in a view, and what it adds to the sums. */
interface ListPlacement<K> {
  /** The keys of its groups; more than one if it has e.g. several tags. */
  readonly groupKeys: readonly string[]
  readonly sortKey: K
  readonly amounts: readonly number[]
}

/** Filter, groups, order and sums of a view. */
export interface ListRules<R, K> {
  /** Undefined if the filter leaves the row out. May depend on the row alone. */
  place(row: R): ListPlacement<K> | undefined
  /** Rows whose sort keys are equal are ordered by id. */
  compareSortKeys(a: K, b: K): number
}

/** A group of a view. */
export interface ListGroup<R> {
  readonly rows: readonly R[]
  readonly sums: readonly number[]
}

interface PlacedRow<R, K> extends ListPlacement<K> {
  readonly row: R
}

interface MutableGroup<R, K> {
  placed: PlacedRow<R, K>[]
  sums: number[]
  /** As it was last read; undefined if it has changed since. */
  output: ListGroup<R> | undefined
}

/** Rows that an update takes out of a group and puts into it. */
interface GroupChange<R, K> {
  readonly removed: PlacedRow<R, K>[]
  readonly added: PlacedRow<R, K>[]
}

/** From so many changes of a group on, it is cheaper to go through it once than to find each place. */
const MIN_MERGED_CHANGES = 16

/**
 * The rows of a view by group, in order, with sums. At any time it equals what it would be if it
 * were made anew, except for rows that wait while the person interacts with the list.
 */
export class ListView<R extends { readonly id: string }, K> {
  readonly #rules: ListRules<R, K>
  readonly #placed = new Map<string, PlacedRow<R, K>>()
  readonly #groups = new Map<string, MutableGroup<R, K>>()
  readonly #waitingIds = new Set<string>()
  #sums: number[] = []

  constructor(rules: ListRules<R, K>, rows: Iterable<R>) {
    this.#rules = rules
    const changes = new Map<string, GroupChange<R, K>>()
    for (const row of rows) this.#replace(row.id, row, changes)
    this.#arrange(changes)
  }

  /** The number of rows; one that is in several groups counts once. */
  get total(): number {
    return this.#placed.size
  }

  /** The sums of all rows. */
  get sums(): readonly number[] {
    return this.#sums
  }

  /** Rows that are as they were, because they changed while the person was interacting. */
  get waitingIds(): ReadonlySet<string> {
    return this.#waitingIds
  }

  /** The groups that have rows, in no particular order. One that has not changed is the same object. */
  get groups(): ReadonlyMap<string, ListGroup<R>> {
    const outputs = new Map<string, ListGroup<R>>()
    for (const [key, group] of this.#groups) {
      group.output ??= { rows: group.placed.map(({ row }) => row), sums: [...group.sums] }
      outputs.set(key, group.output)
    }
    return outputs
  }

  /**
   * Places changed rows, and those that have waited. Rows that have to wait, because the person
   * interacts with the list and has not changed them, stay as they are until a later update.
   */
  update(
    ids: Iterable<string>,
    getRow: (id: string) => R | undefined,
    hasToWait: (id: string) => boolean,
  ): void {
    const changes = new Map<string, GroupChange<R, K>>()
    for (const id of new Set([...this.#waitingIds, ...ids])) {
      if (hasToWait(id)) this.#waitingIds.add(id)
      else {
        this.#waitingIds.delete(id)
        this.#replace(id, getRow(id), changes)
      }
    }
    this.#arrange(changes)
  }

  #replace(id: string, row: R | undefined, changes: Map<string, GroupChange<R, K>>): void {
    const former = this.#placed.get(id)
    if (former?.row === row) return
    const changeOf = (key: string) => getOrAdd(changes, key, () => ({ removed: [], added: [] }))
    if (former) {
      this.#placed.delete(id)
      this.#count(former, -1)
      for (const key of former.groupKeys) changeOf(key).removed.push(former)
    }
    const current = row && this.#place(row)
    if (!current) return
    this.#count(current, 1)
    for (const key of current.groupKeys) changeOf(key).added.push(current)
  }

  #arrange(changes: ReadonlyMap<string, GroupChange<R, K>>): void {
    for (const [key, change] of changes) {
      const group = this.#groupOf(key)
      const { removed, added } = change
      if (removed.length + added.length >= MIN_MERGED_CHANGES)
        group.placed = this.#merge(group.placed, change)
      else {
        for (const one of removed) group.placed.splice(this.#findIndex(group.placed, one), 1)
        for (const one of added) group.placed.splice(this.#findIndex(group.placed, one), 0, one)
      }
      if (group.placed.length === 0) this.#groups.delete(key)
    }
    if (this.#placed.size === 0) this.#sums = []
  }

  #merge(
    placed: readonly PlacedRow<R, K>[],
    { removed, added }: GroupChange<R, K>,
  ): PlacedRow<R, K>[] {
    const gone = new Set(removed)
    const coming = added.toSorted(this.#compare)
    const merged: PlacedRow<R, K>[] = []
    let at = 0
    for (const one of placed) {
      if (gone.has(one)) continue
      for (let next = coming[at]; next && this.#compare(next, one) < 0; next = coming[at]) {
        merged.push(next)
        at += 1
      }
      merged.push(one)
    }
    return merged.concat(coming.slice(at))
  }

  #place(row: R): PlacedRow<R, K> | undefined {
    const placement = this.#rules.place(row)
    if (!placement) return undefined
    const placed = { ...placement, row }
    this.#placed.set(row.id, placed)
    return placed
  }

  #count({ groupKeys, amounts }: PlacedRow<R, K>, sign: 1 | -1): void {
    const add = (sums: readonly number[]) =>
      amounts.map((amount, at) => (sums[at] ?? 0) + sign * amount)
    this.#sums = add(this.#sums)
    for (const key of groupKeys) {
      const group = this.#groupOf(key)
      group.sums = add(group.sums)
      group.output = undefined
    }
  }

  #groupOf(key: string): MutableGroup<R, K> {
    return getOrAdd(this.#groups, key, () => ({ placed: [], sums: [], output: undefined }))
  }

  /** The index of a row, or the one at which it has to be inserted. */
  #findIndex(rows: readonly PlacedRow<R, K>[], wanted: PlacedRow<R, K>): number {
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const row = rows[middle]
      if (row && this.#compare(row, wanted) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  readonly #compare = (a: PlacedRow<R, K>, b: PlacedRow<R, K>): number => {
    const order = this.#rules.compareSortKeys(a.sortKey, b.sortKey)
    if (order !== 0) return order
    return a.row.id < b.row.id ? -1 : 1
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key)
  if (known) return known
  const created = create()
  map.set(key, created)
  return created
}
