import type pg from 'pg'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`

/** How many rows are added to each table, and which columns differ between them. */
const MULTIPLIED_ROWS: [table: string, count: number, differing: Record<string, string>][] = [
  ['projects', 40, { id: id('prj'), prefix: `'P' || n`, name_key: 'n' }],
  ['memberships', 50, { user_id: id('usr'), name_key: 'n' }],
  ['tags', 100, { id: id('tag'), name_key: 'n' }],
  [
    'tasks',
    1_500,
    {
      id: id('tsk'),
      number: 'n + 1000',
      position: `'b' || lpad(n::text, 8, '0')`,
      project_id: `case when n % 3 = 0 then 'prj_' || lpad((n % 40 + 1)::text, 26, '0') else project_id end`,
      due_date: `case when n % 2 = 0 then '2026-01-' || lpad((n % 28 + 1)::text, 2, '0') end`,
      priority_rank: 'n % 5',
      updated_at: `'2026-01-01T00:00:00.' || lpad((n % 1000)::text, 3, '0') || 'Z'`,
    },
  ],
  ['comments', 300, { id: id('cmt') }],
  ['time_entries', 300, { id: id('tme') }],
  ['webhooks', 10, { id: id('whk') }],
  [
    'deliveries',
    2_000,
    {
      id: id('dlv'),
      status: `case when n % 9 = 0 then 'failed' else 'succeeded' end`,
      event_id: id('evt'),
    },
  ],
  ['events', 2_000, { sequence: 'n + 1000', id: id('evt') }],
  ['task_words', 1_500, { task_id: id('tsk'), words: `array_to_tsvector(array['w' || n])` }],
]
const MULTIPLIED_LINKS = [
  ['task_assignees', 'user_id, task_id', `'usr_' || lpad('1', 26, '0'), id from tasks`],
  ['task_tags', 'tag_id, task_id', `'tag_' || lpad('1', 26, '0'), id from tasks`],
  [
    'project_people',
    'project_id, user_id',
    `p.id, m.user_id from projects p
    join memberships m on m.workspace_id = p.workspace_id and m.user_id like '%1'`,
  ],
]
const WORKSPACES = 5

/** Adds rows to a workspace, and similar workspaces, so that indexes pay off. */
export async function multiplyRows(admin: pg.Client, { workspace }: TestWorkspace): Promise<void> {
  await admin.query(`set session_replication_role = replica`)
  const into = async (table: string, differing: Record<string, string>, from: string) => {
    const { rows } = await admin.query(
      `select column_name as name from information_schema.columns where table_name = $1`,
      [table],
    )
    const names = rows.map(({ name }) => String(name))
    const values = names.map((name) => differing[name] ?? name)
    await admin.query(`insert into ${table} (${names}) select ${values} ${from}`)
  }
  const own = `workspace_id = '${workspace}'`
  for (const [table, count, differing] of MULTIPLIED_ROWS) {
    const one = `(select * from ${table} where ${own} limit 1)`
    await into(table, differing, `from ${one} as one, generate_series(1, ${count}) n`)
  }
  for (const [table, columns, rows] of MULTIPLIED_LINKS) {
    await admin.query(`insert into ${table} (workspace_id, ${columns})
      select '${workspace}', ${rows} on conflict do nothing`)
  }
  for (const table of [...MULTIPLIED_ROWS, ...MULTIPLIED_LINKS].map(([name]) => String(name))) {
    const theirs = `from ${table}, generate_series(1, ${WORKSPACES}) n where ${own}`
    await into(table, { workspace_id: `workspace_id || n` }, theirs)
  }
  await admin.query('set session_replication_role = origin; analyze')
}
