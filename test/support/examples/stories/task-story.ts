import {
  getOperation,
  listOperations,
  listTaskOperations,
  undoOperation,
  undoOperations,
} from '#resources/operations/contract.ts'
import {
  bulkTasks,
  completeTask,
  createTask,
  deleteTask,
  getTask,
  listProjectTasks,
  listTasks,
  restoreTask,
  updateTask,
} from '#resources/tasks/contract.ts'
import type { ExampleClient } from '../example-client.ts'
import type { ExampleWorkspace } from '../example-workspace.ts'

/** The task that the rest of the story is about. */
const LAUNCH = { path: { id: 'ENG-1' } }

/** Plans a launch: creates tasks, changes, lists and restores them. */
export async function runTaskStory(
  { record, call }: ExampleClient,
  { project, people: { grace } }: ExampleWorkspace,
  launchTag: string,
): Promise<void> {
  const create = async (title: string) =>
    (await call(createTask, { body: { project_id: project, title } })).reply.id

  const launch = await record(createTask, {
    headers: { 'Idempotency-Key': '7d0f4c5e-2a4b-4b0e-9a53-0f6f3f1c8f42' },
    body: {
      project_id: project,
      title: 'Prepare the launch',
      description: 'Everything that has to be ready before we **announce version 2**.',
      priority: 'medium',
      tag_ids: [launchTag],
      due_date: '2027-03-31',
      estimate_seconds: 28_800,
      custom_fields: { channel: 'newsletter', budget: 2500 },
      metadata: { campaign: 'spring-2027' },
    },
  })
  await record(updateTask, {
    ...LAUNCH,
    headers: { 'If-Match': launch.etag },
    body: { priority: 'high', due_date: '2027-03-26', custom_fields: { budget: 3000 } },
  })
  await call(updateTask, { ...LAUNCH, body: { add_assignee_ids: [grace] } })
  await record(getTask, LAUNCH)

  const notes = await create('Write the release notes')
  await record(listProjectTasks, {
    path: { id: project },
    query: { status_category: ['backlog', 'unstarted'], sort: 'position', limit: 2 },
  })
  await record(listTasks, {
    query: { assignee_id: [grace], q: 'launch', due_before: '2027-04-01', sort: 'due_date' },
  })

  await record(deleteTask, { path: { id: 'ENG-2' } })
  await record(restoreTask, { path: { id: 'ENG-2' } })
  await record(completeTask, LAUNCH)

  const translation = await create('Translate the website')
  const banner = await create('Remove the old banner')
  const screenshots = await create('Take new screenshots')
  await call(deleteTask, { path: { id: screenshots } })
  await record(bulkTasks, {
    body: {
      atomic: true,
      operations: [
        {
          op: 'create',
          data: {
            project_id: project,
            title: 'Review the numbers of the week',
            due_date: '2027-04-05',
            recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=MO' },
          },
        },
        { op: 'update', id: notes, data: { status: 'in_progress', add_assignee_ids: [grace] } },
        {
          op: 'upsert',
          data: {
            external_source: 'tracker',
            external_id: '4711',
            project_id: project,
            title: 'Answer the question of a customer',
          },
        },
        { op: 'complete', id: translation },
        { op: 'delete', id: banner },
        { op: 'restore', id: screenshots },
      ],
    },
  })
  await call(updateTask, { ...LAUNCH, body: { title: 'Prepare the start', priority: 'low' } })
  await record(listTaskOperations, { ...LAUNCH, query: { limit: 1 } })
  const operations = await record(listOperations, { query: { limit: 1 } })
  const path = { id: operations.reply.data[0]?.id ?? '' }
  await record(getOperation, { path })
  await record(undoOperation, { path, query: { only: 'unchanged' } })
  await record(undoOperations, {
    body: { since: operations.reply.data[0]?.created_at ?? '' },
  })
}
