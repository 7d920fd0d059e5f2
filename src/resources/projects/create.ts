import { conflict } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { newId } from '#lib/id.ts'
import { wordsOf } from '#lib/words.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import type { ProjectRow } from '#storage/tables.ts'
import type { Status } from './contract.ts'
import { DEFAULT_STATUSES } from './default-statuses.ts'
import { CHANGEABLE } from './store.ts'

export interface NewProject {
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
 * Makes a project; its creator is in the people list from the start. No event tells of it (contract
 * 8.4). Gives its id; 409 `prefix_taken`. Who may do so, and whether the lead may lead, is for the
 * caller to say.
 */
export async function createProject(tx: WriteTx, wanted: NewProject): Promise<string> {
  const { name, created_by_id } = wanted
  const id = newId('prj', tx.instant)
  const prefix = wanted.prefix ?? (await freePrefix(tx, name))
  await refuseTaken(tx, prefix, id)
  await tx.run(insertProject, {
    id,
    name,
    name_key: fold(name),
    name_words: ` ${wordsOf(name).join(' ')}`,
    prefix,
    description: wanted.description ?? null,
    color: wanted.color ?? '#6b7280',
    icon: wanted.icon ?? null,
    archived_at: null,
    lead_id: wanted.lead_id ?? null,
    visibility: wanted.visibility ?? 'workspace',
    start_date: wanted.start_date ?? null,
    target_date: wanted.target_date ?? null,
    statuses: JSON.stringify(wanted.statuses ?? DEFAULT_STATUSES),
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
  await reserve(tx, prefix, id)
  await tx.run(addPerson, { project_id: id, user_id: created_by_id })
  tx.note({ noun: 'project', id, op: 'create', project_id: id, revision: tx.now })
  return id
}

/** Keeps a prefix for a project, for ever; 409 `prefix_taken` where it is or was another's. */
export async function reserve(tx: WriteTx, prefix: string, project_id: string): Promise<void> {
  if (!(await refuseTaken(tx, prefix, project_id))) {
    await tx.run(reservePrefix, { prefix, project_id })
  }
}

/** Tells whether the project itself has the prefix already, or had it once. */
async function refuseTaken(tx: WriteTx, prefix: string, project_id: string): Promise<boolean> {
  const taken = await tx.one(projectOfPrefix, { prefix })
  if (taken && taken.project_id !== project_id) {
    throw conflict('prefix_taken', `The prefix ${prefix} is or was another project's.`)
  }
  return taken !== undefined
}

/** Made from the Latin letters of the name, or `PRJ`; with a figure behind it where that is taken. */
async function freePrefix(tx: WriteTx, name: string): Promise<string> {
  const letters = fold(name)
    .normalize('NFD')
    .replace(/[^a-z]/g, '')
    .toUpperCase()
  const stem = letters.length >= 2 ? letters.slice(0, 3) : 'PRJ'
  for (let figure = 1; ; figure++) {
    const prefix = figure === 1 ? stem : `${stem}${figure}`
    if (!(await tx.one(projectOfPrefix, { prefix }))) return prefix
  }
}

/** The project that has a prefix, or had it once: it stays reserved. */
const projectOfPrefix = query((db, $: Scoped<{ prefix: string }>) =>
  db
    .selectFrom('project_prefixes')
    .select('project_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('prefix', '=', $.prefix),
)

const COLUMNS = [
  'workspace_id',
  'id',
  ...CHANGEABLE,
  'last_number',
  'backlog_count',
  'unstarted_count',
  'started_count',
  'completed_count',
  'canceled_count',
  'created_by_id',
  'created_at',
] as const

const insertProject = command((db, $: Scoped<ProjectRow>) =>
  db.insertInto('projects').values(row($, ...COLUMNS)),
)

const reservePrefix = command((db, $: Scoped<{ prefix: string; project_id: string }>) =>
  db.insertInto('project_prefixes').values(row($, 'workspace_id', 'prefix', 'project_id')),
)

/** Puts somebody into the people list of a project; who is in it stays there. */
export const addPerson = command((db, $: Scoped<{ project_id: string; user_id: string }>) =>
  db
    .insertInto('project_people')
    .values(row($, 'workspace_id', 'project_id', 'user_id'))
    .onConflict((conflict) => conflict.doNothing()),
)
