import type { Step } from './scenario.ts'

/** The step that makes `{task}`, in the open project. */
export const aTask: Step = {
  send: 'POST /api/v1/tasks',
  body: { project_id: '{project}', title: 'Ship the importer' },
  status: 201,
  events: ['task.created'],
  keep: { task: 'id', short_id: 'short_id' },
}
