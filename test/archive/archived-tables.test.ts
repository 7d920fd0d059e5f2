import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ARCHIVE_PARTS, type ArchivePart, schemaOf } from '#archive/format/line-schemas.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { EXCLUDED_TABLES, REBUILT_TABLES } from './excluded-tables.ts'

const TABLES_WITHOUT_PART: readonly string[] = [...EXCLUDED_TABLES, ...REBUILT_TABLES]

/** The parts that contain tables without a part of their own. */
const CONTAINING_PART: Record<string, ArchivePart> = {
  audit_entries: 'audit',
  memberships: 'members',
  project_prefixes: 'projects',
  project_people: 'projects',
  view_pins: 'views',
  task_numbers: 'tasks',
  task_blocks: 'tasks',
}

/** Columns that are derived from others, rebuilt, or belong to one installation. */
const DERIVED_COLUMNS: Record<string, string[]> = {
  activity: ['operation_id'],
  audit_entries: ['hash'],
  memberships: ['user_id', 'name_key', 'name_words'],
  projects: [
    'name_key',
    'name_words',
    'backlog_count',
    'unstarted_count',
    'started_count',
    'completed_count',
    'canceled_count',
  ],
  project_prefixes: ['prefix', 'project_id'],
  project_people: ['project_id', 'user_id'],
  view_pins: ['user_id', 'view_id', 'position'],
  templates: ['task_count'],
  tags: ['name_key', 'name_words', 'task_count'],
  tasks: [
    'search_id',
    'priority_rank',
    'blocking_ids',
    'time_spent_seconds',
    'comment_count',
    'attachment_count',
    'subtask_count',
    'completed_subtask_count',
  ],
  task_numbers: ['task_id'],
  task_blocks: ['task_id', 'blocker_id'],
  events: ['sequence', 'id', 'type', 'project_id', 'payload', 'created_at'],
  webhooks: [
    'is_active',
    'disabled_reason',
    'failure_count',
    'last_delivery_at',
    'last_success_at',
    'last_failure_at',
    'sealed_secret',
    'secret_hint',
    'sealed_previous_secret',
    'previous_secret_expires_at',
    'enabled_after_sequence',
    'activation',
    'has_stale',
    'next_due_at',
    'pending_count',
    'failing_since',
  ],
  applications: ['secret_hash', 'secret_hint'],
}

test('every column of a workspace is archived or excluded on purpose', async () => {
  const { config } = await openTestDocket('sqlite')
  const db = new DatabaseSync(join(config.dataDir, 'docket.db'), { readOnly: true })
  const all = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => String(row.name))
  const tables = all("select name from pragma_table_list where schema = 'main' and type = 'table'")
  const parts = new Set<string>(ARCHIVE_PARTS)
  const unknownColumns: string[] = []
  for (const table of tables) {
    const columns = all(`select name from pragma_table_info('${table}')`)
    if (!columns.includes('workspace_id') || TABLES_WITHOUT_PART.includes(table)) continue
    const part = CONTAINING_PART[table] ?? (parts.has(table) ? (table as ArchivePart) : undefined)
    const fields: string[] = part === undefined ? [] : Object.keys(schemaOf(part).properties)
    const known = new Set([
      'workspace_id',
      'change_number',
      ...fields,
      ...(DERIVED_COLUMNS[table] ?? []),
    ])
    for (const column of columns) if (!known.has(column)) unknownColumns.push(`${table}.${column}`)
  }
  db.close()
  assert.deepEqual(
    unknownColumns,
    [],
    'say in src/archive what becomes of these, or leave them out here',
  )
})
