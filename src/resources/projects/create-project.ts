import { conflict } from '#core/api-error.ts'
import type { RecordReply } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { command, insertRow, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import { foldCase } from '#lib/fold-case.ts'
import { newId } from '#lib/id.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { DEFAULT_COLOR } from '#wire/schema-builders.ts'
import type { Project, Status } from './contract.ts'
import { DEFAULT_STATUSES } from './statuses.ts'
import { anyProjectById, PROJECT_COLUMNS } from './store.ts'

interface NewProject {
  name: string
  prefix?: string | undefined
  statuses?: readonly Status[]
  description?: string | null
  color?: string
  icon?: string | null
  lead_id?: string | null
  visibility?: 'workspace' | 'private'
  start_date?: string | null
  target_date?: string | null
  created_by_id: string
}

/**
 * Creates a project with its creator in the people list, and emits `project.created`. 409
 * `prefix_taken`. The caller checks who may create projects, and who may lead this one.
 */
export async function addProject(
  tx: WriteTx,
  project: NewProject,
): Promise<RecordReply<Project> & { id: string }> {
  const id = await createProjectRow(tx, project)
  const created = await tx.one(anyProjectById, { id })
  if (!created) throw new Error('A project is gone while it is created')
  tx.emit('project.created', created.json, { subject_id: id, project_id: id })
  return created
}

/** Creates a project without an event, and returns its id. */
export async function createProjectRow(tx: WriteTx, project: NewProject): Promise<string> {
  const { name, created_by_id } = project
  const id = newId('prj', tx.nowMs)
  const prefix = project.prefix ?? (await freePrefix(tx, name))
  await assertPrefixAvailable(tx, prefix, id)
  await tx.run(insertProject, {
    id,
    name,
    name_key: foldCase(name),
    name_words: ` ${extractSearchWords(name).join(' ')}`,
    prefix,
    description: project.description ?? null,
    color: project.color ?? DEFAULT_COLOR,
    icon: project.icon ?? null,
    archived_at: null,
    lead_id: project.lead_id ?? null,
    visibility: project.visibility ?? 'workspace',
    start_date: project.start_date ?? null,
    target_date: project.target_date ?? null,
    statuses: JSON.stringify(project.statuses ?? DEFAULT_STATUSES),
    last_number: 0,
    backlog_count: 0,
    unstarted_count: 0,
    started_count: 0,
    completed_count: 0,
    canceled_count: 0,
    created_by_id,
    created_at: tx.now,
    updated_at: tx.now,
  })
  await reservePrefix(tx, prefix, id)
  await tx.run(insertPerson, { project_id: id, user_id: created_by_id })
  return id
}

/** Reserves a prefix forever; 409 `prefix_taken` if it is or was the prefix of another project. */
export async function reservePrefix(
  tx: WriteTx,
  prefix: string,
  project_id: string,
): Promise<void> {
  if (!(await assertPrefixAvailable(tx, prefix, project_id))) {
    await tx.run(insertPrefix, { prefix, project_id })
  }
}

/**
 * 409 `prefix_taken` if the prefix is or was another project's. Returns whether the project itself
 * has or had it.
 */
async function assertPrefixAvailable(
  tx: WriteTx,
  prefix: string,
  project_id: string,
): Promise<boolean> {
  const owner = await tx.one(projectOfPrefix, { prefix })
  if (owner && owner.project_id !== project_id) {
    throw conflict(
      'prefix_taken',
      `Another project has the prefix ${prefix}, or had it before. Choose another prefix.`,
    )
  }
  return owner !== undefined
}

/** The first Latin letters of the name, or `PRJ`, with a number if that prefix is taken. */
async function freePrefix(tx: WriteTx, name: string): Promise<string> {
  const letters = foldCase(name)
    .normalize('NFD')
    .replace(/[^a-z]/g, '')
    .toUpperCase()
  const stem = letters.length >= 2 ? letters.slice(0, 3) : 'PRJ'
  for (let suffix = 1; ; suffix++) {
    const prefix = suffix === 1 ? stem : `${stem}${suffix}`
    if (!(await tx.one(projectOfPrefix, { prefix }))) return prefix
  }
}

/** The project that has or had a prefix. */
const projectOfPrefix = query((db, $: Scoped<{ prefix: string }>) =>
  db.selectFrom('project_prefixes').select('project_id').where('prefix', '=', $.prefix),
)

const insertProject = insertRow(
  'projects',
  'id',
  ...PROJECT_COLUMNS,
  'last_number',
  'backlog_count',
  'unstarted_count',
  'started_count',
  'completed_count',
  'canceled_count',
  'created_by_id',
  'created_at',
)

const insertPrefix = insertRow('project_prefixes', 'prefix', 'project_id')

/** Adds a user to the people list of a project. Changes no row if the user is in it. */
export const insertPerson = command((db, $: Scoped<{ project_id: string; user_id: string }>) =>
  db
    .insertInto('project_people')
    .values(pickSlots($, 'workspace_id', 'project_id', 'user_id'))
    .onConflict((conflict) => conflict.doNothing()),
)
