import type pg from 'pg'
import { conflict } from '#core/refusal.ts'
import { durabilityFaults } from '../durable.ts'
import { MIGRATING } from '../migrate-postgres.ts'
import { MIGRATIONS } from '../migrations.ts'
import { TABLES } from '../postgres-dump.ts'
import { createTables, REFERENCES } from '../postgres-tables.ts'
import { NOTES, NOTES_TABLE, type Target } from './end.ts'
import { columnsIn, lineOf } from './line.ts'
import { type Notebook, openNotebook, taken } from './notebook.ts'
import { copyIn } from './postgres-copy.ts'
import { connect, postgresEnd, TAKEN } from './postgres-source.ts'

/** The lock of whoever fills a database. */
const MOVING = 4_000_001
/** One that was killed may still be at work in PostgreSQL for a moment. */
const PATIENCE = '15s'

/** Opens a PostgreSQL database that is to be filled. */
export async function openPostgresTarget(url: string): Promise<Target> {
  const client = await connect(url, 'docket migrate-to')
  try {
    await claim(client)
    return target(client)
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Makes this the only one that fills the database. It ends with the connection. */
async function claim(client: pg.Client): Promise<void> {
  const [fault] = await durabilityFaults(client)
  if (fault !== undefined) {
    throw conflict(
      'not_durable',
      `PostgreSQL runs with ${fault}: an acknowledged write could be lost.`,
    )
  }
  // Should this process be killed its statements end within a second.
  await client.query(
    `set client_connection_check_interval = '1s'; set lock_timeout = '${PATIENCE}'`,
  )
  await client.query('select pg_advisory_lock($1)', [MOVING]).catch((cause: unknown) => {
    const why = 'Another docket migrate-to fills this database, or was killed a moment ago'
    throw conflict('store_in_use', `${why}: wait for its end. (${messageOf(cause)})`)
  })
  // What a crash of PostgreSQL takes back is whole ranges, with their notes: they are copied again.
  await client.query('set lock_timeout = 0; set synchronous_commit = off')
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function target(client: pg.Client): Target {
  const notes = notebookOf(client)

  async function together(work: () => Promise<unknown>): Promise<void> {
    await client.query('begin')
    try {
      await work()
      await client.query('commit')
    } catch (error) {
      // The connection may be what has failed; then there is nothing to be taken back.
      await client.query('rollback').catch(() => {})
      throw error
    }
  }

  const fill = (into: string, lines: readonly string[]) =>
    lines.length > 0
      ? copyIn(client, `copy ${into} from stdin`, Buffer.from(`${lines.join('\n')}\n`))
      : undefined

  return {
    ...postgresEnd(client),
    async begin(sourceId) {
      const { rows } = await client.query(TAKEN)
      if (rows[0]?.unfinished === true) return (await notes.read(sourceId)).ranges
      if (rows[0]?.docket === true) throw taken('A Docket in this database')
      await together(() => prepare(client, notes, sourceId))
      return undefined
    },
    write: (shape, lines, range) =>
      together(async () => {
        await fill(`"${shape.table}" (${columnsIn(shape.columns)})`, lines)
        await notes.add(range)
      }),
    writeWords: (of, words, range) =>
      together(async () => {
        const lines = words.map((one) => lineOf([one.workspace_id, one.id, vectorOf(one.words)]))
        await fill(`${of}_words (workspace_id, ${of}_id, words)`, lines)
        await notes.add(range)
      }),
    async complete(told) {
      for (const { n, name, sql } of await notes.later()) {
        told(name)
        await together(async () => {
          await client.query(`set local maintenance_work_mem = '256MB'; ${sql}`)
          await notes.strike(n)
        })
      }
      told('figures for the planner')
      await client.query('analyze')
    },
    finish: (values) =>
      together(async () => {
        await client.query('set local synchronous_commit = on')
        for (const [name, value] of Object.entries(values)) {
          await client.query(
            'insert into installation values ($1, $2) on conflict (name) do update set value = $2',
            [name, value],
          )
        }
        await client.query(`drop table ${NOTES}`)
      }),
  }
}

/** Words as the type writes them. */
const vectorOf = (words: string): string =>
  words === '' ? '' : `'${words.replace(/['\\]/g, '$&$&').replaceAll(' ', "' '")}'`

/**
 * Makes the tables without what slows their filling; that is noted, to be made afterwards. What others
 * keep in the same schema is left alone.
 */
async function prepare(client: pg.Client, notes: Notebook, sourceId: string): Promise<void> {
  const tablesNow = async () => (await client.query(TABLES)).rows.map(({ name }) => String(name))
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATING])
  const others = await tablesNow()
  await createTables(client, MIGRATIONS.length)
  const ours = (await tablesNow()).filter((table) => !others.includes(table))
  await client.query(NOTES_TABLE)
  await notes.add({ kind: 'source', id: sourceId })
  // Migrations bring some rows themselves, and the source has them as they were last.
  await client.query(`truncate ${ours.map((table) => `"${table}"`).join()}`)
  const isOurs = ({ of }: { of: string }) => ours.includes(of)
  const references = (await client.query(REFERENCES)).rows.filter(isOurs)
  for (const { of, name } of references) {
    await client.query(`alter table ${of} drop constraint "${name}"`)
  }
  for (const { name, sql } of (await client.query(INDEXES)).rows.filter(isOurs)) {
    await client.query(`drop index "${name}"`)
    await notes.add({ kind: 'later', name: `index ${name}`, sql })
  }
  for (const { of, name, is } of references) {
    const sql = `alter table ${of} add constraint "${name}" ${is}`
    await notes.add({ kind: 'later', name: `reference ${name}`, sql })
  }
}

/** Indexes that are no constraint's, nor part of another. */
const INDEXES = `select tables.relname as of, indexes.relname as name, pg_get_indexdef(indexrelid) as sql from pg_index
  join pg_class as indexes on indexes.oid = indexrelid
  join pg_class as tables on tables.oid = indrelid
  where tables.relnamespace = current_schema()::regnamespace and tables.relkind in ('r', 'p')
    and not tables.relispartition and tables.relpersistence = 'p'
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  order by tables.relname, indexes.relname`

function notebookOf(client: pg.Client): Notebook {
  return openNotebook({
    all: async () => (await client.query(`select n, note from ${NOTES} order by n`)).rows,
    put: (n, note) => client.query(`insert into ${NOTES} values ($1, $2)`, [n, note]),
    take: (n) => client.query(`delete from ${NOTES} where n = $1`, [n]),
  })
}
