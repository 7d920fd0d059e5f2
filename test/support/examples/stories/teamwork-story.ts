import {
  deleteAttachment,
  downloadAttachment,
  getAttachment,
  listTaskAttachments,
  uploadAttachment,
} from '#resources/attachments/contract.ts'
import {
  createComment,
  deleteComment,
  getComment,
  listComments,
  listTaskComments,
  updateComment,
} from '#resources/comments/contract.ts'
import {
  createTimeEntry,
  deleteTimeEntry,
  getTimeEntry,
  getTimeReport,
  listTaskTimeEntries,
  listTimeEntries,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import { createExampleClient, type ExampleClient } from '../example-client.ts'
import type { ExampleWorkspace } from '../example-workspace.ts'

const TASK = { path: { id: 'ENG-1' } }

const RELEASE_NOTES = 'Version 2\n\n- Boards load twice as fast.\n- Webhooks can be replayed.\n'

/** Comments on a task, logs time on it and attaches a file. */
export async function runTeamworkStory(
  client: ExampleClient,
  workspace: ExampleWorkspace,
): Promise<void> {
  await recordComments(client, workspace)
  await recordTimeEntries(client)
  await recordAttachments(client)
}

async function recordComments({ record }: ExampleClient, workspace: ExampleWorkspace) {
  const { people, keys } = workspace
  const question = await record(createComment, {
    ...TASK,
    body: { body: `<@${people.grace}> Are the release notes ready?` },
  })
  const { call: callAsGrace } = createExampleClient(workspace, keys.grace)
  await callAsGrace(createComment, {
    ...TASK,
    body: { body: 'Almost: *one* section is missing.', parent_id: question.reply.id },
  })
  await record(listComments, { query: { author_id: people.grace } })
  await record(listTaskComments, { ...TASK, query: { sort: 'created_at' } })
  const path = { id: question.reply.id }
  const { etag } = await record(getComment, { path })
  const body = { body: `<@${people.grace}> Are the release notes ready for **review**?` }
  await record(updateComment, { path, headers: { 'If-Match': etag }, body })
  await record(deleteComment, { path })
}

async function recordTimeEntries({ record }: ExampleClient) {
  const entry = await record(createTimeEntry, {
    ...TASK,
    body: {
      duration_seconds: 5400,
      spent_on: '2027-03-01',
      note: 'Drafted the announcement',
      billable: true,
    },
  })
  const march = { spent_after: '2027-03-01', spent_before: '2027-04-01' }
  await record(listTimeEntries, { query: { user_id: 'me', ...march } })
  await record(getTimeReport, { query: { group_by: ['user', 'project'], ...march } })
  await record(listTaskTimeEntries, { ...TASK, query: { billable: true, sort: '-spent_on' } })
  const path = { id: entry.reply.id }
  const { etag } = await record(getTimeEntry, { path })
  const body = { duration_seconds: 7200, note: 'Drafted and revised the announcement' }
  await record(updateTimeEntry, { path, headers: { 'If-Match': etag }, body })
  await record(deleteTimeEntry, { path })
}

async function recordAttachments({ record }: ExampleClient) {
  const file = await record(uploadAttachment, {
    ...TASK,
    query: { filename: 'release-notes.txt' },
    headers: { 'Content-Type': 'text/plain' },
    body: RELEASE_NOTES,
  })
  const path = { id: file.reply.id }
  await record(listTaskAttachments, { ...TASK, query: { sort: 'created_at' } })
  await record(getAttachment, { path })
  await record(downloadAttachment, { path })
  await record(deleteAttachment, { path })
}
