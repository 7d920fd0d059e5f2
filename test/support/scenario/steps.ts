import assert from 'node:assert/strict'
import { command, type Scoped } from '#db/core/statement.ts'
import { changeProject, type ProjectChanges } from '#resources/projects/write-operations.ts'
import type { ScenarioReply, ScenarioStep } from './scenario.ts'

/** A step that creates a task in the open project and keeps its id under its title. */
export const createTaskStep = (
  title: string,
  fields: object = {},
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: 'POST /api/v1/tasks',
  body: { project_id: '{project}', title, ...fields },
  status: 201,
  events: ['task.created'],
  keep: { [title]: 'id' },
  ...more,
})

/** A step that is rejected with exactly these field errors, as fields and their codes. */
export const validationFailedStep = (
  send: string,
  body: unknown,
  faults: Record<string, string>,
): ScenarioStep => ({
  send,
  body,
  status: 422,
  check: ({ body: reply }) => {
    const { code, details } = (reply as ErrorReply).error
    assert.equal(code, 'validation_failed')
    const found = Object.fromEntries(details.map((detail) => [detail.field, detail.code]))
    assert.deepEqual(found, faults, send)
    assert.equal(details.length, Object.keys(faults).length, JSON.stringify(details))
  },
})

/** Steps of one request that are rejected, each for a body and its field errors. */
export const validationFailedSteps = (
  send: string,
  cases: readonly (readonly [body: unknown, faults: Record<string, string>])[],
): ScenarioStep[] => cases.map(([body, faults]) => validationFailedStep(send, body, faults))

interface ErrorReply {
  error: { code: string; details: { field: string; code: string }[] }
}

/** A step that is rejected with a status and an error code. */
export const rejectedStep = (
  send: string,
  status: number,
  code: string,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({ send, status, reply: { error: { code } }, ...more })

/** A step that reads a list, and expects these records in this order, by their kept names. */
export const listStep = (
  url: string,
  names: string[],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `GET ${url}`,
  status: 200,
  check: (reply, known) => assert.deepEqual(recordNamesOf(reply, known), names, url),
  ...more,
})

/** The names under which the ids of a list's records were kept. */
function recordNamesOf(
  { body }: ScenarioReply,
  known: Record<string, string>,
): (string | undefined)[] {
  const names = new Map(Object.entries(known).map(([name, id]) => [id, name]))
  return (body as { data: { id: string }[] }).data.map(({ id }) => names.get(id) ?? id)
}

/** Changes a project before the step, as the command line does. */
export const prepareProjectChange =
  (project: string, change: ProjectChanges): NonNullable<ScenarioStep['prepare']> =>
  (tx, known) =>
    changeProject(tx, known[project] ?? '', change)

/** Sets the statuses of a project before the step, given as keys and categories. */
export const prepareStatuses =
  (
    project: string,
    statuses: [key: string, category: string][],
  ): NonNullable<ScenarioStep['prepare']> =>
  (tx, known) => {
    const list = statuses.map(([key, category], position) => {
      return { key, name: key, category, color: '#ffffff', position }
    })
    return tx.run(setStatuses, { id: known[project] ?? '', statuses: JSON.stringify(list) })
  }

const setStatuses = command((db, $: Scoped<{ id: string; statuses: string }>) =>
  db.updateTable('projects').set({ statuses: $.statuses }).where('id', '=', $.id),
)

/** Creates a tag, and remembers its id under a name. */
export const tagStep = (project: string, name: string, keep: string): ScenarioStep => ({
  send: `POST /api/v1/projects/{${project}}/tags`,
  body: { name },
  status: 201,
  events: ['tag.created'],
  keep: { [keep]: 'id' },
})

/** Changes a task, by the name under which its id is kept. */
export const patchTaskStep = (
  name: string,
  body: object,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `PATCH /api/v1/tasks/{${name}}`,
  body,
  status: 200,
  events: ['task.updated'],
  ...more,
})

/** Moves a task to another project. */
export const moveTaskStep = (
  name: string,
  project: string,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `PATCH /api/v1/tasks/{${name}}`,
  body: { project_id: `{${project}}` },
  status: 200,
  events: ['task.updated'],
  ...more,
})

/** Deletes a task, by the name under which its id is kept. */
export const deleteTaskStep = (
  name: string,
  events = ['task.deleted'],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `DELETE /api/v1/tasks/{${name}}`,
  status: 204,
  events,
  ...more,
})

/** Restores a deleted task. */
export const restoreTaskStep = (name: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${name}}/restore`,
  status: 200,
  events: ['task.updated'],
  ...more,
})
