import { createHash } from 'node:crypto'
import { conflict } from '#core/refusal.ts'
import type { End, Range } from '#storage/move/end.ts'
import { keyOf, type Shape, type Span } from '#storage/move/line.ts'
import type { Copying } from './copy.ts'

/** A table that has the same rows on both ends. */
export interface Verified {
  table: string
  rows: number
  /** SHA-256 of its rows in the order of their keys, in hex: the same on either engine. */
  digest: string
}

/**
 * Reads a table back from the target and holds each range against what was read of the source. Ranges of
 * an earlier run are read from the source again: it may have changed since.
 */
export async function verifyTable(
  { source, target, run, told }: Copying,
  shape: Shape,
  ranges: readonly Range[],
): Promise<Verified> {
  const whole = createHash('sha256')
  let [after, rows]: [Span['after'], number] = [undefined, 0]
  for (const range of ranges) {
    const span = { after, upTo: range.upTo }
    if (range.run !== run && (await digestOf(source, shape, span)) !== range.digest) {
      throw changed(shape.table)
    }
    const there = await digestOf(target, shape, span, (line) => whole.update(line))
    if (there !== range.digest) throw await differing(source, target, shape, span)
    rows += range.rows
    told(shape.table, range.rows)
    after = range.upTo
  }
  await assertRows(source, shape.table, rows, 'where they lie')
  return { table: shape.table, rows, digest: whole.digest('hex') }
}

/** Fails unless a table has as many rows as were copied of it, or as it is to have. */
export async function assertRows(
  end: End,
  table: string,
  rows: number,
  how?: 'where they lie',
): Promise<void> {
  const found = await end.count(table, how)
  if (found === rows) return
  const where = `${table} has ${found} rows on ${nameOf(end)}, and ${rows} were copied`
  throw conflict('move_differs', `${where}. ${ANEW}`)
}

async function digestOf(
  end: End,
  shape: Shape,
  span: Span,
  also: (line: string | Uint8Array) => void = () => {},
): Promise<string> {
  const hash = createHash('sha256')
  await end.scan(shape, span, (line) => {
    hash.update(line)
    also(line)
  })
  return hash.digest('hex')
}

const ANEW = 'Nothing is served from the target: empty it, and begin again.'

const changed = (table: string) =>
  conflict(
    'source_changed',
    `The source has changed since the move was begun, in ${table}. ${ANEW}`,
  )

async function differing(source: End, target: End, shape: Shape, span: Span) {
  const [here, there] = [await linesOf(source, shape, span), await linesOf(target, shape, span)]
  const at = here.findIndex((line, at) => line !== there[at])
  const [ours, theirs] = at < 0 ? [undefined, there[here.length]] : [here[at], there[at]]
  // Only a target that is written to by others becomes right again by itself.
  const what = difference(shape, ours, theirs, here)
  return conflict('move_differs', `${shape.table}: ${what}. ${ANEW}`)
}

async function linesOf(end: End, shape: Shape, span: Span): Promise<string[]> {
  const lines: string[] = []
  await end.scan(shape, span, (line) => lines.push(Buffer.from(line).toString().slice(0, -1)))
  return lines
}

function difference(
  shape: Shape,
  ours: string | undefined,
  theirs: string | undefined,
  here: readonly string[],
): string {
  const named = (line: string) => `the row ${keyOf(shape, line).join(' ')}`
  const keyIn = (line: string) => keyOf(shape, line).join('\t')
  if (ours === undefined && theirs === undefined) return 'the target changes while it is read'
  if (ours === undefined) return `${named(theirs ?? '')} is in the target alone`
  if (theirs !== undefined && keyIn(ours) === keyIn(theirs)) {
    return `${named(ours)} is not the same in the target`
  }
  const isKnown = theirs === undefined || here.some((line) => keyIn(line) === keyIn(theirs))
  return isKnown
    ? `${named(ours)} is missing in the target`
    : `${named(theirs)} is in the target alone`
}

const nameOf = ({ engine }: End) => (engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')
