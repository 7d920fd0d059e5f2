import { useMemo } from 'react'
import { getMemberName, useBoot } from '../../../data/session/boot.ts'
import { Markdown, type MarkdownProps } from '../../../ui/markdown/markdown.tsx'
import { TaskPreviewLink } from '../links/task-preview-link.tsx'
import { useOpenTask } from '../open-task-context.ts'

/** Returns how Markdown of the open task resolves mentions and short ids. */
export function useMarkdownReferences(): Pick<MarkdownProps, 'nameOf' | 'me' | 'task'> {
  const boot = useBoot('session', 'projects', 'members', 'former')
  const { showTask } = useOpenTask()
  return useMemo(
    () => ({
      me: boot.session.user.id,
      nameOf: (id) => toKnownName(getMemberName(boot, id)),
      // Only prefixes of visible projects become links, because a word like UTF-8 is no task.
      task: (short_id) => {
        const prefix = short_id.slice(0, short_id.lastIndexOf('-'))
        if (!boot.projects.some((project) => project.prefix === prefix)) return undefined
        return <TaskPreviewLink shortId={short_id} onGo={showTask} />
      },
    }),
    [boot, showTask],
  )
}

const toKnownName = (name: string): string | undefined => (name === '?' ? undefined : name)

type TaskMarkdownProps = Pick<MarkdownProps, 'source' | 'onToggle' | 'boxesOff'> & {
  className?: string
}

/** Renders Markdown of the open task with its mentions and task links. */
export const TaskMarkdown = (props: TaskMarkdownProps) => (
  <Markdown {...props} {...useMarkdownReferences()} />
)
