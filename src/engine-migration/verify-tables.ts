import { createHash } from 'node:crypto'
import { conflict } from '#core/api-error.ts'
import type { CopyEndpoint, CopyRange } from '#db/copy/endpoint.ts'
import { type CopyTable, type RowKeyRange, rowKeyOfLine } from '#db/copy/row-format.ts'
import type { CopyContext } from './copy-tables.ts'

/** A table that has the same rows on both sides. */
export interface VerifiedTable {
  table: string
  rows: number
  /** SHA-256 of the rows in key order, in hex. It is the same on both engines. */
  digest: string
}

/**
 * Reads a table back from the target and compares each range with the digest of the source. Ranges
 * of an earlier run are also read from the source again, because it may have changed since.
 */
export async function verifyTable(
  { source, target, run, onRows }: CopyContext,
  shape: CopyTable,
  ranges: readonly CopyRange[],
): Promise<VerifiedTable> {
  const tableHash = createHash('sha256')
  let [after, rows]: [RowKeyRange['after'], number] = [undefined, 0]
  for (const range of ranges) {
    const span = { after, upTo: range.upTo }
    if (range.run !== run && (await digestOf(source, shape, span)) !== range.digest) {
      throw sourceChanged(shape.table)
    }
    const targetDigest = await digestOf(target, shape, span, (line) => tableHash.update(line))
    if (targetDigest !== range.digest) throw await describeDifference(source, target, shape, span)
    rows += range.rows
    onRows(shape.table, range.rows)
    after = range.upTo
  }
  await assertRowCount(source, shape.table, rows, 'where they lie')
  return { table: shape.table, rows, digest: tableHash.digest('hex') }
}

/** Throws unless a table has the expected number of rows. */
export async function assertRowCount(
  end: CopyEndpoint,
  table: string,
  rows: number,
  how?: 'where they lie',
): Promise<void> {
  const count = await end.count(table, how)
  if (count === rows) return
  const where = `${table} has ${count} rows on ${engineName(end)}, but ${rows} were copied`
  throw conflict('move_differs', `${where}. ${START_OVER}`)
}

async function digestOf(
  end: CopyEndpoint,
  shape: CopyTable,
  span: RowKeyRange,
  onLine: (line: string | Uint8Array) => void = () => {},
): Promise<string> {
  const hash = createHash('sha256')
  await end.scan(shape, span, (line) => {
    hash.update(line)
    onLine(line)
  })
  return hash.digest('hex')
}

const START_OVER = 'The target is not usable: empty it, and start again.'

const sourceChanged = (table: string) =>
  conflict('source_changed', `The source changed after the move began, in ${table}. ${START_OVER}`)

async function describeDifference(
  source: CopyEndpoint,
  target: CopyEndpoint,
  shape: CopyTable,
  span: RowKeyRange,
) {
  const sourceLines = await readLines(source, shape, span)
  const targetLines = await readLines(target, shape, span)
  const at = sourceLines.findIndex((line, at) => line !== targetLines[at])
  const [sourceLine, targetLine] =
    at < 0 ? [undefined, targetLines[sourceLines.length]] : [sourceLines[at], targetLines[at]]
  const what = difference(shape, sourceLine, targetLine, sourceLines)
  return conflict('move_differs', `${shape.table}: ${what}. ${START_OVER}`)
}

async function readLines(
  end: CopyEndpoint,
  shape: CopyTable,
  span: RowKeyRange,
): Promise<string[]> {
  const lines: string[] = []
  await end.scan(shape, span, (line) => lines.push(Buffer.from(line).toString().slice(0, -1)))
  return lines
}

function difference(
  shape: CopyTable,
  sourceLine: string | undefined,
  targetLine: string | undefined,
  sourceLines: readonly string[],
): string {
  const describeRow = (line: string) => `the row ${rowKeyOfLine(shape, line).join(' ')}`
  const keyIn = (line: string) => rowKeyOfLine(shape, line).join('\t')
  // The lines were equal this time: only a target that others write to changes between two reads.
  if (sourceLine === undefined && targetLine === undefined)
    return 'the target changes while it is read'
  if (sourceLine === undefined) return `${describeRow(targetLine ?? '')} is in the target alone`
  if (targetLine !== undefined && keyIn(sourceLine) === keyIn(targetLine)) {
    return `${describeRow(sourceLine)} is not the same in the target`
  }
  const isInSource =
    targetLine === undefined || sourceLines.some((line) => keyIn(line) === keyIn(targetLine))
  return isInSource
    ? `${describeRow(sourceLine)} is missing in the target`
    : `${describeRow(targetLine)} is in the target alone`
}

const engineName = ({ engine }: CopyEndpoint) => (engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')
