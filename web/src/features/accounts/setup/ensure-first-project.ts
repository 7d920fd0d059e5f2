import type { createProject } from '#resources/projects/internal.ts'
import type { bulkTasks } from '#resources/tasks/contract.ts'
import { loadBoot } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { firstProjectChecklist } from '../../../messages/accounts/first-project.ts'
import { formatShortcut } from '../../../ui/keyboard/use-shortcuts.ts'

/**
 * Finds or creates the project with a checklist for new people, and returns its path. A project
 * with the same name counts as the existing one.
 */
export async function ensureFirstProject(): Promise<string> {
  const { session, projects } = await loadBoot()
  const existing = projects.find(({ name }) => name === firstProjectChecklist.name)
  const project = existing ?? (await createChecklistProject(session.user.id))
  return `/w/${session.workspace.id}/p/${project.prefix}`
}

async function createChecklistProject(lead_id: string) {
  const { name, description, tasks } = firstProjectChecklist
  const body = { name, description, lead_id }
  const project = await requestEndpoint<typeof createProject>('POST /internal/projects', { body })
  const operations = tasks.map(({ title, description: text }) => ({
    op: 'create' as const,
    data: {
      project_id: project.id,
      title: formatShortcutsIn(title),
      description: formatShortcutsIn(text),
      assignee_ids: [lead_id],
    },
  }))
  await requestEndpoint<typeof bulkTasks>('POST /api/v1/tasks/bulk', {
    body: { operations, atomic: true },
  })
  return project
}

/** Replaces `Mod+K` in a text by what the keyboard of this platform calls it. */
const formatShortcutsIn = (text: string): string =>
  text.replace(/Mod\+\w+/g, (keys) => formatShortcut(keys.toLowerCase()))
