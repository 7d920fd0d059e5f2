import assert from 'node:assert/strict'
import { changeProject, type ProjectChange } from '#resources/projects/change.ts'
import { command, type Scoped } from '#storage/statement.ts'
import type { Reply, Step } from './scenario.ts'

/** The step that makes a task in the open project, known from then on under its title. */
export const made = (title: string, fields: object = {}, more: Partial<Step> = {}): Step => ({
  send: 'POST /api/v1/tasks',
  body: { project_id: '{project}', title, ...fields },
  status: 201,
  events: ['task.created'],
  keep: { [title]: 'id' },
  ...more,
})

/** The step of a request that is refused for exactly these faults: fields and their codes. */
export const faulty = (send: string, body: unknown, faults: Record<string, string>): Step => ({
  send,
  body,
  status: 422,
  check: ({ body: reply }) => {
    const { code, details } = (reply as Problem).error
    assert.equal(code, 'validation_failed')
    const found = Object.fromEntries(details.map((detail) => [detail.field, detail.code]))
    assert.deepEqual(found, faults, send)
    assert.equal(details.length, Object.keys(faults).length, JSON.stringify(details))
  },
})

interface Problem {
  error: { code: string; details: { field: string; code: string }[] }
}

/** The step of a request that is refused with a status and a code. */
export const refused = (
  send: string,
  status: number,
  code: string,
  more: Partial<Step> = {},
): Step => ({ send, status, reply: { error: { code } }, ...more })

/** The step that reads a list, which shows these records in this order, by the names they are kept under. */
export const lists = (url: string, names: string[], more: Partial<Step> = {}): Step => ({
  send: `GET ${url}`,
  status: 200,
  check: (reply, known) => assert.deepEqual(namesIn(reply, known), names, url),
  ...more,
})

/** The records of a list by the names under which their ids are known. */
export function namesIn({ body }: Reply, known: Record<string, string>): (string | undefined)[] {
  const names = new Map(Object.entries(known).map(([name, id]) => [id, name]))
  return (body as { data: { id: string }[] }).data.map(({ id }) => names.get(id) ?? id)
}

/** A project is changed before the step, as the command line does. */
export const changing =
  (project: string, change: ProjectChange): NonNullable<Step['prepare']> =>
  (tx, known) =>
    changeProject(tx, known[project] ?? '', change)

/** A project gets statuses before the step: key and category of each. */
export const withStatuses =
  (project: string, statuses: [key: string, category: string][]): NonNullable<Step['prepare']> =>
  (tx, known) => {
    const list = statuses.map(([key, category], position) => {
      return { key, name: key, category, color: '#ffffff', position }
    })
    return tx.run(setStatuses, { id: known[project] ?? '', statuses: JSON.stringify(list) })
  }

const setStatuses = command((db, $: Scoped<{ id: string; statuses: string }>) =>
  db
    .updateTable('projects')
    .set({ statuses: $.statuses })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)
