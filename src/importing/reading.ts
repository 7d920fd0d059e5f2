import type { Plan } from '#resources/imports/plan.ts'
import type { Row } from '#resources/imports/row.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'

/** The bytes of a file that was uploaded. */
export interface Source {
  filename: string
  size: number
  /** All of them, or those of a range (the end is left out). */
  bytes(start?: number, end?: number): AsyncIterable<Uint8Array>
}

/** A row, or what is wrong with it. */
export interface Read {
  row: Row
  faults: string[]
}

/**
 * What a reader makes of a file: of a table also which columns it has, and which it takes for what; the
 * categories of statuses where the file tells them.
 */
export interface Reading {
  headers?: string[]
  columns?: Plan['columns']
  statuses?: ReadonlyMap<string, StatusCategory>
  rows: AsyncIterable<Read>
}

/** Reads one kind of file, row by row, however large. */
export type Reader = (source: Source, plan: Plan) => Promise<Reading>
