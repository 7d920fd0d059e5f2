import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { ChangeCause } from './causes.ts'
import type { HistoryDocket } from './history-world.ts'

/** Breaks one part of the feed in the database of a test. */
export interface BrokenFeed {
  /** Triggers that feed it. */
  triggers(): Promise<string[]>
  /** Runs something without this part. */
  without<T>(part: ChangeCause['leftOut'], work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Numbers are taken back, or tombstones ignored, by this trigger. */
const CONTROL = 'control_of_changes'

export function openBrokenFeed(docket: HistoryDocket): Promise<BrokenFeed> {
  return docket.engine === 'sqlite'
    ? openBrokenSqlite(join(docket.config.dataDir, 'docket.db'))
    : openBrokenPostgres(docket.config.databaseUrl ?? '')
}

async function openBrokenSqlite(path: string): Promise<BrokenFeed> {
  const db = new DatabaseSync(path, { timeout: 10_000 })
  const definition = (name: string) =>
    String(db.prepare('select sql from sqlite_master where name = ?').get(name)?.sql)
  return {
    async triggers() {
      const rows = db
        .prepare(
          `select name from sqlite_master where type = 'trigger' and sql like '%change_number%'`,
        )
        .all()
      return rows.map(({ name }) => String(name))
    },
    async without(part, work) {
      const sql = 'trigger' in part ? definition(part.trigger) : ''
      db.exec('trigger' in part ? `drop trigger ${part.trigger}` : unnumberedSqlite(part.table))
      try {
        return await work()
      } finally {
        db.exec('trigger' in part ? sql : dropSqliteControls(part.table))
      }
    },
    close: async () => db.close(),
  }
}

function unnumberedSqlite(table: string): string {
  if (table === 'tombstones')
    return `create trigger ${CONTROL} before insert on tombstones begin select raise(ignore); end`
  const key = table === 'memberships' ? 'user_id' : 'id'
  const reset = (to: string) =>
    `update ${table} set change_number = ${to} where workspace_id = new.workspace_id and ${key} = new.${key}`
  return `create trigger ${CONTROL} after update of change_number on ${table}
      when new.change_number <> 0 begin ${reset('old.change_number')}; end;
    create trigger ${CONTROL}_insert after insert on ${table} begin ${reset('0')}; end`
}

const dropSqliteControls = (table: string): string =>
  table === 'tombstones'
    ? `drop trigger ${CONTROL}`
    : `drop trigger ${CONTROL}; drop trigger ${CONTROL}_insert`

async function openBrokenPostgres(url: string): Promise<BrokenFeed> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`create function ${CONTROL}() returns trigger as $$ begin
    if tg_table_name = 'tombstones' then return null; end if;
    if tg_op = 'INSERT' then new.change_number := 0; else new.change_number := old.change_number; end if;
    return new; end $$ language plpgsql`)
  const tableOf = async (trigger: string) => {
    const { rows } = await client.query<{ name: string }>(
      `select tgrelid::regclass::text as name from pg_trigger where tgname = $1`,
      [trigger],
    )
    return rows[0]?.name
  }
  return {
    async triggers() {
      const { rows } = await client.query<{ name: string }>(
        `select tgname as name from pg_trigger join pg_proc on pg_proc.oid = tgfoid
          where not tgisinternal and prosrc like '%change_number%' and tgparentid = 0`,
      )
      return rows.map(({ name }) => name)
    },
    async without(part, work) {
      const table = 'trigger' in part ? await tableOf(part.trigger) : part.table
      await client.query(
        'trigger' in part
          ? `alter table ${table} disable trigger ${part.trigger}`
          : `create trigger ${CONTROL} before insert or update on ${table} for each row execute function ${CONTROL}()`,
      )
      try {
        return await work()
      } finally {
        await client.query(
          'trigger' in part
            ? `alter table ${table} enable trigger ${part.trigger}`
            : `drop trigger ${CONTROL} on ${table}`,
        )
      }
    },
    close: () => client.end(),
  }
}
