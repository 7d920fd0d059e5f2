import { getMe } from '#resources/me/contract.ts'
import { listMembers } from '#resources/members/contract.ts'
import { getProject, listProjects } from '#resources/projects/contract.ts'
import {
  createTag,
  deleteTag,
  getTag,
  listProjectTags,
  updateTag,
} from '#resources/tags/contract.ts'
import type { ExampleClient } from '../example-client.ts'
import type { ExampleWorkspace } from '../example-workspace.ts'

/** Looks around in the workspace, and creates the tags of the project. */
export async function runProjectStory(
  { record, call }: ExampleClient,
  { project: id }: ExampleWorkspace,
): Promise<{ launchTag: string }> {
  await record(getMe)
  await record(listMembers, { query: { role: ['owner', 'member'], sort: 'name' } })
  await record(listProjects, { query: { status: 'active', sort: 'name' } })
  await record(getProject, { path: { id } })

  const launch = await record(createTag, {
    path: { id },
    body: { name: 'Launch', color: '#f59e0b' },
  })
  const docs = await call(createTag, { path: { id }, body: { name: 'Docs' } })
  await record(listProjectTags, { path: { id }, query: { sort: 'name' } })
  const tag = { path: { id: docs.reply.id } }
  await record(getTag, tag)
  await record(updateTag, {
    ...tag,
    headers: { 'If-Match': docs.etag },
    body: { name: 'Documentation' },
  })
  await record(deleteTag, tag)
  return { launchTag: launch.reply.id }
}
