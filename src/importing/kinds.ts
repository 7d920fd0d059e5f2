import type { Kind } from '#resources/imports/internal.ts'
import { readCsv } from './csv.ts'
import type { Reader, Source } from './reading.ts'

/** Who reads which kind of file. */
export const READERS: Record<Kind, Reader> = { csv: readCsv }

/** What a file most likely is. */
export async function kindOf(_source: Source): Promise<Kind> {
  return 'csv'
}
