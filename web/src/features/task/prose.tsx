import { useMemo } from 'react'
import { nameOf, useBoot } from '../../data/boot.ts'
import { Markdown, type MarkdownProps } from '../../ui/markdown.tsx'
import { useOpenTask } from './open-task.ts'
import { TaskPeek } from './task-peek.tsx'

/** How Markdown shows people and tasks here. */
export function usePreview(): Pick<MarkdownProps, 'nameOf' | 'me' | 'task'> {
  const boot = useBoot()
  const { go } = useOpenTask()
  return useMemo(
    () => ({
      me: boot.session.user.id,
      nameOf: (id) => known(nameOf(boot, id)),
      // Only prefixes of projects that the person sees are links: UTF-8 is no task.
      task: (short_id) => {
        const prefix = short_id.slice(0, short_id.lastIndexOf('-'))
        if (!boot.projects.some((project) => project.prefix === prefix)) return undefined
        return <TaskPeek shortId={short_id} onGo={go} />
      },
    }),
    [boot, go],
  )
}

const known = (name: string): string | undefined => (name === '?' ? undefined : name)

type Props = Pick<MarkdownProps, 'source' | 'onToggle' | 'boxesOff'> & { className?: string }

/** Markdown of a task, with its people and tasks. */
export const Prose = (props: Props) => <Markdown {...props} {...usePreview()} />
