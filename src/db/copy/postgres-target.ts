import type pg from 'pg'
import { conflict } from '#core/api-error.ts'
import { END_COPIED_LEASES_SQL } from '../deliveries/delivery-queue.ts'
import { MIGRATION_LOCK_ID } from '../migrate/migrate-postgres.ts'
import { MIGRATIONS } from '../migrate/migrations.ts'
import { assertSupportedVersion, findDurabilityFaults } from '../postgres/server-checks.ts'
import { createPostgresTables, docketTables, LIST_FOREIGN_KEYS_SQL } from '../postgres/tables.ts'
import { connectForCopy } from './copy-connection.ts'
import { COPY_JOURNAL_TABLE, type CopyTarget, CREATE_COPY_JOURNAL_SQL } from './endpoint.ts'
import { type CopyJournal, openCopyJournal, targetNotEmpty } from './journal.ts'
import { columnList, copyIn, formatCopyRow } from './postgres-copy-protocol.ts'
import { createPostgresEndpoint, TARGET_STATE_SQL } from './postgres-source.ts'

/** Advisory lock of the process that fills a database. */
const COPY_LOCK_ID = 4_000_001
/** PostgreSQL may work on for a moment for a process that was killed. */
const LOCK_TIMEOUT = '15s'

/** Opens a PostgreSQL database as the target of a copy. */
export async function openPostgresTarget(url: string): Promise<CopyTarget> {
  const client = await connectForCopy(url, 'docket migrate-to')
  try {
    await claim(client)
    return target(client)
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Locks the database for this process alone until the connection ends. */
async function claim(client: pg.Client): Promise<void> {
  await assertSupportedVersion(client)
  const [fault] = await findDurabilityFaults(client)
  if (fault !== undefined) {
    throw conflict(
      'not_durable',
      `PostgreSQL runs with ${fault}: an acknowledged write could be lost.`,
    )
  }
  // If this process is killed, its statements end within a second.
  await client.query(
    `set client_connection_check_interval = '1s'; set lock_timeout = '${LOCK_TIMEOUT}'`,
  )
  await client.query('select pg_advisory_lock($1)', [COPY_LOCK_ID]).catch((cause: unknown) => {
    const why = 'Another docket migrate-to fills this database, or was killed a moment ago'
    throw conflict('store_in_use', `${why}: wait for its end. (${messageOf(cause)})`)
  })
  // A crash of PostgreSQL loses only whole ranges with their journal entries, which are copied again.
  await client.query('set lock_timeout = 0; set synchronous_commit = off')
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function target(client: pg.Client): CopyTarget {
  const journal = openJournal(client)

  async function inTransaction(work: () => Promise<unknown>): Promise<void> {
    await client.query('begin')
    try {
      await work()
      await client.query('commit')
    } catch (error) {
      // If the connection failed, there is nothing to roll back.
      await client.query('rollback').catch(() => {})
      throw error
    }
  }

  const fill = (into: string, lines: readonly string[]) =>
    lines.length > 0
      ? copyIn(client, `copy ${into} from stdin`, Buffer.from(`${lines.join('\n')}\n`))
      : undefined

  return {
    ...createPostgresEndpoint(client),
    async begin(sourceId) {
      const { rows } = await client.query(TARGET_STATE_SQL)
      if (rows[0]?.unfinished === true) return (await journal.read(sourceId)).ranges
      if (rows[0]?.docket === true) throw targetNotEmpty('Docket data in this database')
      await inTransaction(() => prepareTables(client, journal, sourceId))
      return undefined
    },
    write: (shape, lines, range) =>
      inTransaction(async () => {
        await fill(`"${shape.table}" (${columnList(shape.columns)})`, lines)
        await journal.add(range)
      }),
    writeWords: (of, words, range) =>
      inTransaction(async () => {
        const lines = words.map((one) =>
          formatCopyRow([one.workspace_id, one.id, formatTsvector(one.words)]),
        )
        await fill(`${of}_words (workspace_id, ${of}_id, words)`, lines)
        await journal.add(range)
      }),
    async complete(onProgress) {
      for (const { n, name, sql } of await journal.listDeferred()) {
        onProgress(name)
        await inTransaction(async () => {
          await client.query(`set local maintenance_work_mem = '256MB'; ${sql}`)
          await journal.remove(n)
        })
      }
      onProgress('figures for the planner')
      await client.query('analyze')
    },
    finish: (values) =>
      inTransaction(async () => {
        await client.query('set local synchronous_commit = on')
        for (const [name, value] of Object.entries(values)) {
          await client.query(
            'insert into installation values ($1, $2) on conflict (name) do update set value = $2',
            [name, value],
          )
        }
        await client.query(END_COPIED_LEASES_SQL)
        await client.query(`drop table ${COPY_JOURNAL_TABLE}`)
      }),
  }
}

/** Formats words as a tsvector literal. */
const formatTsvector = (words: string): string =>
  words === '' ? '' : `'${words.replace(/['\\]/g, '$&$&').replaceAll(' ', "' '")}'`

/**
 * Creates the tables without indexes and foreign keys, which would slow down the copy and are recorded
 * to be created afterwards. Other tables in the same schema are left alone.
 */
async function prepareTables(
  client: pg.Client,
  journal: CopyJournal,
  sourceId: string,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK_ID])
  await createPostgresTables(client, MIGRATIONS.length)
  const ours = docketTables(MIGRATIONS.length)
  await client.query(CREATE_COPY_JOURNAL_SQL)
  await journal.add({ kind: 'source', id: sourceId })
  // Migrations insert some rows, which the source contains in their latest state.
  await client.query(`truncate ${ours.map((table) => `"${table}"`).join()}`)
  const isOurs = ({ of }: { of: string }) => ours.includes(of)
  const references = (await client.query(LIST_FOREIGN_KEYS_SQL)).rows.filter(isOurs)
  for (const { of, name } of references) {
    await client.query(`alter table ${of} drop constraint "${name}"`)
  }
  for (const { name, sql } of (await client.query(INDEXES_SQL)).rows.filter(isOurs)) {
    await client.query(`drop index "${name}"`)
    await journal.add({ kind: 'later', name: `index ${name}`, sql })
  }
  for (const { of, name, is } of references) {
    const sql = `alter table ${of} add constraint "${name}" ${is}`
    await journal.add({ kind: 'later', name: `reference ${name}`, sql })
  }
}

/** Lists indexes that do not belong to a constraint. */
const INDEXES_SQL = `select tables.relname as of, indexes.relname as name, pg_get_indexdef(indexrelid) as sql from pg_index
  join pg_class as indexes on indexes.oid = indexrelid
  join pg_class as tables on tables.oid = indrelid
  where tables.relnamespace = current_schema()::regnamespace and tables.relkind = 'r'
    and tables.relpersistence = 'p'
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  order by tables.relname, indexes.relname`

function openJournal(client: pg.Client): CopyJournal {
  return openCopyJournal({
    all: async () =>
      (await client.query(`select n, note from ${COPY_JOURNAL_TABLE} order by n`)).rows,
    put: (n, note) => client.query(`insert into ${COPY_JOURNAL_TABLE} values ($1, $2)`, [n, note]),
    take: (n) => client.query(`delete from ${COPY_JOURNAL_TABLE} where n = $1`, [n]),
  })
}
