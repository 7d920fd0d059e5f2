import type { WriteTx } from '#core/transaction.ts'
import { giveWay } from '#lib/turns.ts'
import {
  type ImportedTask,
  parseRowWarning,
  type RowWarning,
} from '#resources/imports/imported-task.ts'
import {
  type ImportWarning,
  MAX_IMPORT_FAULTS,
  type RowError,
} from '#resources/imports/internal.ts'
import {
  type ImportedRecords,
  type ImportPlan,
  type LoadedImport,
  parseImportedRecords,
  parseImportPlan,
} from '#resources/imports/load.ts'
import { insertImportRows, taskByImportKey } from '#resources/imports/row-store.ts'
import { setImport } from '#resources/imports/store.ts'
import { findActiveMembers } from '#resources/members/load.ts'
import { type FittedRow, fitKey, toWarning } from '../mapping/fit-row.ts'

const MAX_TITLE_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500
const MAX_ROW_WARNINGS = 10

/** The columns that hold what became of a row. */
export interface RowResult {
  number: number
  place: number | null
  row: string
  task_id: string | null
  fault: string | null
  warning: string | null
}

/** The reason why a row with neither a title nor anything else to do makes no task. */
const EMPTY_ROW = ''

type RowIdentity = Pick<ImportedTask, 'number' | 'title'>

/**
 * A row that becomes no task. No quota counts it, and a file may unpack to a hundred times its size:
 * so only what the list of faults shows is stored. Beyond the length of that list nothing is, if
 * `failedBefore` rows have failed before.
 */
export function failedRow(
  { number, title }: RowIdentity,
  error: RowError | null,
  failedBefore: number,
): RowResult {
  const result = { number, place: null, task_id: null, warning: null }
  if (failedBefore >= MAX_IMPORT_FAULTS) return { ...result, row: '', fault: null }
  const row = JSON.stringify({ title: shortenTitle(title) })
  const message = error && cut(error.message, MAX_MESSAGE_LENGTH)
  return { ...result, row, fault: error ? JSON.stringify({ ...error, message }) : EMPTY_ROW }
}

/**
 * The warnings of a row with further ones. One that is there already is not repeated. Null if there
 * are none; the earlier ones if `warnedBefore` rows fill the list that is shown.
 */
export function addWarnings(
  before: string | null,
  { title }: Pick<RowIdentity, 'title'>,
  added: readonly ImportWarning[],
  warnedBefore: number,
): string | null {
  const isListed = before !== null || warnedBefore < MAX_IMPORT_FAULTS
  if (added.length === 0 || !isListed) return before
  const earlier = before === null ? undefined : parseRowWarning(before)
  const all = [...(earlier?.warnings ?? []), ...added]
  const distinct = new Map(all.map((one) => [JSON.stringify(one), one]))
  const warning: RowWarning = {
    title: earlier?.title ?? shortenTitle(title),
    warnings: [...distinct.values()].slice(0, MAX_ROW_WARNINGS),
  }
  return JSON.stringify(warning)
}

/** The title of a row as messages about it show it. */
const shortenTitle = (title: string): string => cut(title, MAX_TITLE_LENGTH)

const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()

/**
 * Rows in one transaction: few, with a pause after each batch, so that requests need not wait long.
 */
export const ROW_BATCH_SIZE = 250
/** In characters: rows that are buffered in memory before they are written. */
const MAX_BUFFERED_LENGTH = 1_000_000

const setRowCount = setImport(['row_count', 'updated_at'])

export type ImportRowBuffer = ReturnType<typeof createRowBuffer>

interface BufferedRow {
  number: number
  key: string | null
  row: string
  fault: string | null
  warning: string | null
}

/** Creates the buffer that collects the rows of a file until they are stored. */
export function createRowBuffer(import_id: string) {
  const nodes: RowNode[] = []
  const numberByKey = new Map<string, number>()
  /** How often an id has been taken before. */
  const timesTaken = new Map<string, number>()
  /** The numbers of the rows with warnings. */
  const warned = new Set<number>()
  let buffer: BufferedRow[] = []
  let [count, taken, failed, size] = [0, 0, 0, 0]

  /** Another id for a row whose id an earlier one has. Rows that name the id mean the earlier one. */
  function takeFreeKey(key: string): string {
    let free = key
    while (numberByKey.has(free)) {
      const times = (timesTaken.get(key) ?? 1) + 1
      timesTaken.set(key, times)
      free = fitKey(`${key} (${times})`)
    }
    return free
  }
  return {
    nodes,
    warned,
    count: () => count,
    failed: () => failed,
    isFull: () => count - taken >= ROW_BATCH_SIZE || size >= MAX_BUFFERED_LENGTH,
    add({ row: given, warnings: found, isEmpty }: FittedRow): void {
      count += 1
      const { number, parent, blocked_by: blockers } = given
      if (isEmpty) {
        const { row, fault } = failedRow(given, null, failed)
        failed += 1
        if (fault !== null) buffer.push({ number, key: given.key, row, fault, warning: null })
        return
      }
      const key = given.key === null ? null : takeFreeKey(given.key)
      const isTaken = key !== given.key
      const same = isTaken ? numberByKey.get(given.key ?? '') : undefined
      const warnings = isTaken
        ? [...found, toWarning('id_taken', 'id', given.key ?? '', same)]
        : found
      const row = isTaken ? { ...given, key } : given
      if (key !== null) numberByKey.set(key, number)
      nodes.push({ number, key, parent, blockers })
      const warning = addWarnings(null, row, warnings, warned.size)
      if (warnings.length > 0) warned.add(number)
      const text = JSON.stringify(row)
      size += text.length
      buffer.push({ number, key, row: text, fault: null, warning })
    },
    /**
     * Empties the buffer and returns what writes its rows. A retried transaction may call that
     * again.
     */
    takeWriter() {
      const [rows, row_count] = [buffer, count]
      buffer = []
      taken = count
      size = 0
      return async (tx: WriteTx, current: LoadedImport): Promise<void> => {
        await tx.run(insertImportRows, { import_id, rows })
        await tx.run(setRowCount, { ...current, row_count, updated_at: tx.now })
      }
    },
  }
}

/** What the rows of a batch share: their targets, and what the import has made so far. */
export interface RowBatch {
  tx: WriteTx
  record: LoadedImport
  plan: ImportPlan
  made: ImportedRecords
  /** The active member whom each name in the file means, where the plan has chosen one. */
  people: ReadonlyMap<string, string>
  /** The task of each key that the rows refer to; null if its row has made none (yet). */
  tasks: Map<string, string | null>
}

export async function loadRowBatch(
  tx: WriteTx,
  record: LoadedImport,
  rows: readonly { row: ImportedTask }[],
): Promise<RowBatch> {
  const plan = parseImportPlan(record)
  const named = rows.flatMap(({ row }) => [row.parent ?? '', ...row.blocked_by])
  const keys = [...new Set(named.filter(Boolean))]
  // One query for each key, sent together: for a list of keys PostgreSQL would scan all rows while
  // the table has no statistics.
  const tasks = await Promise.all(
    keys.map((key) => tx.all(taskByImportKey, { import_id: record.id, key })),
  )
  return {
    tx,
    record,
    plan,
    made: parseImportedRecords(record),
    people: await loadPeople(tx, plan),
    // An empty row may have the id of another one.
    tasks: new Map(
      tasks
        .flat()
        .toSorted((one, other) => Number(one.task_id !== null) - Number(other.task_id !== null))
        .map(({ key, task_id }) => [key ?? '', task_id]),
    ),
  }
}

/** Members may have left since they were chosen, and only a member may be an author. */
async function loadPeople(tx: WriteTx, { people }: ImportPlan): Promise<Map<string, string>> {
  const chosen = people.flatMap(({ name, user_id }) => (user_id ? [[name, user_id] as const] : []))
  const ids = chosen.map(([, user_id]) => user_id)
  const members = await findActiveMembers(tx, ids)
  return new Map(chosen.filter(([, user_id]) => members.has(user_id)))
}

/** A row in the graph of parents and blockers: its key, and the keys that it names. */
interface RowNode {
  number: number
  key: string | null
  parent: string | null
  blockers: readonly string[]
}

/** Rows between two turns of the event loop. */
const STEPS_IN_TURN = 2_000
/** Ancestors that are looked at: a task has fewer, but a file may have a chain as long as itself. */
const MAX_ANCESTORS = 50
const WAITING = 1
const ORDERED = 2

/**
 * The numbers of the rows in the order in which their tasks are made: the parent and the blockers of a row
 * before it, and otherwise in that of the file. In a circle one of them comes later, a blocker rather than a
 * parent; its relation then becomes a line of the description (`createImportedTask`). Nothing recurses, for a
 * chain may be as long as the file.
 */
export async function orderRows(nodes: readonly RowNode[]): Promise<number[]> {
  const indexByKey = new Map(nodes.flatMap(({ key }, at) => (key === null ? [] : [[key, at]])))
  const indexOf = (key: string | null) => indexByKey.get(key ?? '')
  const state = new Uint8Array(nodes.length)
  const order: number[] = []

  /** Whether a row is part of one that waits for it. */
  function isBelowWaiting(at: number): boolean {
    let above: number | undefined = at
    for (let level = 0; above !== undefined && level < MAX_ANCESTORS; level += 1) {
      if (state[above] === WAITING) return true
      above = indexOf(nodes[above]?.parent ?? null)
    }
    return false
  }

  function open(at: number) {
    state[at] = WAITING
    const { parent = null, blockers = [] } = nodes[at] ?? {}
    return { at, parent: indexOf(parent), needs: [parent, ...blockers].values() }
  }

  let steps = 0
  for (const start of nodes.keys()) {
    const path = state[start] === ORDERED ? [] : [open(start)]
    for (let row = path.at(-1); row; row = path.at(-1)) {
      steps += 1
      if (steps % STEPS_IN_TURN === 0) await giveWay()
      const next = row.needs.next()
      if (next.done) {
        state[row.at] = ORDERED
        order.push(nodes[row.at]?.number ?? 0)
        path.pop()
        continue
      }
      const need = indexOf(next.value)
      if (need === undefined || state[need] !== 0) continue
      if (need === row.parent || !isBelowWaiting(need)) path.push(open(need))
    }
  }
  return order
}
