import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { isMissing } from '#files/disk.ts'
import { keyOf } from '#files/files.ts'
import type { Kind } from '#resources/imports/internal.ts'
import type { FoundImport } from '#resources/imports/load.ts'
import { type Plan, planOf } from '#resources/imports/plan.ts'
import type { Row } from '#resources/imports/row.ts'
import * as store from '#resources/imports/store.ts'
import { faultsIn } from './judge.ts'
import { kindOf, READERS } from './kinds.ts'
import { type Node, orderOf } from './order.ts'
import type { Read, Source } from './reading.ts'
import { tallyOf } from './tally.ts'
import { Unreadable } from './unreadable.ts'
import { type Job, type Means, step } from './work.ts'

/** Bytes that a row may have with its comments, as we keep it. */
const MOST_OF_ROW = 4_194_304
/** Few enough, and with a pause behind them, that requests are not held up while a file is read. */
const AT_ONCE = 250
/** Characters of rows that wait in memory to be written. */
const MOST_WAITING = 1_000_000
const BREATH_MS = 10
const MOST_MEMBERS = 10_000
const MOST_OF_FAULT = 1_000

const setRead = store.setImport([
  ...(['kind', 'plan', 'status', 'row_count', 'done_count', 'failed_count', 'updated_at'] as const),
  'error',
])
const setFailed = store.setImport(['status', 'error', 'updated_at'])
const setFigures = store.setImport(['row_count', 'updated_at'])

/**
 * Reads the file of an import from its beginning: each row is judged and kept, nothing is made. A file
 * that cannot be read fails the import with a sentence; so does one whose bytes are gone.
 */
export async function readImport(means: Means, job: Job): Promise<void> {
  const found = await step(means, job, 'reading', async (_, now) => now)
  const rows = await emptied(means, job)
  const before = planOf(found)
  const source = sourceOf(means, job, found)
  try {
    const kind = (found.kind as Kind | null) ?? (await kindOf(source))
    const members = await step(means, job, 'reading', (tx) =>
      tx.all(store.membersToMean, { limit: MOST_MEMBERS }),
    )
    const reading = await READERS[kind](source, before)
    const tally = tallyOf(before, members, reading.statuses)
    for await (const read of reading.rows) {
      rows.add(read)
      tally.see(read.row)
      if (rows.areMany()) await gently(means, job, rows.keeping())
    }
    await step(means, job, 'reading', rows.keeping())
    const failed = await order(means, job, rows)
    const { headers = [], columns = [] } = reading
    const plan: Plan = { ...before, headers, columns, ...tally.plan() }
    await step(means, job, 'reading', (tx, now) =>
      tx.run(setRead, {
        ...now,
        ...{ kind, plan: JSON.stringify(plan), status: 'ready', row_count: rows.count() },
        ...{ done_count: failed, failed_count: failed, error: null, updated_at: tx.now },
      }),
    )
  } catch (error) {
    const why = sentenceOf(error)
    if (why === undefined) throw error
    await step(means, job, 'reading', (tx, now) =>
      tx.run(setFailed, { ...now, status: 'failed', error: why, updated_at: tx.now }),
    )
  } finally {
    source.close()
  }
}

/** A batch of many: requests come before the next. */
async function gently<T>(
  means: Means,
  job: Job,
  work: (tx: WriteTx, now: FoundImport) => Promise<T>,
): Promise<T> {
  const done = await step(means, job, 'reading', work)
  await pause(BREATH_MS)
  return done
}

/** What a person is told; undefined: it is a fault of ours, or passes. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof Unreadable) return error.message
  const isGone = error instanceof Refusal && isMissing(error.cause)
  return isGone ? 'The file is gone: upload it again.' : undefined
}

function sourceOf(
  { files }: Means,
  job: Job,
  { file_id, size_bytes, filename }: FoundImport,
): Source & { close(): void } {
  const key = keyOf(job.workspace_id, file_id ?? '')
  const opened = new Set<Readable>()
  return {
    filename,
    size: size_bytes,
    async *bytes(start = 0, end = size_bytes) {
      if (end <= start) return
      const stream = await files.read(key, size_bytes, { start, end: end - 1 })
      opened.add(stream)
      yield* stream as AsyncIterable<Uint8Array>
      opened.delete(stream)
    },
    // A reader may stop in the middle, and a file handle that is left open ends the process when it is collected.
    close() {
      for (const stream of opened) stream.destroy()
    },
  }
}

/** Takes away what an earlier reading has left, and gives what takes new rows. */
async function emptied(means: Means, job: Job) {
  const import_id = job.id
  const clear = async (tx: WriteTx) => {
    const some = await tx.all(store.someRows, { import_id, limit: AT_ONCE })
    const last = some.at(-1)
    if (last) await tx.run(store.removeRowsTo, { import_id, number: last.number })
    return some.length
  }
  while ((await gently(means, job, clear)) > 0);
  return newRows(import_id, means.mostRows)
}

type Rows = ReturnType<typeof newRows>

function newRows(import_id: string, most: number) {
  const nodes: Node[] = []
  const keys = new Map<string, number>()
  let waiting: { number: number; key: string | null; row: string; fault: string | null }[] = []
  let [count, size] = [0, 0]
  return {
    nodes,
    count: () => count,
    areMany: () => waiting.length >= AT_ONCE || size >= MOST_WAITING,
    add({ row, faults }: Read): void {
      count += 1
      if (count > most) {
        throw new Unreadable(`The file has more than ${most} tasks: split it.`)
      }
      const told = [...faults, ...faultsIn(row)]
      const twin = row.key === null ? undefined : keys.get(row.key)
      if (twin !== undefined) told.push(`id: row ${twin} has the same.`)
      let text = JSON.stringify(row)
      if (text.length > MOST_OF_ROW) {
        told.push('It is too large: more than four million characters with its comments.')
        text = JSON.stringify({ ...row, description: null, comments: [] } satisfies Row)
      }
      const fault = told.length > 0 ? told.join(' ').slice(0, MOST_OF_FAULT).toWellFormed() : null
      if (fault === null) {
        const { number, key, parent, blocked_by: needs } = row
        if (key !== null) keys.set(key, number)
        nodes.push({ number, key, parent, needs })
      }
      size += text.length
      waiting.push({ number: row.number, key: fault === null ? row.key : null, row: text, fault })
    },
    /** Gives what keeps those that wait. It may be called again, where a transaction is done again. */
    keeping() {
      const [rows, row_count] = [waiting, count]
      waiting = []
      size = 0
      return async (tx: WriteTx, now: FoundImport): Promise<void> => {
        await tx.run(store.keepRows, { import_id, rows })
        await tx.run(setFigures, { ...now, row_count, updated_at: tx.now })
      }
    },
  }
}

/** Gives each row that can be made its turn; tells how many cannot be. */
async function order(means: Means, job: Job, rows: Rows): Promise<number> {
  const import_id = job.id
  const { order, knots } = orderOf(rows.nodes)
  const failed = rows.count() - order.length
  // Turns are counted behind what has none, so that they also tell how many rows are dealt with.
  const places = order.map((number, at) => ({ number, place: failed + at + 1 }))
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const rows = places.slice(from, from + AT_ONCE)
    await gently(means, job, (tx) => tx.run(store.setPlaces, { import_id, rows }))
  }
  for (let from = 0; from < knots.length; from += AT_ONCE) {
    const rows = knots.slice(from, from + AT_ONCE).map((knot) => ({ ...knot, task_id: null }))
    await gently(means, job, (tx) => tx.run(store.settleRows, { import_id, rows }))
  }
  return failed
}
