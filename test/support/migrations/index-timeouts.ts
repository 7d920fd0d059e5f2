import type pg from 'pg'

const RECORD_SQL = `create table index_timeouts (name text, setting bigint);
  create function record_timeouts() returns event_trigger language plpgsql as $$ begin
    insert into index_timeouts select name, setting::bigint from pg_settings
      where name in ('statement_timeout', 'lock_timeout'); end $$;
  create event trigger record_timeouts on ddl_command_start when tag in ('CREATE INDEX')
    execute function record_timeouts()`

/**
 * Gives the sessions of a database short time-outs, as roles behind a pooler have them. The returned
 * function reads those under which indexes have been built since then, in milliseconds.
 */
export async function recordIndexTimeouts(admin: pg.Client): Promise<() => Promise<number[]>> {
  const { rows } = await admin.query('select current_database() as name')
  const database = String(rows[0].name)
  await admin.query(`alter database ${database} set statement_timeout = '5s'`)
  await admin.query(`alter database ${database} set lock_timeout = '4s'`)
  await admin.query(RECORD_SQL)
  return async () => {
    const recorded = await admin.query('select distinct setting from index_timeouts')
    return recorded.rows.map(({ setting }) => Number(setting))
  }
}
