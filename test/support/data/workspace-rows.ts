import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connectForCopy } from '#db/copy/copy-connection.ts'
import { parseCopyRow } from '#db/copy/postgres-copy-protocol.ts'
import { createPostgresEndpoint } from '#db/copy/postgres-source.ts'
import { createSqliteEndpoint } from '#db/copy/sqlite-source.ts'
import type { TestDocket } from '../engines/test-docket.ts'

/** The rows of each table that has a workspace column, by table; integers are text. */
export type WorkspaceRows = Record<string, Record<string, string | null>[]>

/** Reads the rows of a workspace from every table that the database itself lists. */
export async function readWorkspaceRows(
  { config }: Pick<TestDocket, 'config'>,
  workspace_id: string,
): Promise<WorkspaceRows> {
  const { dataDir, databaseUrl } = config
  const end = databaseUrl
    ? createPostgresEndpoint(await connectForCopy(bypassRowLevelSecurity(databaseUrl), 'test'))
    : createSqliteEndpoint(new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true }))
  const census: WorkspaceRows = {}
  try {
    for (const shape of await end.listTables()) {
      const names = shape.columns.map(({ name }) => name)
      const whose = shape.table === 'workspaces' ? 'id' : 'workspace_id'
      if (!names.includes(whose)) continue
      const rows: WorkspaceRows[string] = []
      census[shape.table] = rows
      await end.scan(shape, { after: undefined, upTo: undefined }, (line) => {
        const fields = parseCopyRow(Buffer.from(line).toString().slice(0, -1))
        const row = Object.fromEntries(names.map((name, at) => [name, fields[at] ?? null]))
        if (row[whose] === workspace_id) rows.push(row)
      })
    }
  } finally {
    await end.close()
  }
  return census
}

/** Connects without row-level security, which would hide the rows. */
const bypassRowLevelSecurity = (url: string): string =>
  url === process.env.TEST_POSTGRES_WALLED ? (process.env.TEST_POSTGRES ?? url) : url

/** Leaves out some tables, and some columns of others. */
export function omitFromRows(
  census: WorkspaceRows,
  tables: readonly string[],
  columns: Record<string, readonly string[]> = {},
): WorkspaceRows {
  const kept: WorkspaceRows = {}
  for (const [table, rows] of Object.entries(census)) {
    if (tables.includes(table)) continue
    const left = columns[table] ?? []
    kept[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !left.includes(column))),
    )
  }
  return kept
}

/** The SHA-256 of each file of a workspace by name; undefined if it has no directory. */
export function hashWorkspaceFiles(
  { config }: Pick<TestDocket, 'config'>,
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
