import { type Boot, nameOf } from '../../data/boot.ts'
import type { Task } from '../../data/task-view.ts'
import { toast } from '../../data/toasts.ts'
import { formatDuration } from '../../lib/duration.ts'
import { m } from '../../messages/task.ts'
import { copyText } from '../../ui/copy.tsx'
import { statusName } from './status-pick.tsx'

/** Puts the address of a task into the clipboard. */
export const copyLink = ({ short_id, url }: Task): Promise<void> =>
  copy(url, m.linkCopied(short_id))

/** Puts the short id of a task into the clipboard. */
export const copyId = ({ short_id }: Task): Promise<void> => copy(short_id, m.idCopied(short_id))

/** Puts a task into the clipboard as text that other tools read: title, properties, description. */
export const copyMarkdown = (task: Task, boot: Boot): Promise<void> =>
  copy(markdownOf(task, boot), m.markdownCopied(task.short_id))

async function copy(text: string, said: string): Promise<void> {
  if (await copyText(text, said)) toast({ text: said })
}

/** A task as Markdown. */
export function markdownOf(task: Task, boot: Boot): string {
  const project = boot.projects.find(({ id }) => id === task.project_id)
  const facts: [string, string | undefined][] = [
    [m.status, statusName(task, project)],
    [m.priority, task.priority === 'none' ? undefined : m.priorities[task.priority]],
    [m.people, task.assignee_ids.map((id) => nameOf(boot, id)).join(', ') || undefined],
    [m.due, task.due_date ?? undefined],
    [
      m.estimate,
      task.estimate_seconds === null ? undefined : formatDuration(task.estimate_seconds),
    ],
  ]
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${value}`] : []))
  const head = `# [${task.short_id}](${task.url}) ${task.title}`
  return [head, lines.join('\n'), task.description ?? ''].filter(Boolean).join('\n\n')
}
