import assert from 'node:assert/strict'
import type { Comment } from '#resources/comments/contract.ts'
import type { Import } from '#resources/imports/internal.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createImporter, describeImportError } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** A task with names in place of ids, without unset fields. */
export type NamedTask = Record<string, unknown>

export interface ImportedFile {
  ready: Import
  done: Import
  faults: { number: number; title: string; error: object | null }[]
  /** New projects by name, with their tasks in order. */
  projects: Map<string, { project: Project; tags: Tag[]; tasks: NamedTask[] }>
}

/** Uploads a file and has it read; returns the import, which is ready to start. */
export async function previewFile(
  importer: Awaited<ReturnType<typeof createImporter>>,
  filename: string,
  bytes: string | Uint8Array,
): Promise<Import> {
  const { id } = await importer.upload(filename, bytes)
  await importer.work()
  const ready = await importer.get(id)
  assert.equal(ready.status, 'ready', `${filename}: ${describeImportError(ready)}`)
  return ready
}

/** Imports a file into a workspace of its own, and reads what has become of it. */
export async function importFile(
  docket: TestDocket,
  filename: string,
  bytes: string | Uint8Array,
  kind?: string,
): Promise<ImportedFile> {
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  const all = async <T>(url: string) =>
    (await importer.ask<{ data: T[] }>('GET', `/api/v1/${url}`)).data
  const { id } = await importer.upload(filename, bytes)
  await importer.work()
  if (kind !== undefined) {
    await importer.choose(id, { kind })
    await importer.work()
  }
  const ready = await importer.get(id)
  assert.equal(ready.status, 'ready', `${filename}: ${describeImportError(ready)}`)
  await importer.act(id, 'start')
  await importer.work()
  const projects: ImportedFile['projects'] = new Map()
  const everyTask = await all<Task>('tasks?limit=200')
  const titles = new Map(everyTask.map((task) => [task.id, task.title]))
  for (const project of await all<Project>('projects')) {
    if (project.id === team.project || project.id === team.hidden) continue
    const tags = await all<Tag>(`projects/${project.id}/tags`)
    const tasks = await all<Task>(`projects/${project.id}/tasks?limit=200`)
    const describe = async (task: Task): Promise<NamedTask> => {
      const comments = await all<Comment>(`tasks/${task.id}/comments`)
      const bodies = new Map(comments.map((comment) => [comment.id, comment.body]))
      const fields: NamedTask = {
        title: task.title,
        description: task.description,
        start_date: task.start_date,
        due_date: task.due_date,
        due_at: task.due_at,
        estimate: task.estimate_seconds,
        recurrence: task.recurrence,
        custom_fields: task.custom_fields,
        metadata: task.metadata,
        status: project.statuses.find(({ key }) => key === task.status)?.name,
        category: task.status_category,
        priority: task.priority === 'none' ? null : task.priority,
        tags: tags.flatMap((tag) => (task.tag_ids.includes(tag.id) ? tag.name : [])),
        people: task.assignee_ids.map(
          (of) => Object.entries(team.people).find(([, person]) => person === of)?.[0],
        ),
        parent: task.parent_id && titles.get(task.parent_id),
        after: task.blocked_by_ids.map((one) => titles.get(one)),
        comments: comments.map(({ body, parent_id }) =>
          parent_id === null ? body : [bodies.get(parent_id), body],
        ),
      }
      return fields
    }
    projects.set(project.name, { project, tags, tasks: await Promise.all(tasks.map(describe)) })
  }
  return { ready, done: await importer.get(id), faults: await importer.faults(id), projects }
}

/** What becomes of a file, as tables of cases say it. */
export interface ImportCase {
  name: string
  tasks: NamedTask[]
  /** The names of the new project's statuses, if they matter. */
  statuses?: string[]
  /** The categories of statuses by their names, if they matter. */
  categories?: Record<string, string>
  /** How much of what is not taken over, by its kind. */
  left?: Record<string, number>
}

interface ExpectedImport extends Omit<ImportCase, 'tasks'> {
  kind: string
  /** The expected tasks by project. */
  projects: Record<string, NamedTask[]>
}

/** Imports a file into a workspace of its own, and asserts what becomes of it. */
export async function assertImport(
  docket: TestDocket,
  filename: string,
  bytes: string | Uint8Array,
  { name, kind, projects, statuses, categories = {}, left = {} }: ExpectedImport,
): Promise<ImportedFile> {
  const imported = await importFile(docket, filename, bytes)
  const { ready, done, faults } = imported
  assert.deepEqual([ready.kind, faults], [kind, []], name)
  for (const [project, tasks] of Object.entries(projects)) {
    const made = imported.projects.get(project) ?? assert.fail(`${name}: ${project}`)
    assertTasks(made.tasks, tasks)
    const names = made.project.statuses.map((one) => one.name)
    assert.deepEqual(names, statuses ?? names, name)
  }
  const guesses = Object.fromEntries(ready.statuses.map((one) => [one.name, one.category]))
  assert.deepEqual({ ...guesses, ...categories }, guesses, name)
  const counts = done.not_taken_over.map(({ what, count }) => [what, count])
  assert.deepEqual(Object.fromEntries(counts), left, name)
  return imported
}

/** Uploads a file that cannot be imported, and returns the reason. */
export async function refusalOf(
  docket: TestDocket,
  filename: string,
  bytes: string | Uint8Array,
): Promise<string> {
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
  const { id } = await importer.upload(filename, bytes)
  await importer.work()
  const failed = await importer.get(id)
  assert.deepEqual([failed.status, failed.made_count], ['failed', 0], filename)
  return describeImportError(failed)
}

/**
 * Asserts which tasks a project has, in order, and of each the fields that `expected` names; null is
 * an unset field.
 */
export function assertTasks(tasks: readonly NamedTask[], expected: readonly NamedTask[]): void {
  assert.deepEqual(
    tasks.map(({ title }) => title),
    expected.map(({ title }) => title),
  )
  for (const [at, wanted] of expected.entries()) {
    const task = tasks[at] ?? {}
    const named = Object.fromEntries(Object.keys(wanted).map((name) => [name, task[name]]))
    assert.deepEqual(named, wanted)
  }
}
