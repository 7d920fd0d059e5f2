import type { WriteTx } from '#core/transaction.ts'
import { giveWay } from '#lib/turns.ts'
import {
  type ImportedTask,
  parseRowWarning,
  type RowWarning,
} from '#resources/imports/imported-task.ts'
import type { RowError } from '#resources/imports/internal.ts'
import { type ImportWarning, MAX_IMPORT_FAULTS } from '#resources/imports/internal.ts'
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
import { MAX_SUBTASK_LEVELS } from '#resources/tasks/rules/rules.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
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
export function createRowBuffer(import_id: string, maxRows: number) {
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
      if (count > maxRows) throw tooManyTasks(maxRows)
      const { number, parent, blocked_by: needs } = given
      if (isEmpty) {
        nodes.push({ number, title: '', key: given.key, parent, needs: [], isEmpty })
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
      nodes.push({ number, title: shortenTitle(row.title), key, parent, needs, isEmpty })
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
  rows: readonly { row: ImportedTask; parent: string | null }[],
): Promise<RowBatch> {
  const plan = parseImportPlan(record)
  const named = rows.flatMap(({ row, parent }) => [parent ?? '', ...row.blocked_by])
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
export interface RowNode {
  number: number
  /** Its beginning, for the warnings. */
  title: string
  key: string | null
  parent: string | null
  needs: readonly string[]
  /** Whether no task is made of the row. */
  isEmpty: boolean
}

/** What the graph changes about a row. */
export interface RowChange {
  number: number
  title: string
  warnings: ImportWarning[]
  /** The key of the row below which its task comes instead; blank for none. */
  parent?: string
}

/** Rows or relations between two turns of the event loop. */
const STEPS_IN_TURN = 2_000

/**
 * Sorts rows, and says what of their graph cannot be kept: the parent and the blockers of a row come before it,
 * and otherwise the order of the file stays. Every row that is not empty comes in. What stands in the way is cut, with a warning: a
 * circle at one of its relations, at a blocker if there is one in it. A task whose parent is empty,
 * or would be on too deep a level, comes below the nearest ancestor that it can. Nothing recurses,
 * for a chain may be as long as the file.
 */
export async function orderRows(
  nodes: readonly RowNode[],
): Promise<{ order: number[]; changes: RowChange[] }> {
  const indexByKey = indexKeys(nodes)
  const changes = new Map<number, RowChange>()
  const changeOf = (at: number): RowChange => {
    const { number = 0, title = '' } = nodes[at] ?? {}
    const change = changes.get(at) ?? { number, title, warnings: [] }
    changes.set(at, change)
    return change
  }
  const parents = await resolveParents(nodes, indexByKey, changeOf)
  const order = await sortRows(nodes, indexByKey, parents, changeOf)
  return { order: order.map((at) => nodes[at]?.number ?? 0), changes: [...changes.values()] }
}

type IndexByKey = ReadonlyMap<string, number>
type ChangeOf = (at: number) => RowChange
const NONE = -1

/** The index of the row below which each row comes, or `NONE`. */
async function resolveParents(
  nodes: readonly RowNode[],
  indexByKey: IndexByKey,
  changeOf: ChangeOf,
): Promise<Int32Array> {
  const parents = new Int32Array(nodes.length).fill(NONE)
  const levels = new Uint8Array(nodes.length)
  const isOnPath = new Uint8Array(nodes.length)
  const named = (at: number): number => indexByKey.get(nodes[at]?.parent ?? '') ?? NONE

  /** Decides on the parent of a row after that of the row which it names. */
  function decide(at: number): void {
    const wanted = named(at)
    const key = nodes[at]?.parent ?? ''
    let parent = wanted
    let warning: ImportWarning | undefined
    if (levels[wanted] === 0) {
      parent = NONE
      warning = toWarning('parent_below', 'parent', key)
    } else if (nodes[wanted]?.isEmpty) {
      parent = parents[wanted] ?? NONE
      warning = toWarning('parent_empty', 'parent', key, nodes[wanted].number)
    }
    if (levels[parent] === MAX_SUBTASK_LEVELS) {
      parent = parents[parent] ?? NONE
      warning ??= toWarning('parent_too_deep', 'parent', key, MAX_SUBTASK_LEVELS)
    }
    parents[at] = parent
    levels[at] = parent === NONE ? 1 : (levels[parent] ?? 0) + 1
    if (warning === undefined || nodes[at]?.isEmpty) return
    const change = changeOf(at)
    change.parent = nodes[parent]?.key ?? ''
    change.warnings.push(warning)
  }

  for (const start of nodes.keys()) {
    const path: number[] = []
    for (let at = start; at !== NONE && levels[at] === 0 && isOnPath[at] === 0; at = named(at)) {
      isOnPath[at] = 1
      path.push(at)
    }
    for (const at of path.toReversed()) decide(at)
    if (start % STEPS_IN_TURN === 0) await giveWay()
  }
  return parents
}

/** The states of a row while rows are sorted. */
const NEW = 0
const OPEN = 1
const DONE = 2

/** A row that waits for others: those that it needs, of which the first `next` are dealt with. */
interface OpenRow {
  at: number
  needs: number[]
  next: number
}

async function sortRows(
  nodes: readonly RowNode[],
  indexByKey: IndexByKey,
  parents: Int32Array,
  changeOf: ChangeOf,
): Promise<number[]> {
  const state = new Uint8Array(nodes.length)
  const order: number[] = []
  const warn = (at: number, blocker: number, code: 'blocker_waits' | 'blocker_empty') => {
    const { key = '', number } = nodes[blocker] ?? {}
    changeOf(at).warnings.push(toWarning(code, 'blocked_by', key ?? '', number))
  }

  function open(at: number): OpenRow {
    state[at] = OPEN
    const blockers = (nodes[at]?.needs ?? []).flatMap((key) => indexByKey.get(key) ?? [])
    const parent = parents[at] ?? NONE
    return { at, needs: [...(parent === NONE ? [] : [parent]), ...blockers], next: 0 }
  }

  /**
   * Cuts the circle that the last open row closes with its parent: at the last blocker on the way
   * there. The rows after it are begun anew later. There is one, for parents form no circle.
   */
  function cutAtBlocker(path: OpenRow[]): void {
    for (let last = path.pop(); last; last = path.pop()) {
      state[last.at] = NEW
      const waiting = path.at(-1)
      if (!waiting || parents[waiting.at] === last.at) continue
      warn(waiting.at, last.at, 'blocker_waits')
      waiting.next += 1
      return
    }
  }

  let steps = 0
  for (const start of nodes.keys()) {
    if (state[start] !== NEW || nodes[start]?.isEmpty) continue
    const path = [open(start)]
    for (let row = path.at(-1); row; row = path.at(-1)) {
      steps += 1
      if (steps % STEPS_IN_TURN === 0) await giveWay()
      const need = row.needs[row.next]
      if (need === undefined) {
        state[row.at] = DONE
        order.push(row.at)
        path.pop()
      } else if (nodes[need]?.isEmpty) {
        warn(row.at, need, 'blocker_empty')
        row.next += 1
      } else if (state[need] === NEW) path.push(open(need))
      else if (state[need] === OPEN && need === parents[row.at] && row.next === 0)
        cutAtBlocker(path)
      else {
        if (state[need] === OPEN) warn(row.at, need, 'blocker_waits')
        row.next += 1
      }
    }
  }
  return order
}

/** Rows by key. Of several with the same key, only the first that is not empty can be meant. */
function indexKeys(nodes: readonly RowNode[]): IndexByKey {
  const indexByKey = new Map<string, number>()
  for (const [at, { key, isEmpty }] of nodes.entries()) {
    if (key !== null && !(isEmpty && indexByKey.has(key))) indexByKey.set(key, at)
  }
  return indexByKey
}
