/** Where a row belongs in a view, and what it adds to the sums. */
export interface ListPlacement<K> {
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
  readonly placed: PlacedRow<R, K>[]
  sums: number[]
  /** As it was last read; undefined if it has changed since. */
  output: ListGroup<R> | undefined
}

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
    for (const row of rows) {
      const placed = this.#place(row)
      if (!placed) continue
      this.#count(placed, 1)
      for (const key of placed.groupKeys) this.#groupOf(key).placed.push(placed)
    }
    for (const { placed } of this.#groups.values()) placed.sort(this.#compare)
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
    for (const id of new Set([...this.#waitingIds, ...ids])) {
      if (hasToWait(id)) this.#waitingIds.add(id)
      else {
        this.#waitingIds.delete(id)
        this.#replace(id, getRow(id))
      }
    }
  }

  #replace(id: string, row: R | undefined): void {
    const former = this.#placed.get(id)
    if (former !== undefined && former.row === row) return
    if (former) {
      this.#placed.delete(id)
      this.#count(former, -1)
      for (const key of former.groupKeys) {
        const { placed } = this.#groupOf(key)
        placed.splice(this.#findIndex(placed, former), 1)
        if (placed.length === 0) this.#groups.delete(key)
      }
    }
    if (this.#placed.size === 0) this.#sums = []
    const current = row && this.#place(row)
    if (!current) return
    this.#count(current, 1)
    for (const key of current.groupKeys) {
      const { placed } = this.#groupOf(key)
      placed.splice(this.#findIndex(placed, current), 0, current)
    }
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
    const known = this.#groups.get(key)
    if (known) return known
    const group: MutableGroup<R, K> = { placed: [], sums: [], output: undefined }
    this.#groups.set(key, group)
    return group
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
