import type { createProject } from '#resources/projects/internal.ts'
import type { bulkTasks } from '#resources/tasks/contract.ts'
import { loadBoot } from '../../data/boot.ts'
import { call } from '../../lib/call.ts'
import { checklist } from '../../messages/first-project.ts'

/**
 * Where somebody who has just begun is led: into a project with a checklist of what to try. It is made
 * where the workspace has no such project yet. Gives its address.
 */
export async function firstProject(): Promise<string> {
  const { session, projects } = await loadBoot()
  const found = projects.find(({ name }) => name === checklist.name)
  const project = found ?? (await make(session.user.id))
  return `/w/${session.workspace.id}/p/${project.prefix}`
}

async function make(lead_id: string) {
  const { name, description, tasks } = checklist
  const body = { name, description, lead_id }
  const project = await call<typeof createProject>('POST /internal/projects', { body })
  const operations = tasks.map(({ title, description: text }) => ({
    op: 'create' as const,
    data: { project_id: project.id, title, description: text, assignee_ids: [lead_id] },
  }))
  await call<typeof bulkTasks>('POST /api/v1/tasks/bulk', { body: { operations, atomic: true } })
  return project
}
