import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fieldsOf } from '#storage/move/line.ts'
import { connect, postgresEnd } from '#storage/move/postgres-source.ts'
import { sqliteEnd } from '#storage/move/sqlite-source.ts'
import type { Served } from './engines.ts'

/** The rows of each table that has workspaces, by name; fields by column, whole numbers as text. */
export type Census = Record<string, Record<string, string | null>[]>

/** Whatever an installation holds of a workspace, in every table there is: found by asking the database. */
export async function censusOf(
  { config }: Pick<Served, 'config'>,
  workspace_id: string,
): Promise<Census> {
  const { dataDir, databaseUrl } = config
  const end = databaseUrl
    ? postgresEnd(await connect(behindWalls(databaseUrl), 'test'))
    : sqliteEnd(new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true }))
  const census: Census = {}
  try {
    for (const shape of await end.shapes()) {
      const names = shape.columns.map(({ name }) => name)
      const whose = shape.table === 'workspaces' ? 'id' : 'workspace_id'
      if (!names.includes(whose)) continue
      const rows: Census[string] = []
      census[shape.table] = rows
      await end.scan(shape, { after: undefined, upTo: undefined }, (line) => {
        const fields = fieldsOf(Buffer.from(line).toString().slice(0, -1))
        const row = Object.fromEntries(names.map((name, at) => [name, fields[at] ?? null]))
        if (row[whose] === workspace_id) rows.push(row)
      })
    }
  } finally {
    await end.close()
  }
  return census
}

/** Where walls are, they would hide what is looked for. */
const behindWalls = (url: string): string =>
  url === process.env.TEST_POSTGRES_WALLED ? (process.env.TEST_POSTGRES ?? url) : url

/** The same without some tables, and without some columns of others. */
export function without(
  census: Census,
  tables: readonly string[],
  columns: Record<string, readonly string[]> = {},
): Census {
  const kept: Census = {}
  for (const [table, rows] of Object.entries(census)) {
    if (tables.includes(table)) continue
    const left = columns[table] ?? []
    kept[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !left.includes(column))),
    )
  }
  return kept
}

/** The files of a workspace on the disk by name, each with its SHA-256; undefined: it has no directory. */
export function filesOf(
  { config }: Pick<Served, 'config'>,
  workspace_id: string,
): Record<string, string> | undefined {
  const place = join(config.dataDir, 'files', workspace_id)
  if (!existsSync(place)) return undefined
  const digest = (name: string) => createHash('sha256').update(readFileSync(join(place, name)))
  return Object.fromEntries(
    readdirSync(place)
      .toSorted()
      .map((name) => [name, digest(name).digest('hex')]),
  )
}
