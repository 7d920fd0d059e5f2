import { join } from 'node:path'
import type { Engine } from '#core/tx.ts'
import {
  attachmentsInSqlite,
  type Copied,
  copySqlite,
  type FileRow,
  fileRowOf,
} from '#storage/sqlite-copy.ts'
import { openHashed, readHashed } from './hashed.ts'
import { batchesIn, linesIn } from './lines.ts'
import { DATABASE_COPY, TABLES } from './manifest.ts'
import type { openSums } from './sums.ts'

/** What is copied, and how it is told of. */
export interface RowsToCopy {
  dataDir: string
  databaseUrl: string | undefined
  directory: string
  sums: Awaited<ReturnType<typeof openSums>>
  told(what: string): void
}

/** Lines that go to the database together. */
const LINES_AT_ONCE = 500

/** Copies all rows of an installation as they are at one instant. */
export async function copyRows(copy: RowsToCopy): Promise<Copied> {
  const { dataDir, databaseUrl, directory, sums, told } = copy
  if (databaseUrl !== undefined) return dumpTables(databaseUrl, copy)
  const to = join(directory, DATABASE_COPY)
  const copied = await copySqlite(dataDir, to, (bytes) => told(`database, ${inMegabytes(bytes)}`))
  await sums.add(DATABASE_COPY, await readHashed(to))
  return copied
}

const inMegabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

async function dumpTables(url: string, { directory, sums, told }: RowsToCopy): Promise<Copied> {
  // The driver takes memory that the embedded database does without.
  const { dumpPostgres } = await import('#storage/postgres-dump.ts')
  let open: { table: string; file: Awaited<ReturnType<typeof openHashed>> } | undefined
  let rows = 0
  const finish = async () => {
    if (open) await sums.add(pathOf(open.table), await open.file.end())
    open = undefined
  }
  try {
    const copied = await dumpPostgres(url, async (table, lines) => {
      if (open?.table !== table) {
        await finish()
        open = { table, file: await openHashed(join(directory, pathOf(table))) }
      }
      rows += lines.length
      told(`${table}, ${rows} rows so far`)
      if (lines.length > 0) await open.file.write(Buffer.from(`${lines.join('\n')}\n`))
    })
    await finish()
    return copied
  } finally {
    await open?.file.abandon()
  }
}

const pathOf = (table: string) => `${TABLES}/${table}.jsonl`

/** The attachments of which a backup has rows. */
export async function* attachmentsIn(directory: string, engine: Engine): AsyncGenerator<FileRow> {
  if (engine === 'sqlite') yield* attachmentsInSqlite(join(directory, DATABASE_COPY))
  else {
    for await (const line of linesIn(join(directory, pathOf('attachments')))) {
      yield fileRowOf(JSON.parse(line) as Record<string, unknown>)
    }
  }
}

/** The rows of a table, some at a time. */
export const linesOf = (directory: string, table: string): AsyncGenerator<string[]> =>
  batchesIn(join(directory, pathOf(table)), LINES_AT_ONCE)
