import type { ScenarioStep } from './scenario.ts'

/** The step that creates `{task}` in the open project. */
export const CREATE_TASK_STEP: ScenarioStep = {
  send: 'POST /api/v1/tasks',
  body: { project_id: '{project}', title: 'Ship the importer' },
  status: 201,
  events: ['task.created'],
  keep: { task: 'id', short_id: 'short_id' },
}
